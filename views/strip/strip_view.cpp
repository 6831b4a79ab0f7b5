// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/strip/strip_view.h"

#include "model/analysis/summary/summary.h"
#include "model/base/format.h"
#include "views/common/look/as_of_label.h"
#include "views/common/look/qt_text.h"
#include "views/strip/strip_item.h"

#include <QHBoxLayout>

#include <utility>

namespace riffle {

namespace {

constexpr int kMargin = 4, kSpacing = 4; ///< logical pixels

QString shareText(double share) { return toQString(formatShare(share)); }

StripFigures ask(const SetFacts &facts, SummaryRequest request, const std::stop_token &stop)
{
    const auto answer = [&](const char *view, RankLayout layout) {
        request.view = view;
        request.layout = layout;
        auto table = summarize(facts, request, {stop, nullptr});
        return table ? std::move(*table) : ResultTable();
    };
    const ResultTable overview = answer("overview", RankLayout::RankByRank),
                      steps = answer("steps", RankLayout::RankByRank),
                      findings = answer("findings", RankLayout::Merged);
    return stripFigures(overview, steps, findings);
}

} // namespace

StripView::StripView(Session *session, QWidget *parent)
    : View(session, Session::Answers | Session::Narrowing | Session::Steps, parent)
    , m_items{new StripItem(tr("Step"), this), new StripItem(tr("Busy"), this),
              new StripItem(tr("Exposed communication"), this), new StripItem(tr("Idle"), this),
              new StripItem(tr("Findings"), this)}
    , m_asOf(new AsOfLabel(this))
    , m_rest(new QSpacerItem(0, 0, QSizePolicy::Expanding))
    , m_jobs(this)
{
    auto *layout = new QHBoxLayout(this);
    layout->setContentsMargins(kMargin, 1, kMargin, 1);
    layout->setSpacing(kSpacing);
    for (StripItem *item : m_items) {
        layout->addWidget(item);
        item->hide();
    }
    layout->addWidget(m_asOf);
    layout->addItem(m_rest);
    m_items[Step]->setToolTip(
        tr("The median duration of the steps, and all of them as a curve. A click leads to the slowest step."));
    m_items[Busy]->setToolTip(tr("Share of the time of the steps during which a device works, over all devices. A "
                                 "click opens the table of devices."));
    m_items[Exposed]->setToolTip(
        tr("Share of the time of the steps during which a device communicates and computes nothing. A "
           "click opens the table of collectives."));
    m_items[Idle]->setToolTip(
        tr("Share of the time of the steps during which a device does nothing, and the cause of most of it. A "
           "click opens the causes."));
    m_items[Findings]->setToolTip(tr("What the rules have found. A click opens the table of findings."));
    connect(m_items[Step], &StripItem::clicked, this,
            [this] { this->session()->pane()->reveal(m_figures.slowestStep); });
    const auto leads = [this](Item item, const char *id, const char *word) {
        connect(m_items[item], &StripItem::clicked, this,
                [=, this] { emit tableRequested(QString::fromLatin1(id), QString::fromLatin1(word)); });
    };
    leads(Busy, "more", "device");
    leads(Exposed, "more", "collectives");
    leads(Idle, "more", "overview");
    leads(Findings, "findings", "");
}

QSize StripView::minimumSizeHint() const { return {0, m_items[Step]->sizeHint().height() + 2}; }

void StripView::setTiles(bool on)
{
    if (std::exchange(m_tiles, on) != on)
        fit();
}

void StripView::refresh(Session::Changes)
{
    if (session()->traces().empty()) {
        m_jobs.cancel(QStringLiteral("figures"));
        m_factsAsOf = {};
        showFigures({});
        return;
    }
    m_jobs.run(QStringLiteral("figures"),
               session()->inTurn([facts = session()->facts(), request = session()->request()](
                                     const std::stop_token &stop) { return ask(*facts, request, stop); }),
               [this, asOf = session()->factsAsOf()](StripFigures figures) {
                   m_factsAsOf = asOf;
                   showFigures(std::move(figures));
               });
}

void StripView::showFigures(StripFigures figures)
{
    m_figures = std::move(figures);
    const auto put = [this](Item item, bool isKnown, const QString &value, const QString &words = {},
                            std::vector<double> curve = {}) {
        if (isKnown)
            m_items[item]->setFigure(value, words, std::move(curve));
        m_items[item]->setVisible(isKnown);
    };
    const StripFigures &now = m_figures;
    const bool differs = now.slowest && now.steps.size() > 1;
    put(Step, now.step.has_value(), toQString(formatDuration(now.step.value_or(0))),
        differs ? tr("slowest %1").arg(toQString(formatDuration(*now.slowest))) : QString(), now.steps);
    put(Busy, now.busy.has_value(), shareText(now.busy.value_or(0)));
    put(Exposed, now.exposed.has_value(), shareText(now.exposed.value_or(0)));
    put(Idle, now.idle.has_value(), shareText(now.idle.value_or(0)),
        now.cause.isEmpty() ? tr("no single cause") : tr("mostly %1").arg(now.cause));
    put(Findings, now.findings.has_value(), QString::number(now.findings.value_or(0)));
    fit();
}

/// Shows as much of the figures as has room.
void StripView::fit()
{
    using Detail = StripItem::Detail;
    m_asOf->say(m_tiles ? AsOf() : m_factsAsOf);
    Detail most = Detail::Value;
    for (const Detail detail : {Detail::Curve, Detail::Words, Detail::Tile}) {
        if (detail == Detail::Tile && !m_tiles)
            continue;
        int wanted = 2 * kMargin + (m_asOf->isHidden() ? 0 : m_asOf->sizeHint().width() + kSpacing);
        for (const StripItem *item : m_items)
            wanted += item->isHidden() ? 0 : item->widthFor(detail) + kSpacing;
        if (wanted <= width())
            most = detail;
    }
    for (StripItem *item : m_items)
        item->setDetail(most);
    m_rest->changeSize(0, 0, most == Detail::Tile ? QSizePolicy::Fixed : QSizePolicy::Expanding);
    layout()->invalidate();
}

void StripView::resizeEvent(QResizeEvent *event)
{
    View::resizeEvent(event);
    fit();
}

} // namespace riffle
