// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/ranks/ranks_page.h"

#include "model/base/format.h"
#include "model/base/stopping.h"
#include "views/common/chart/heat_map.h"
#include "views/common/look/qt_text.h"
#include "views/common/session/empty_notice.h"
#include "views/ranks/rank_cells.h"

#include <QCheckBox>
#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QMetaMethod>
#include <QScrollArea>
#include <QSplitter>
#include <QTextDocumentFragment>

#include <algorithm>
#include <utility>

namespace riffle {

namespace {

const auto kJob = QStringLiteral("figures");
constexpr int kGridWidth = 330;    ///< logical pixels, at first
constexpr double kMostSide = 0.45; ///< of the height of the page
constexpr const char *kFirstFigure = "own_work_ns";

QString figureText(int64_t value, CellKind unit, bool isDifference)
{
    if (value == kNoInt)
        return RanksPage::tr("unknown");
    const int64_t size = value < 0 ? -value : value;
    const QString text = toQString(unit == CellKind::Bytes ? formatBytes(size) : formatDuration(size));
    const QString sign = value < 0 ? QStringLiteral("−") : isDifference && value > 0 ? QStringLiteral("+") : QString();
    return sign + text;
}

QLabel *sectionLabel(const QString &text, QWidget *parent)
{
    auto *label = new QLabel(text, parent);
    QFont font = label->font();
    font.setBold(true);
    label->setFont(font);
    return label;
}

/// Shows other entries in a box, which keeps its choice, if they differ. A box with one entry is hidden.
void setEntries(QComboBox *box, const QStringList &entries, int current)
{
    const QSignalBlocker blocker(box);
    QStringList shown;
    for (int at = 0; at < box->count(); ++at)
        shown += box->itemText(at);
    if (shown != entries) {
        box->clear();
        box->addItems(entries);
    }
    box->setCurrentIndex(std::clamp(current, 0, std::max(0, static_cast<int>(entries.size()) - 1)));
    box->setVisible(entries.size() > 1);
}

} // namespace

RanksPage::RanksPage(Session *session, QWidget *parent)
    : View(session,
           Session::AnyTraces | Session::Clock | Session::Facts | Session::Runs | Session::Selection | Session::Load,
           parent)
    , m_title(sectionLabel(tr("Ranks"), this))
    , m_run(new QComboBox(this))
    , m_figure(new QComboBox(this))
    , m_axes(new QComboBox(this))
    , m_difference(new QCheckBox(tr("More than the &median of the step"), this))
    , m_parts(new QSplitter(Qt::Horizontal, this))
    , m_grid(new RankGrid(this))
    , m_legend(new QLabel(this))
    , m_side(new QLabel)
    , m_mapTitle(sectionLabel({}, this))
    , m_sideScroll(new QScrollArea)
    , m_map(new HeatMap(this))
    , m_empty(new EmptyNotice(this))
    , m_noSteps(new EmptyNotice(m_map))
    , m_jobs(this)
{
    makeHead();
    m_legend->setWordWrap(true);
    m_legend->setContentsMargins(8, 0, 8, 0);
    m_side->setWordWrap(true);
    m_side->setTextFormat(Qt::RichText);
    m_side->setTextInteractionFlags(Qt::TextBrowserInteraction);
    m_side->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    m_side->setContentsMargins(8, 4, 8, 8);
    m_side->setAccessibleName(tr("In this run"));
    m_sideScroll->setWidget(m_side);
    m_sideScroll->setWidgetResizable(true);
    m_sideScroll->setFrameShape(QFrame::NoFrame);
    m_sideScroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto *left = new QWidget;
    auto *leftLayout = new QVBoxLayout(left);
    leftLayout->setContentsMargins(0, 0, 0, 0);
    leftLayout->setSpacing(4);
    leftLayout->addWidget(m_grid, 1);
    leftLayout->addWidget(m_legend);
    leftLayout->addWidget(m_sideScroll);
    auto *right = new QWidget;
    auto *rightLayout = new QVBoxLayout(right);
    rightLayout->setContentsMargins(0, 4, 0, 0);
    rightLayout->setSpacing(2);
    m_mapTitle->setContentsMargins(8, 0, 8, 0);
    rightLayout->addWidget(m_mapTitle);
    rightLayout->addWidget(m_map, 1);
    m_parts->addWidget(left);
    m_parts->addWidget(right);
    m_parts->setStretchFactor(1, 1);
    m_parts->setChildrenCollapsible(false);
    m_parts->setSizes({kGridWidth, 3 * kGridWidth});
    layout()->addWidget(m_parts);
    static_cast<QVBoxLayout *>(layout())->setStretchFactor(m_parts, 1);
    m_empty->coverParent();
    m_noSteps->coverParent();
    m_map->setAccessibleName(tr("Ranks and steps"));
    setFocusProxy(m_map);
    connect(m_empty, &EmptyNotice::helpWanted, session, &Session::help);
    connect(m_map, &HeatMap::chosen, this, &RanksPage::goToCell);
    connect(m_map, &HeatMap::currentChanged, this, [this](int row, int) {
        m_owesSelection = false;
        follow(row);
    });
    connect(m_grid, &RankGrid::chosen, this, &RanksPage::goToRank);
    connect(m_grid, &RankGrid::currentChanged, this, [this](int cell) {
        m_owesSelection = false;
        if (!m_shown)
            return;
        const int column = std::max(0, m_map->current().column);
        if (const int row = rowOf(m_shown->rows, cell); row >= 0)
            m_map->setCurrent({row, column});
    });
    connect(m_side, &QLabel::linkActivated, this, [this](const QString &link) {
        const auto &pairs = this->session()->run()->layout.pairs;
        bool isNumber = false;
        const uint at = link.section(QLatin1Char(':'), 1).toUInt(&isNumber);
        if (isNumber && at < pairs.size())
            emit comparisonRequested(pairs[at]);
    });
    // A hidden page hears of it, too: the timeline is in front when the trace comes.
    connect(session, &Session::changed, this, [this](Session::Changes changes) {
        if (changes & Session::Traces)
            m_wanted.reset();
        if (changes & Session::Members && m_wanted)
            QMetaObject::invokeMethod(this, &RanksPage::revealWanted, Qt::QueuedConnection);
    });
}

void RanksPage::makeHead()
{
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    auto *head = new QHBoxLayout;
    head->setContentsMargins(8, 4, 8, 4);
    head->setSpacing(8);
    for (const StepFigure &one : stepFigures()) {
        m_figure->addItem(QString::fromUtf8(one.title), QString::fromUtf8(one.key));
        m_figure->setItemData(m_figure->count() - 1, QString::fromUtf8(one.meaning), Qt::ToolTipRole);
    }
    m_figure->setAccessibleName(tr("Figure"));
    m_figure->setToolTip(tr("The figure that colours the grid and the heat map"));
    m_axes->setAccessibleName(tr("Arrangement"));
    m_run->setAccessibleName(tr("Run"));
    m_run->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_run->setMinimumContentsLength(24);
    m_difference->setToolTip(
        tr("Show how much more of the figure a rank has than the median of all ranks in the step"));
    m_title->setMinimumWidth(40);
    head->addWidget(m_title);
    head->addWidget(m_run);
    head->addWidget(m_axes);
    head->addStretch(1);
    auto *colour = new QLabel(tr("&Colour"), this);
    colour->setBuddy(m_figure);
    head->addWidget(colour);
    head->addWidget(m_figure);
    head->addWidget(m_difference);
    layout->addLayout(head);
    m_figure->setCurrentIndex(m_figure->findData(QString::fromUtf8(kFirstFigure)));
    connect(m_figure, &QComboBox::currentIndexChanged, this, [this] {
        m_isFigureChosen = true;
        ask();
    });
    connect(m_difference, &QCheckBox::toggled, this, &RanksPage::ask);
    connect(m_axes, &QComboBox::currentIndexChanged, this, &RanksPage::ask);
    connect(m_run, &QComboBox::currentIndexChanged, this,
            [this](int run) { session()->showRun(static_cast<uint32_t>(std::max(0, run))); });
}

const StepFigure &RanksPage::figure() const
{
    return stepFigures()[static_cast<size_t>(std::max(0, m_figure->currentIndex()))];
}

bool RanksPage::isDifference() const { return m_difference->isChecked(); }

QString RanksPage::sideText() const { return QTextDocumentFragment::fromHtml(m_side->text()).toPlainText(); }

bool RanksPage::settled() const
{
    return m_jobs.idle() && (session()->run()->isComplete || session()->traces().members().empty());
}

void RanksPage::refresh(Session::Changes changes)
{
    showEmpty();
    if (changes & (Session::AnyTraces | Session::Clock | Session::Facts | Session::Runs)) {
        const std::vector<RankRow> rows = rankRows(*session());
        if (rows != m_rows || !m_steps) {
            m_rows = rows;
            m_steps = nullptr;
        }
        showRuns();
        showAxes();
        ask();
    }
    if (changes & Session::Selection) {
        m_owesSelection = true;
        showSelection();
    }
}

void RanksPage::showEmpty()
{
    m_empty->say(session()->traces().members().empty() ? emptyState(session()->emptyFacts()) : EmptyState());
}

void RanksPage::showRuns()
{
    const OpenRun &open = *session()->run();
    QStringList titles;
    for (const Run &run : open.layout.runs)
        titles += toQString(run.title());
    setEntries(m_run, titles, static_cast<int>(session()->shownRun()));
    QString title = tr("Ranks");
    if (session()->shownRun() < open.layout.runs.size()) {
        const Run &run = open.layout.runs[session()->shownRun()];
        title = run.cells.size() == 1 ? tr("1 rank") : tr("%1 ranks").arg(run.cells.size());
        if (run.hosts.size() > 1)
            title += tr(" on %1 hosts").arg(run.hosts.size());
    }
    m_title->setText(title);
    static const QMetaMethod compared = QMetaMethod::fromSignal(&RanksPage::comparisonRequested);
    m_side->setText(runHtml(*session(), isSignalConnected(compared)));
    fitSide();
}

/// Gives the side as much room as it needs, but leaves most of it to the grid.
void RanksPage::fitSide()
{
    const int wanted = m_side->heightForWidth(std::max(100, m_sideScroll->width() - 20));
    m_sideScroll->setFixedHeight(std::clamp(wanted, 0, static_cast<int>(height() * kMostSide)));
}

void RanksPage::resizeEvent(QResizeEvent *event)
{
    View::resizeEvent(event);
    fitSide();
}

void RanksPage::showAxes()
{
    QStringList entries{tr("By host")};
    const OpenRun &open = *session()->run();
    if (session()->shownRun() < open.layout.runs.size() && open.layout.runs[session()->shownRun()].axes.size() > 1)
        entries += tr("By parallel axes");
    setEntries(m_axes, entries, m_axes->currentIndex());
}

/// Asks for the figures, and shows the cells without them until they are there.
void RanksPage::ask()
{
    showCells();
    struct Answer {
        std::shared_ptr<const StepGrid> steps;
        RankFigures figures;
    };
    m_jobs.run(
        kJob,
        [rows = m_rows, steps = m_steps, figure = &figure(),
         isDifference = isDifference()](const std::stop_token &stop) mutable {
            return untilStopped(stop, [&] {
                if (!steps)
                    steps = std::make_shared<const StepGrid>(stepGridOf(rows));
                return Answer{steps, rankFigures(*steps, *figure, isDifference)};
            });
        },
        [this](std::optional<Answer> answer) {
            if (!answer)
                return;
            m_steps = std::move(answer->steps);
            if (!answer->figures.isAnyKnown && !m_isFigureChosen && m_figure->currentIndex() != 0 &&
                m_steps->steps() > 0) {
                const QSignalBlocker blocker(m_figure);
                m_figure->setCurrentIndex(0); // the length is always known
                ask();
                return;
            }
            showFigures(answer->figures);
        });
}

void RanksPage::showCells()
{
    RankGridData cells = rankCells(*session(), m_rows, m_axes->currentIndex() > 0);
    const QString letters = lettersText(cells);
    QStringList marks;
    for (const RankState state : {RankState::InMemory, RankState::OnDisk, RankState::Reading, RankState::Failed,
                                  RankState::NoTrace, RankState::NoFile})
        if (std::ranges::find(cells.cells, state, &RankGridData::Cell::state) != cells.cells.end())
            marks += (state == RankState::NoFile ? tr("dashed") : markOf(state)) + QLatin1Char(' ') + wordsOf(state);
    if (std::ranges::any_of(cells.cells, [](const RankGridData::Cell &cell) { return cell.copies > 1; }))
        marks += tr("×2 several files of one kind");
    if (!letters.isEmpty())
        marks += letters;
    m_legend->setText(marks.join(QStringLiteral(" · ")));
    // The values that are shown stay until there are others.
    const RankGridData &shown = m_grid->data();
    if (shown.cells.size() == cells.cells.size())
        for (size_t at = 0; at < cells.cells.size(); ++at)
            cells.cells[at].value = shown.cells[at].value;
    cells.low = shown.low;
    cells.high = shown.high;
    cells.valueText = [this, unit = figure().unit, difference = isDifference()](int64_t value) {
        return figureText(value, unit, difference);
    };
    m_grid->setData(std::move(cells));
}

void RanksPage::showFigures(const RankFigures &figures)
{
    const auto shown = std::make_shared<const Shown>(Shown{m_rows, m_steps, figures.values});
    const std::shared_ptr<const Shown> before = std::exchange(m_shown, shown);
    const auto valueText = [unit = figure().unit, difference = isDifference()](int64_t value) {
        return figureText(value, unit, difference);
    };
    RankGridData cells = m_grid->data();
    for (RankGridData::Cell &cell : cells.cells)
        cell.value = kNoInt;
    const QString label = QString::fromUtf8(figure().title);
    for (size_t row = 0; row < m_rows.size(); ++row)
        if (const int at = cellOf(m_rows, static_cast<int>(row)); at >= 0) {
            int64_t &value = cells.cells[static_cast<size_t>(at)].value;
            value = std::max(value, figures.ofRanks[row]);
        }
    for (RankGridData::Cell &cell : cells.cells)
        if (cell.value != kNoInt)
            cell.about += tr("%1, median").arg(label) + QLatin1Char('\t') + valueText(cell.value);
    cells.low = figures.rankLow;
    cells.high = figures.rankHigh;
    cells.valueText = valueText;
    m_grid->setData(std::move(cells));

    m_mapTitle->setText(isDifference() ? tr("%1, more than the median of the step: rank × step").arg(label)
                                       : tr("%1: rank × step").arg(label));
    HeatMapData map;
    map.rows = figures.isAnyKnown ? static_cast<int>(m_steps->ranks()) : 0;
    map.columns = figures.isAnyKnown ? static_cast<int>(m_steps->steps()) : 0;
    map.values = figures.isAnyKnown ? figures.values : std::make_shared<const std::vector<int64_t>>();
    map.low = figures.low;
    map.high = figures.high;
    map.isBeyond = figures.isBeyond;
    map.rowName = [shown](int row) { return toQString(shown->rows[static_cast<size_t>(row)].title); };
    map.columnName = [shown](int column) { return toQString(shown->steps->step(static_cast<size_t>(column)).name()); };
    map.valueText = valueText;
    map.describe = [this, shown](int row, int column) { return aboutCell(*shown, row, column); };
    showMap(std::move(map), before.get());
    EmptyState why;
    if (!figures.isAnyKnown) {
        why.reason = EmptyReason::NotRecorded;
        const bool isReading = !session()->run()->isComplete;
        const bool isRecording =
            std::ranges::any_of(m_rows, [this](const RankRow &row) { return isBeingRecorded(row); });
        why.text =
            toUtf8(isReading               ? tr("The steps of the ranks are being read.")
                   : isRecording           ? tr("Ranks are being recorded. Their figures come once they end.")
                   : m_steps->steps() == 0 ? tr("No steps are known of any rank.")
                                           : tr("%1 was not recorded for any rank. Choose another figure.").arg(label));
    }
    m_noSteps->say(why);
    if (m_owesSelection) // otherwise, the current cell is where the user moved it
        showSelection();
}

/// The current cell stays at its rank and step, which may have other places now.
void RanksPage::showMap(HeatMapData map, const Shown *before)
{
    HeatMap::Cell current = m_map->current();
    if (current.valid() && before) {
        const TraceId member = before->rows[static_cast<size_t>(current.row)].member;
        const GridStep step = before->steps->step(static_cast<size_t>(current.column));
        current = {};
        for (int row = 0; row < map.rows; ++row)
            if (m_shown->rows[static_cast<size_t>(row)].member == member)
                current.row = row;
        for (int column = 0; column < map.columns; ++column)
            if (m_shown->steps->step(static_cast<size_t>(column)) == step)
                current.column = column;
    }
    m_map->setData(std::move(map));
    m_map->setCurrent(current);
}

/// True if a trace is being written, so that its figures are not made yet.
bool RanksPage::isBeingRecorded(const RankRow &row) const
{
    const LoadedTrace *trace = session()->traces().find(row.member);
    return !row.facts && trace && trace->growing;
}

QStringList RanksPage::aboutCell(const Shown &shown, int row, int column) const
{
    const auto rank = static_cast<size_t>(row), step = static_cast<size_t>(column);
    QStringList lines{
        tr("%1, step %2").arg(toQString(shown.rows[rank].title), toQString(shown.steps->step(step).name()))};
    if (shown.steps->firstRow(rank, step) == StepGrid::kNone) {
        lines += shown.rows[rank].facts              ? tr("The rank did not record this step.")
                 : isBeingRecorded(shown.rows[rank]) ? tr("The rank is being recorded. Its figures come once it ends.")
                                                     : tr("The rank is not known yet.");
        return lines;
    }
    if (isDifference()) {
        const int64_t more = (*shown.values)[rank * shown.steps->steps() + step];
        lines += tr("More than the median") + QLatin1Char('\t') + figureText(more, figure().unit, true);
    }
    for (const StepFigure &one : stepFigures())
        if (const int64_t value = shown.steps->value(rank, step, one);
            value != kNoInt && (value != 0 || &one == &figure()))
            lines += QString::fromUtf8(one.title) + QLatin1Char('\t') + figureText(value, one.unit, false);
    if (shown.steps->value(rank, step, figure()) == kNoInt)
        lines += QString::fromUtf8(figure().title) + QLatin1Char('\t') + tr("unknown");
    const uint8_t flags = shown.steps->flags(rank, step);
    if (flags & step_flag::Unfinished)
        lines += tr("The step has no end.");
    if (flags & step_flag::Cut)
        lines += tr("A range cuts the step.");
    if (flags & step_flag::FarLonger)
        lines += tr("The first step took more than twice as long as the others.");
    if (flags & step_flag::ByRecorder)
        lines += tr("The figures are the recorder's.");
    if (shown.steps->endRow(rank, step) - shown.steps->firstRow(rank, step) > 1)
        lines += tr("Each figure is that of the device with the most.");
    return lines;
}

} // namespace riffle
