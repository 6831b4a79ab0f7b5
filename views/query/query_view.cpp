// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/query/query_view.h"

#include "model/analysis/table/table_bands.h"
#include "model/base/big_vector.h"
#include "model/base/format.h"
#include "views/common/look/as_of_label.h"
#include "views/common/look/limit_badge.h"
#include "views/common/look/palette.h"
#include "views/common/look/qt_text.h"
#include "views/common/table/summary_table.h"
#include "views/query/query_editor.h"
#include "views/query/query_examples.h"

#include <QElapsedTimer>
#include <QHBoxLayout>
#include <QJsonArray>
#include <QKeyEvent>
#include <QLabel>
#include <QMenu>
#include <QProgressBar>
#include <QSplitter>
#include <QToolButton>
#include <QTreeView>
#include <QVBoxLayout>

#include <algorithm>

namespace riffle {

namespace {

constexpr size_t kMostRows = 200'000; ///< more than anyone looks through
constexpr int kLookMs = 100;
constexpr qsizetype kHistoryShown = 30;
constexpr QRgb kWrong = 0xffb3261e, kWrongOnDark = 0xffff8f80;
const QString kKey = QStringLiteral("query");
const QString kLaneKey = QStringLiteral("lane");

struct Answer {
    Result<ResultTable> table = Error{};
    Ns took = 0;
};

QString counted(uint64_t count) { return toQString(formatCount(static_cast<int64_t>(count))); }

} // namespace

QueryView::QueryView(Session *session, QWidget *parent)
    : View(session, Session::Answers | Session::Selection | Session::Load, parent)
    , m_editor(new QueryEditor(this))
    , m_run(new QToolButton(this))
    , m_stop(new QToolButton(this))
    , m_highlight(new QToolButton(this))
    , m_lane(new QToolButton(this))
    , m_message(new QLabel(this))
    , m_busy(new QProgressBar(this))
    , m_table(new SummaryTable(session, this))
    , m_jobs(this)
{
    auto *bar = new QHBoxLayout;
    makeTools(bar);
    auto *top = new QWidget(this);
    auto *topLayout = new QVBoxLayout(top);
    topLayout->setContentsMargins(0, 0, 0, 0);
    topLayout->setSpacing(2);
    topLayout->addWidget(m_editor, 1);
    topLayout->addLayout(bar);
    m_editor->setMinimumHeight(3 * QFontMetrics(m_editor->font()).lineSpacing());
    auto *split = new QSplitter(Qt::Vertical, this);
    split->addWidget(top);
    split->addWidget(m_table);
    split->setStretchFactor(1, 1);
    split->setChildrenCollapsible(false);
    split->setSizes({fontMetrics().lineSpacing() * 7, fontMetrics().lineSpacing() * 20});
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(6, 4, 6, 4);
    layout->addWidget(split);

    auto *badge = new LimitBadge(session, this);
    badge->setIgnored(narrowed_by::Everything);
    m_table->addBadge(badge);
    m_opening = session->opening();
    m_look.setInterval(kLookMs);
    connect(&m_look, &QTimer::timeout, this, &QueryView::showProgress);
    connect(m_editor, &QueryEditor::runRequested, this, &QueryView::run);
    connect(m_table, &SummaryTable::exportRequested, this, &QueryView::exportRequested);
    connect(m_table, &SummaryTable::stateChanged, this, &QueryView::stateChanged);
    connect(m_table->view(), &QTreeView::activated, this, &QueryView::goToRow);
    connect(session, &Session::changed, this, [this](Session::Changes changes) {
        if (changes & Session::Answers) // even while hidden, because the engine keeps the traces alive
            m_engine.reset();
        if (this->session()->opening() != m_opening) { // otherwise a store took over, and the rows stay valid
            stop();
            m_opening = this->session()->opening();
            m_ofOthers = true;
        }
        if (changes & (Session::Traces | Session::Members | Session::Clock))
            sayIfOutdated();
        if (changes & Session::Bands)
            updateTools();
    });
    setRunning(false);
}

void QueryView::makeTools(QHBoxLayout *bar)
{
    auto *examples = new QToolButton(this);
    examples->setText(tr("Examples"));
    examples->setPopupMode(QToolButton::InstantPopup);
    auto *menu = new QMenu(examples);
    for (const QueryExample &example : kQueryExamples)
        connect(menu->addAction(tr(example.title)), &QAction::triggered, this, [this, &example] {
            m_editor->setText(QString::fromUtf8(example.sql));
            m_editor->setFocus();
        });
    examples->setMenu(menu);
    auto *history = new QToolButton(this);
    history->setText(tr("History"));
    history->setToolTip(tr("Queries that were run (Alt+Up, Alt+Down)"));
    history->setPopupMode(QToolButton::InstantPopup);
    auto *past = new QMenu(history);
    past->setToolTipsVisible(true);
    connect(past, &QMenu::aboutToShow, this, [this, past] { fillHistory(past); });
    history->setMenu(past);
    m_run->setText(tr("Run"));
    m_run->setToolTip(tr("Run the query (Ctrl+Enter)"));
    m_stop->setText(tr("Stop"));
    m_stop->setToolTip(tr("Stop the query (Esc)"));
    m_highlight->setText(tr("Highlight"));
    m_highlight->setToolTip(tr("Emphasise the slices of all rows in the timeline, or end the emphasis"));
    m_lane->setText(tr("As lane"));
    m_lane->setToolTip(
        tr("Show the rows that have a time (ts, dur) or a slice as a lane of the timeline, or remove the lane"));
    m_lane->setCheckable(true);
    m_message->setTextFormat(Qt::PlainText);
    m_message->setWordWrap(true);
    m_message->setAccessibleName(tr("Result of the query"));
    m_message->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_message->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_busy->setFixedWidth(fontMetrics().averageCharWidth() * 20);
    m_busy->setTextVisible(false);
    m_busy->setAccessibleName(tr("Computing"));
    connect(m_run, &QToolButton::clicked, this, &QueryView::run);
    connect(m_stop, &QToolButton::clicked, this, &QueryView::stop);
    connect(m_highlight, &QToolButton::clicked, this, &QueryView::highlightRows);
    connect(m_lane, &QToolButton::clicked, this, &QueryView::setLaneShown);
    for (QToolButton *button : {m_run, m_stop, examples, history, m_highlight, m_lane}) {
        button->setFocusPolicy(Qt::TabFocus);
        bar->addWidget(button);
    }
    bar->addWidget(m_busy);
    bar->addWidget(m_message, 1);
}

void QueryView::fillHistory(QMenu *menu)
{
    menu->clear();
    const QStringList &asked = m_editor->history();
    for (qsizetype at = asked.size(); at-- > std::max<qsizetype>(0, asked.size() - kHistoryShown);) {
        const QString sql = asked[at];
        QAction *action = menu->addAction(elided(singleLine(sql), fontMetrics(), fontMetrics().averageCharWidth() * 80)
                                              .replace(QLatin1Char('&'), QLatin1String("&&")));
        action->setToolTip(wrappedHtml(sql, 100));
        connect(action, &QAction::triggered, this, [this, sql] {
            m_editor->setText(sql);
            m_editor->setFocus();
        });
    }
    if (asked.isEmpty())
        menu->addAction(tr("No queries yet"))->setEnabled(false);
}

QString QueryView::message() const { return m_message->text(); }

void QueryView::say(const QString &what, bool wrong)
{
    QPalette colours; // an empty palette follows the theme
    if (wrong)
        colours.setColor(QPalette::WindowText,
                         QColor::fromRgb(Palette::fitting(palette()).isDark ? kWrongOnDark : kWrong));
    m_message->setPalette(colours);
    m_message->setText(what);
}

/// Says why there are no rows before a query was run.
void QueryView::showNothing()
{
    ResultTable nothing;
    EmptyState state = emptyState(session()->emptyFacts());
    if (!session()->traces().empty() && state.reason != EmptyReason::NoEvents)
        state = {EmptyReason::NotAsked,
                 toUtf8(tr("Write a query or start with an example. "
                           "“select * from columns” lists all tables and columns.")),
                 EmptyAction::None,
                 {},
                 0};
    nothing.setEmpty(std::move(state));
    m_table->setTable(std::move(nothing));
}

void QueryView::refresh(Session::Changes changes)
{
    if (changes & Session::Load && session()->traces().empty())
        showNothing();
    if (m_ofOthers) {
        m_ofOthers = false;
        m_queried.clear();
        say({});
        showNothing();
        m_laneKey.clear();
        setRunning(false);
    } else if (changes & Session::Selection) {
        m_table->showRowOf(session()->selected());
    }
}

void QueryView::run()
{
    refreshNow(); // the traces may have changed in this turn of the event loop
    if (session()->traces().empty() || m_editor->toPlainText().trimmed().isEmpty())
        return;
    if (!m_engine)
        m_engine = std::make_shared<QueryEngine>(session()->facts()->ofWholeTraces());
    m_editor->remember();
    emit stateChanged();
    m_progress = std::make_shared<Progress>();
    m_queried.clear();
    say({});
    m_jobs.run(
        kKey,
        [engine = m_engine, sql = toUtf8(m_editor->toPlainText()), progress = m_progress](std::stop_token stop) {
            QElapsedTimer timer;
            timer.start();
            Answer answer{engine->run(sql, {.rows = kMostRows}, {std::move(stop), progress.get()}), 0};
            answer.took = timer.nsecsElapsed();
            return answer;
        },
        [this, asked = m_editor->toPlainText(), of = queried(session()->facts()->set()),
         asOf = session()->factsAsOf().unixNs](Answer given) {
            if (given.table) {
                m_asked = asked;
                m_queried = of;
            }
            const bool isAnswer = static_cast<bool>(given.table);
            answer(std::move(given.table), given.took);
            if (isAnswer && asOf)
                say(tr("%1 · as of %2").arg(message(), timeOfDay(*asOf)));
            sayIfOutdated();
        },
        [this](const QString &why) {
            answer(Error{toUtf8(why), {}, {}}, 0);
        });
    setRunning(true);
}

std::vector<QueryView::Queried> QueryView::queried(const TraceSet &traces)
{
    std::vector<Queried> all;
    for (const LoadedTrace &member : traces.loaded())
        all.push_back({member.id, member.trace->sliceCount(), member.time});
    return all;
}

/// The rows stay when a trace comes, grows or moves, but a query would have another answer now.
void QueryView::sayIfOutdated()
{
    if (m_queried.empty() || m_queried == queried(session()->traces()))
        return;
    m_queried.clear();
    say(tr("%1. The traces have changed since.").arg(message()));
}

void QueryView::stop()
{
    if (!m_jobs.running(kKey))
        return;
    m_jobs.cancel(kKey);
    setRunning(false);
    say(tr("Stopped"));
}

void QueryView::keyPressEvent(QKeyEvent *event)
{
    if (event->key() == Qt::Key_Escape && m_jobs.running(kKey))
        stop();
    else
        View::keyPressEvent(event);
}

void QueryView::answer(Result<ResultTable> table, Ns took)
{
    if (table) {
        const auto rows = table->rows();
        if (rows == 0 && table->absence.empty())
            table->absence = toUtf8(tr("The query returned no rows."));
        m_table->setTable(std::move(*table));
        m_jobs.cancel(kLaneKey);
        m_laneKey.clear();
        say((rows == 1 ? tr("1 row in %1") : tr("%1 rows in %2").arg(counted(rows)))
                .arg(toQString(formatDuration(took))));
    } else {
        ResultTable nothing; // rows of an earlier query would look like an answer
        nothing.absence = toUtf8(tr("The query failed, so there are no rows."));
        m_table->setTable(std::move(nothing));
        m_jobs.cancel(kLaneKey);
        m_laneKey.clear();
        say(toQString(table.error().message), true);
        if (table.error().offset && table.error().file.empty())
            m_editor->goToByte(*table.error().offset);
    }
    setRunning(false);
}

void QueryView::setRunning(bool running)
{
    m_stop->setEnabled(running);
    updateTools();
    m_busy->setVisible(running);
    m_busy->setRange(0, 0);
    if (running)
        m_look.start();
    else
        m_look.stop();
}

void QueryView::updateTools()
{
    m_highlight->setEnabled(!m_table->table().evidence.empty());
    m_lane->setEnabled(hasTimes(m_table->table()));
    m_lane->setChecked(m_jobs.running(kLaneKey) || session()->hasBands(m_laneKey));
}

void QueryView::showProgress()
{
    const uint64_t total = m_progress->bytesTotal, done = m_progress->bytesDone, read = m_progress->events;
    if (total > 0 && done <= total) {
        m_busy->setRange(0, 1000);
        m_busy->setValue(static_cast<int>(static_cast<double>(done) / static_cast<double>(total) * 1000));
    }
    say(tr("%1 rows read").arg(counted(read)));
}

void QueryView::highlightRows()
{
    PerTrace<BigVector<uint32_t>> slices;
    for (const SliceRef &slice : m_table->table().evidence)
        if (slice.valid())
            slices[slice.trace].push_back(slice.slice.value);
    for (BigVector<uint32_t> &ids : slices) {
        std::sort(ids.begin(), ids.end());
        ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
    }
    session()->setHighlightedSlices(session()->highlightedSlices() == slices ? PerTrace<BigVector<uint32_t>>()
                                                                             : slices);
}

void QueryView::setLaneShown(bool shown)
{
    m_jobs.cancel(kLaneKey);
    if (!shown) {
        session()->removeBands(m_laneKey);
        updateTools();
        return;
    }
    BandTrack track;
    const int number = ++m_lanes;
    m_laneKey = track.key = "sql/" + std::to_string(number);
    track.title = toUtf8(tr("SQL %1").arg(number));
    track.note = toUtf8(singleLine(m_asked));
    m_jobs.run(
        kLaneKey,
        [table = m_table->rows().shared(), set = session()->traces(), track](std::stop_token) {
            return bandsOf(*table, set, track);
        },
        [this](SetBands bands) {
            uint64_t leftOut = 0;
            for (const auto &tracks : bands)
                for (const auto &made : tracks)
                    leftOut += made->leftOut;
            session()->addBands(std::move(bands));
            if (leftOut)
                say(tr("%1 rows overlap too many others and are not in the lane").arg(counted(leftOut)));
            updateTools();
        });
    updateTools();
}

/// Goes to the time of a row that has one but no slice.
void QueryView::goToRow()
{
    const ResultTable &table = m_table->table();
    const ResultColumn *ts = table.column("ts"), *dur = table.column("dur");
    const auto row = m_table->currentRow();
    if (!row || (*row < table.evidence.size() && table.evidence[*row].valid()) || !ts || ts->kind != CellKind::Count ||
        ts->absent(*row))
        return;
    const bool hasLength = dur && dur->kind == CellKind::Count && !dur->absent(*row) && dur->integers[*row] > 0;
    const Ns length = hasLength ? dur->integers[*row] : session()->pane()->visibleRange().duration();
    const Ns margin = hasLength ? length / 10 : 0;
    const Ns begin = saturatedSum(ts->integers[*row], hasLength ? 0 : -length / 2);
    session()->pane()->goTo({saturatedSum(begin, -margin), saturatedSum(saturatedSum(begin, length), margin)});
}

QJsonObject QueryView::state() const
{
    return {{QStringLiteral("history"), QJsonArray::fromStringList(m_editor->history())},
            {QStringLiteral("query"), m_editor->toPlainText()},
            {QStringLiteral("table"), m_table->state()}};
}

void QueryView::restoreState(const QJsonObject &state)
{
    m_editor->setHistory(state.value(QStringLiteral("history")).toVariant().toStringList());
    m_editor->setPlainText(state.value(QStringLiteral("query")).toString());
    m_table->restoreState(state.value(QStringLiteral("table")).toObject());
}

} // namespace riffle
