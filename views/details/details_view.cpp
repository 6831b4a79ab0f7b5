// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/details/details_view.h"

#include "views/common/look/qt_text.h"
#include "views/common/look/reading_page.h"
#include "views/common/session/empty_notice.h"
#include "views/common/table/stack_reader.h"
#include "views/details/details_html.h"

#include <QScrollBar>
#include <QSplitter>
#include <QVBoxLayout>

namespace riffle {

DetailsView::DetailsView(Session *session, QWidget *parent)
    : View(session, Session::Answers | Session::Selection | Session::Load, parent)
    , m_page(new ReadingPage(this))
    , m_stack(new StackReader(this))
    , m_splitter(new QSplitter(Qt::Vertical, this))
    , m_empty(new EmptyNotice(this))
    , m_jobs(this)
{
    m_splitter->addWidget(m_page);
    m_splitter->addWidget(m_stack);
    m_splitter->setChildrenCollapsible(false);
    m_splitter->setStretchFactor(0, 3);
    m_splitter->setStretchFactor(1, 2);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(6, 4, 6, 4);
    layout->addWidget(m_splitter);

    m_empty->coverParent();
    connect(m_empty, &EmptyNotice::helpWanted, session, &Session::help);
    connect(m_page, &QTextBrowser::anchorClicked, this, &DetailsView::follow);
    connect(m_stack, &StackReader::openRequested, this, &DetailsView::openFileRequested);
    connect(m_stack, &StackReader::sliceRequested, this, &DetailsView::goTo);
    connect(&m_jobs, &Jobs::becameIdle, this, &DetailsView::settledChanged);
    showOverview();
}

void DetailsView::showOverview(Reason reason)
{
    showPage(overviewHtml(session()->traces()), reason);
    m_stack->hide();
}

void DetailsView::refresh(Session::Changes changes)
{
    m_empty->say(session()->traces().empty() ? emptyState(session()->emptyFacts()) : EmptyState());
    if (changes == Session::Load)
        return;
    const Reason reason = changes == Session::Changes(Session::Renewed) ? Reason::Growth : Reason::Question;
    const SliceRef ref = session()->selected();
    const LoadedTrace *member = ref.valid() ? session()->traces().find(ref.trace) : nullptr;
    if (!member) {
        m_jobs.cancel(QStringLiteral("details"));
        showOverview(reason);
        return;
    }
    const std::shared_ptr<const Trace> trace = member->trace;
    const Ns origin = member->time.toTrace(session()->traces().origin());
    std::vector<SliceRef> all = session()->alsoSelected();
    all.push_back(ref);
    const SliceGroup group = groupOf(session()->traces(), all);
    m_jobs.run(
        QStringLiteral("details"),
        [trace, ref](std::stop_token stop) {
            return detailsOf(*trace, ref.slice, {std::move(stop), nullptr});
        },
        [this, trace, ref, origin, group, reason](std::optional<SliceDetails> details) {
            if (details)
                fill(ref, trace, origin, *details, group, reason);
            else
                showOverview();
        });
}

void DetailsView::fill(SliceRef ref, const std::shared_ptr<const Trace> &trace, Ns origin, const SliceDetails &details,
                       const SliceGroup &group, Reason reason)
{
    m_trace = ref.trace;
    const DetailsFormat format{origin, trace->info.baseTimeNs};
    const QString together = group.count > 1 ? groupHtml(group) : QString();
    if (!showPage(together + detailsHtml(*trace, details, format), reason))
        return;
    m_stack->setFrames(details.stack,
                       details.forwardStack
                           ? tr("This slice is backward work. The stack is that of its forward operator.")
                           : QString());
    m_stack->setVisible(!details.stack.empty());
}

/// Shows a page. Returns false if it was shown already, so that what the user has marked in it stays.
bool DetailsView::showPage(const QString &html, Reason reason)
{
    if (reason == Reason::Growth && html == m_html)
        return false;
    m_html = html;
    const int scrolled = reason == Reason::Growth ? m_page->verticalScrollBar()->value() : 0;
    m_page->setHtml(html);
    m_page->verticalScrollBar()->setValue(scrolled);
    return true;
}

void DetailsView::follow(const QUrl &link) { goTo(sliceOfLink(link.toString())); }

void DetailsView::goTo(SliceId slice)
{
    if (slice.valid())
        session()->pane()->reveal({m_trace, slice});
}

} // namespace riffle
