// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/hang/hang_view.h"

#include "model/analysis/ranks/hang_text.h"
#include "model/base/shown_text.h"
#include "views/common/look/qt_text.h"
#include "views/common/look/reading_page.h"
#include "views/common/look/wrapped_label.h"
#include "views/common/session/empty_notice.h"
#include "views/hang/hang_html.h"

#include <QHeaderView>
#include <QLabel>
#include <QSplitter>
#include <QTreeWidget>
#include <QUrl>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace riffle {

namespace {

constexpr int kAroundText = 6, kBesideText = 12; ///< pixels above and below, and beside the text of a row

enum Column { kKind, kRanks, kCall, kGroup, kSureness };

QString capitalised(std::string_view text)
{
    QString made = toQString(text);
    if (!made.isEmpty())
        made[0] = made[0].toUpper();
    return made;
}

} // namespace

HangView::HangView(FlightFiles *files, QWidget *parent)
    : QWidget(parent)
    , m_files(files)
    , m_heading(wrappedLabel({}, this))
    , m_list(new QTreeWidget(this))
    , m_page(new ReadingPage(this))
    , m_empty(new EmptyNotice(this))
{
    m_list->setAccessibleName(tr("Divergences"));
    m_list->setHeaderLabels({tr("Divergence"), tr("Ranks"), tr("Call"), tr("Group"), tr("How sure")});
    m_list->setRootIsDecorated(false);
    m_list->setUniformRowHeights(true);
    m_list->setAlternatingRowColors(true);
    m_list->setAllColumnsShowFocus(true);
    m_list->header()->setStretchLastSection(false);
    m_list->header()->setSectionResizeMode(kCall, QHeaderView::Stretch);
    m_page->setAccessibleName(tr("The current divergence"));
    auto *splitter = new QSplitter(Qt::Vertical, this);
    splitter->setChildrenCollapsible(false);
    splitter->addWidget(m_list);
    splitter->addWidget(m_page);
    splitter->setSizes({160, 500});
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(6, 4, 6, 4);
    layout->addWidget(m_heading);
    layout->addWidget(splitter, 1);
    setFocusProxy(m_list);
    m_empty->coverParent();

    connect(files, &FlightFiles::changed, this, &HangView::compare);
    connect(files, &FlightFiles::loadingChanged, this, &HangView::explainEmptiness);
    connect(m_empty, &EmptyNotice::helpWanted, files, &FlightFiles::openRequested);
    connect(m_list, &QTreeWidget::currentItemChanged, this, &HangView::showCurrent);
    connect(m_page, &QTextBrowser::anchorClicked, this, &HangView::follow);
    compare();
}

QString HangView::heading() const { return m_heading->text(); }

void HangView::explainEmptiness()
{
    EmptyFacts known;
    known.open = false;
    known.shows = "dump of the Flight Recorder";
    known.loading = m_files->loading().toStdString();
    m_empty->say(m_files->empty() ? emptyState(known) : EmptyState());
}

void HangView::compare()
{
    const QString key = QStringLiteral("hang");
    explainEmptiness();
    if (m_files->empty()) {
        m_jobs.cancel(key);
        take({});
        return;
    }
    m_heading->setText(tr("The dumps are being compared …"));
    m_jobs.run(
        key,
        [dumps = m_files->dumps()](std::stop_token stop) {
            return hangOf(dumps, {std::move(stop), nullptr});
        },
        [this](HangReport report) { take(std::move(report)); });
}

void HangView::take(HangReport report)
{
    m_report = std::make_shared<const HangReport>(std::move(report));
    const HangReport &own = *m_report;
    QString text = own.dumps.empty() ? QString() : toQString(comparedText(own, 0));
    const size_t rows = std::min(own.found.size(), kMostRows);
    if (rows < own.found.size())
        text += QLatin1Char(' ') + tr("The first %1 of %2 divergences are listed.").arg(rows).arg(own.found.size());
    m_heading->setText(text);
    m_list->clear();
    const int rowHeight = m_list->fontMetrics().height() + kAroundText;
    for (size_t at = 0; at < rows; ++at) {
        const Divergence &found = own.found[at];
        auto *item = new QTreeWidgetItem(m_list);
        item->setText(kKind, capitalised(divergenceName(found.kind)));
        item->setSizeHint(kKind, {m_list->fontMetrics().horizontalAdvance(item->text(kKind)) + kBesideText, rowHeight});
        item->setText(kRanks, toQString(rankListText(found.culprits)));
        item->setText(kCall, toQString(shownText(found.operation)));
        item->setText(kGroup,
                      toQString(shownText(found.groupDescription.empty() ? found.groupName : found.groupDescription)));
        item->setText(kSureness, toQString(surenessName(found.sureness)));
        for (const int column : {kRanks, kCall, kGroup})
            item->setToolTip(column, item->text(column));
    }
    for (const int column : {kKind, kRanks, kGroup, kSureness})
        m_list->resizeColumnToContents(column);
    m_list->setColumnWidth(kRanks, std::min(m_list->columnWidth(kRanks), 200));
    m_list->setColumnWidth(kGroup, std::min(m_list->columnWidth(kGroup), 200));
    if (rows > 0)
        m_list->setCurrentItem(m_list->topLevelItem(0));
    else
        showCurrent();
}

void HangView::showCurrent()
{
    const int row = m_list->currentIndex().row();
    if (row >= 0 && static_cast<size_t>(row) < m_report->found.size())
        m_page->setHtml(divergenceHtml(*m_report, m_report->found[static_cast<size_t>(row)]));
    else
        m_page->setHtml(m_files->empty() ? QString() : noDivergenceHtml(*m_report));
}

void HangView::follow(const QUrl &link)
{
    const auto place = frameOfLink(*m_report, link.toString());
    if (!place)
        return;
    const FlightDump &dump = *m_report->dumps[place->dump];
    const FlightFrame &frame = dump.frames[place->frame];
    emit openFileRequested(toQString(dump.text(frame.file)), static_cast<int>(frame.line));
}

} // namespace riffle
