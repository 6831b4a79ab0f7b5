// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/summary/overview_page.h"

#include "model/analysis/empty/empty_trace.h"
#include "model/analysis/summary/summary.h"
#include "views/common/chart/bar_chart.h"
#include "views/common/look/as_of_label.h"
#include "views/common/look/limit_badge.h"
#include "views/common/look/part_of_ranks.h"
#include "views/common/look/qt_text.h"
#include "views/common/look/wrapped_label.h"
#include "views/common/session/empty_notice.h"
#include "views/summary/figure_grid.h"
#include "views/summary/figures.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QToolButton>

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

namespace riffle {

namespace {

constexpr int kLeastCard = 460, kMostCard = 600; ///< logical pixels; a wider table scrolls beside another column
constexpr int kLeastChart = 230, kMostChart = 360;
constexpr double kChartShare = 0.36; ///< of the height of the page
constexpr size_t kFindings = 4;
constexpr std::array kViews{"overview", "steps", "findings", "kernels"}; ///< that the page asks for
constexpr size_t kSideBySide = 4; ///< the figures of more traces are shown merged

QStringList notesOf(const ResultTable &table)
{
    QStringList notes;
    for (const std::string &note : table.notes)
        notes += toQString(note);
    return notes;
}

/// The limits that the sections of the page ignore.
uint32_t ignoredLimits()
{
    uint32_t ignored = narrowed_by::Everything;
    for (const char *view : {"overview", "steps", "findings"})
        ignored &= findSummaryView(view)->ignores;
    return ignored;
}

QFont sectionFont(QFont font)
{
    font.setBold(true);
    font.setPixelSize(15);
    return font;
}

} // namespace

OverviewPage::OverviewPage(Session *session, QWidget *parent)
    : View(session, Session::Answers | Session::Narrowing | Session::Selection | Session::Load, parent)
    , m_badge(new LimitBadge(session, this))
    , m_asOf(new AsOfLabel(this))
    , m_empty(new EmptyNotice(this))
    , m_notes(wrappedLabel({}, this))
    , m_scroll(new QScrollArea(this))
    , m_columns(new QHBoxLayout)
    , m_stepLinks(session)
    , m_findingLinks(session)
    , m_jobs(this)
{
    auto *page = new QWidget;
    page->setBackgroundRole(QPalette::Base);
    auto *rows = new QVBoxLayout(page);
    rows->setContentsMargins(16, 12, 16, 12);
    rows->addWidget(m_notes);
    rows->addLayout(m_columns, 1);
    m_columns->setSpacing(24);
    m_scroll->setWidget(page);
    m_scroll->setWidgetResizable(true);
    m_scroll->setFrameShape(QFrame::NoFrame);
    const auto grid = [&](const QString &title) {
        auto *figures = new FigureGrid(page);
        figures->setAccessibleName(title);
        m_cards.push_back(addCard(title, figures));
        return figures;
    };
    m_findings = new QWidget(page);
    m_cards.push_back(addCard(tr("Findings"), m_findings));
    m_steps = new BarChart(page);
    m_cards.push_back(addCard({}, m_steps));
    m_parts = grid(tr("Time in parts that sum"));
    m_kernels = grid(tr("Where device time goes"));
    m_idle = grid(tr("Why devices were idle"));
    m_devices = grid(tr("Device usage"));
    for (const auto &[figures, title] : {std::pair(&m_launches, tr("Launches")), {&m_traced, tr("About this file")}}) {
        *figures = grid(title);
        fold(m_cards.back(), title);
    }
    m_badge->setIgnored(ignoredLimits());
    m_empty->hide();
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(2);
    auto *head = new QHBoxLayout;
    head->setContentsMargins(6, 2, 6, 0);
    head->addWidget(m_badge);
    head->addWidget(m_asOf);
    head->addWidget(new PartOfRanks(session, this));
    head->addStretch(1);
    layout->addLayout(head);
    layout->addWidget(m_empty);
    layout->addWidget(m_scroll, 1);
    auto *foot = new QHBoxLayout;
    foot->setContentsMargins(16, 4, 16, 4);
    m_lanes = new QPushButton(tr("Show the timeline (Esc)"), this);
    connect(m_lanes, &QPushButton::clicked, this, &OverviewPage::timelineRequested);
    foot->addStretch(1);
    foot->addWidget(m_lanes);
    layout->addLayout(foot);
    connect(m_empty, &EmptyNotice::helpWanted, session, &Session::help);
    connect(m_steps, &Chart::chosen, this, [this](int step) { m_stepLinks.jump(static_cast<uint32_t>(step)); });
}

QWidget *OverviewPage::addCard(const QString &title, QWidget *content)
{
    auto *card = new QWidget(m_scroll->widget());
    auto *layout = new QVBoxLayout(card);
    layout->setContentsMargins(0, 0, 0, 16);
    layout->setSpacing(6);
    if (!title.isEmpty()) { // charts paint their own titles
        auto *head = new QLabel(title, card);
        head->setFont(sectionFont(head->font()));
        layout->addWidget(head);
    }
    layout->addWidget(content);
    card->hide();
    return card;
}

/// Folds the contents of a card, and gives it a button to unfold them.
void OverviewPage::fold(QWidget *card, const QString &title)
{
    QLayout *layout = card->layout();
    const std::unique_ptr<QLayoutItem> head(layout->takeAt(0));
    delete head->widget();
    QWidget *content = layout->itemAt(0)->widget();
    auto *button = new QToolButton(card);
    button->setText(title);
    button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    button->setArrowType(Qt::RightArrow);
    button->setAutoRaise(true);
    button->setCheckable(true);
    button->setFocusPolicy(Qt::TabFocus);
    button->setFont(sectionFont(button->font()));
    static_cast<QVBoxLayout *>(layout)->insertWidget(0, button, 0, Qt::AlignLeft);
    content->hide();
    connect(button, &QToolButton::toggled, this, [this, button, content](bool on) {
        button->setArrowType(on ? Qt::DownArrow : Qt::RightArrow);
        content->setVisible(on);
        arrange();
    });
}

void OverviewPage::refresh(Session::Changes changes)
{
    if (session()->traces().empty()) {
        for (const char *view : kViews)
            m_jobs.cancel(QLatin1String(view));
        m_overviewNotes.clear();
        m_stepNotes.clear();
        m_asOf->say({});
        for (QWidget *card : m_cards)
            card->hide();
        showEmpty(emptyState(session()->emptyFacts()));
        showNotes();
        return;
    }
    if (changes & (Session::Traces | Session::Members))
        showEmpty({}); // no longer true; the answer says anew
    if (changes & (Session::Answers | Session::Narrowing)) {
        askOverview();
        ask("steps", RankLayout::RankByRank, [this](ResultTable table) { showSteps(std::move(table)); });
        ask("findings", RankLayout::Merged, [this](ResultTable table) { showFindings(std::move(table)); });
        ask("kernels", RankLayout::Merged, [this](const ResultTable &table) {
            put(m_kernels, longestKernels(table));
            arrange();
        });
    }
    if (changes & Session::Selection)
        if (const auto row = m_stepLinks.rowOf(session()->selected()))
            m_steps->setCurrentItem(static_cast<int>(*row));
}

void OverviewPage::askOverview()
{
    SummaryRequest request = session()->request();
    request.view = "overview";
    m_jobs.run(QLatin1String("overview"),
               session()->inTurn([facts = session()->facts(), request](const std::stop_token &stop) mutable {
                   Overviews overviews;
                   if (auto table = summarize(*facts, request, {stop, nullptr}))
                       overviews.byTrace = std::move(*table);
                   if (request.scope.stepMark.empty())
                       overviews.byTrace.empty = fileState(trainingFactsOf(*facts, request.traces));
                   request.layout = RankLayout::Merged;
                   if (facts->set().loadedOf(request.traces).size() > kSideBySide)
                       if (auto table = summarize(*facts, request, {stop, nullptr}))
                           overviews.merged = std::move(*table);
                   return overviews;
               }),
               [this, asOf = session()->factsAsOf()](Overviews overviews) {
                   m_asOf->say(asOf);
                   showOverview(overviews);
               });
}

void OverviewPage::ask(const char *view, RankLayout layout, std::function<void(ResultTable)> show)
{
    SummaryRequest request = session()->request();
    request.view = view;
    request.layout = layout;
    request = widened(std::move(request), ignoredLimits()); // so that all sections are about the same
    m_jobs.run(QLatin1String(view),
               session()->inTurn([facts = session()->facts(), request](const std::stop_token &stop) {
                   auto table = summarize(*facts, request, {stop, nullptr});
                   return table ? std::move(*table) : ResultTable();
               }),
               std::move(show));
}

void OverviewPage::showOverview(const Overviews &overviews)
{
    const ResultTable &table = overviews.byTrace;
    showEmpty(table.empty);
    m_overviewNotes = table.empty.reason == EmptyReason::None ? notesOf(table) : QStringList();
    const bool isMerged = overviews.merged.rows() > 0;
    const auto fill = [&](FigureGrid *grid, std::initializer_list<std::string_view> sections) {
        put(grid, isMerged ? mergedFiguresOf(overviews.merged, sections) : figuresOf(table, sections));
    };
    fill(m_traced, {"trace", "recorded"});
    fill(m_devices, {"device"});
    fill(m_launches, {"launches"});
    put(m_idle, idleFigures(isMerged ? overviews.merged : table, isMerged));
    showNotes();
    arrange();
}

void OverviewPage::put(FigureGrid *grid, const Figures &figures)
{
    grid->setFigures(figures);
    grid->parentWidget()->setHidden(figures.titles.isEmpty());
}

void OverviewPage::showSteps(ResultTable table)
{
    m_stepNotes = notesOf(table);
    setStepBars(m_steps, table);
    const bool isWhole = table.rows() == 1 && !table.evidence[0].valid(); // one bar says no more than its parts
    m_steps->parentWidget()->setHidden(table.rows() == 0 || isWhole);
    put(m_parts, stepParts(table));
    m_stepLinks.setTable(std::make_shared<const ResultTable>(std::move(table)));
    showNotes();
    arrange();
}

void OverviewPage::showFindings(ResultTable table)
{
    const auto text = [&](const char *key, size_t row) {
        const ResultColumn *column = table.column(key);
        return column && !column->absent(row) ? toQString(column->texts[row]) : QString();
    };
    std::vector<FindingCard::Content> contents;
    for (uint32_t row = 0; row < std::min(kFindings, table.rows()); ++row) {
        FindingCard::Content content{text("severity", row),
                                     text("title", row),
                                     text("measured_text", row),
                                     text("text", row),
                                     text("rule", row),
                                     text("suggestion", row),
                                     {},
                                     row < table.evidence.size() && table.evidence[row].valid()};
        if (const ResultColumn *traces = table.column(kTracesColumn)) {
            const int64_t count = traces->integers[row];
            const bool isLong = count > static_cast<int64_t>(kSideBySide) && text("holds_for", row).contains(u',');
            content.ranks = isLong ? tr("%1 traces").arg(count) : text("holds_for", row);
        }
        contents.push_back(std::move(content));
    }
    const QString note = table.rows() > kFindings
                             ? tr("%1 more are in the table of findings.").arg(table.rows() - kFindings)
                             : (table.rows() == 0 ? notesOf(table).value(0) : QString());
    showFindingCards(std::move(contents), note);
    m_findings->parentWidget()->setVisible(table.absence.empty());
    m_findingLinks.setTable(std::make_shared<const ResultTable>(std::move(table)));
    arrange();
}

/// Shows findings as cards. If they are those that are shown already, what is unfolded stays.
void OverviewPage::showFindingCards(std::vector<FindingCard::Content> contents, const QString &note)
{
    if (contents == m_findingContents && note == m_findingNote && m_findings->layout())
        return;
    delete m_findings->layout();
    qDeleteAll(m_findings->findChildren<QWidget *>(Qt::FindDirectChildrenOnly));
    auto *layout = new QVBoxLayout(m_findings);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(8);
    for (uint32_t row = 0; row < contents.size(); ++row) {
        auto *card = new FindingCard(contents[row], m_findings);
        connect(card, &FindingCard::evidenceRequested, this, [this, row] { m_findingLinks.jump(row); });
        connect(card, &FindingCard::heightChanged, this, &OverviewPage::arrange);
        layout->addWidget(card);
    }
    if (!note.isEmpty() || contents.empty())
        layout->addWidget(wrappedLabel(note, m_findings));
    m_findingContents = std::move(contents);
    m_findingNote = note;
}

void OverviewPage::showEmpty(const EmptyState &state)
{
    m_empty->say(state);
    m_empty->setVisible(state.reason != EmptyReason::None);
}

void OverviewPage::showNotes()
{
    QStringList notes = m_overviewNotes + m_stepNotes;
    notes.removeDuplicates(); // both tables say what was not recorded
    m_notes->setText(notes.join(QLatin1Char('\n')));
    m_notes->setVisible(!m_notes->text().isEmpty());
}

void OverviewPage::arrange()
{
    int least = kLeastCard;
    for (const FigureGrid *grid : {m_traced, m_parts, m_devices, m_launches, m_idle, m_kernels})
        if (!grid->parentWidget()->isHidden())
            least = std::clamp(grid->wantedWidth(), least, kMostCard);
    const int room = m_scroll->viewport()->width();
    const int chart = std::clamp(static_cast<int>(height() * kChartShare), kLeastChart, kMostChart);
    m_steps->setFixedHeight(chart);
    const auto columns =
        static_cast<size_t>(std::clamp(room / (least + m_columns->spacing()), 1, static_cast<int>(m_cards.size())));
    while (QLayoutItem *column = m_columns->takeAt(0))
        delete column; // the cards are kept
    std::vector<QVBoxLayout *> stacks;
    std::vector<int> heights(columns, 0);
    for (size_t at = 0; at < columns; ++at) {
        stacks.push_back(new QVBoxLayout);
        m_columns->addLayout(stacks.back(), 1);
    }
    for (QWidget *card : m_cards) {
        if (card->isHidden())
            continue;
        const auto shortest = static_cast<size_t>(std::min_element(heights.begin(), heights.end()) - heights.begin());
        stacks[shortest]->addWidget(card);
        heights[shortest] += card->hasHeightForWidth() ? card->heightForWidth(room / static_cast<int>(columns))
                                                       : card->sizeHint().height();
    }
    for (QVBoxLayout *stack : stacks)
        stack->addStretch(1);
}

void OverviewPage::resizeEvent(QResizeEvent *event)
{
    View::resizeEvent(event);
    arrange();
}

} // namespace riffle
