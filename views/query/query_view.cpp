// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/query/query_view.h"

#include "model/base/format.h"
#include "views/common/qt_text.h"
#include "views/common/summary_table.h"
#include "views/query/query_editor.h"
#include "views/query/query_examples.h"

#include <QElapsedTimer>
#include <QHBoxLayout>
#include <QJsonArray>
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

constexpr size_t kMostRows = 200'000; ///< more than anybody looks through
constexpr int kLookMs = 100;
const QString kKey = QStringLiteral("query");

struct Answer {
    Result<ResultTable> table = Error{};
    qint64 milliseconds = 0;
};

QString counted(uint64_t count) { return toQString(formatCount(static_cast<int64_t>(count))); }

} // namespace

QueryView::QueryView(Session *session, QWidget *parent)
    : View(session, Session::Traces | Session::Selection, parent), m_editor(new QueryEditor(this)), m_run(new QToolButton(this)),
      m_stop(new QToolButton(this)), m_highlight(new QToolButton(this)), m_message(new QLabel(this)), m_busy(new QProgressBar(this)),
      m_table(new SummaryTable(session, this)), m_jobs(this)
{
    auto *bar = new QHBoxLayout;
    makeTools(bar);
    auto *top = new QWidget(this);
    auto *topLayout = new QVBoxLayout(top);
    topLayout->setContentsMargins(0, 0, 0, 0);
    topLayout->setSpacing(2);
    topLayout->addWidget(m_editor, 1);
    topLayout->addLayout(bar);
    auto *split = new QSplitter(Qt::Vertical, this);
    split->addWidget(top);
    split->addWidget(m_table);
    split->setStretchFactor(1, 1);
    split->setChildrenCollapsible(false);
    split->setSizes({fontMetrics().lineSpacing() * 7, fontMetrics().lineSpacing() * 20});
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(6, 4, 6, 4);
    layout->addWidget(split);

    m_look.setInterval(kLookMs);
    connect(&m_look, &QTimer::timeout, this, &QueryView::showProgress);
    connect(m_editor, &QueryEditor::runRequested, this, &QueryView::run);
    connect(m_table, &SummaryTable::exportRequested, this, &QueryView::exportRequested);
    connect(m_table, &SummaryTable::stateChanged, this, &QueryView::stateChanged);
    connect(m_table->view(), &QTreeView::activated, this, &QueryView::goToRow);
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
    m_run->setText(tr("Run"));
    m_run->setToolTip(tr("Run the query (Ctrl+Enter)"));
    m_stop->setText(tr("Stop"));
    m_highlight->setText(tr("Highlight"));
    m_highlight->setToolTip(tr("Emphasise the slices of all rows in the timeline; again: no longer"));
    m_message->setTextFormat(Qt::PlainText);
    m_message->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_message->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_busy->setFixedWidth(fontMetrics().averageCharWidth() * 20);
    m_busy->setTextVisible(false);
    m_busy->setAccessibleName(tr("Being computed"));
    connect(m_run, &QToolButton::clicked, this, &QueryView::run);
    connect(m_stop, &QToolButton::clicked, this, &QueryView::stop);
    connect(m_highlight, &QToolButton::clicked, this, &QueryView::highlightRows);
    for (QToolButton *button : {m_run, m_stop, examples, m_highlight}) {
        button->setFocusPolicy(Qt::TabFocus);
        bar->addWidget(button);
    }
    bar->addWidget(m_busy);
    bar->addWidget(m_message, 1);
}

QString QueryView::message() const { return m_message->text(); }

void QueryView::refresh(Session::Changes changes)
{
    if (changes & Session::Traces) {
        stop();
        m_engine.reset();
        m_message->clear();
        m_table->setTable({});
        setRunning(false);
    } else {
        m_table->showRowOf(session()->selected());
    }
}

void QueryView::run()
{
    refreshNow(); // the traces may have changed in this very turn
    if (session()->traces().empty() || m_editor->toPlainText().trimmed().isEmpty())
        return;
    if (!m_engine)
        m_engine = std::make_shared<QueryEngine>(*session()->facts());
    m_editor->remember();
    emit stateChanged();
    m_progress = std::make_shared<Progress>();
    m_message->clear();
    m_jobs.run(
        kKey,
        [engine = m_engine, sql = toUtf8(m_editor->toPlainText()), progress = m_progress](std::stop_token stop) {
            QElapsedTimer timer;
            timer.start();
            Answer answer{engine->run(sql, {.rows = kMostRows}, {std::move(stop), progress.get()}), 0};
            answer.milliseconds = timer.elapsed();
            return answer;
        },
        [this](Answer given) { answer(std::move(given.table), given.milliseconds); });
    setRunning(true);
}

void QueryView::stop()
{
    if (!m_jobs.running(kKey))
        return;
    m_jobs.cancel(kKey);
    setRunning(false);
    m_message->setText(tr("Stopped"));
}

void QueryView::answer(Result<ResultTable> table, qint64 milliseconds)
{
    if (table) {
        const auto rows = table->rows();
        m_table->setTable(std::move(*table));
        m_message->setText((rows == 1 ? tr("1 row in %1") : tr("%1 rows in %2").arg(counted(rows)))
                               .arg(toQString(formatDuration(milliseconds * 1'000'000))));
    } else {
        m_message->setText(toQString(table.error().message));
        if (table.error().offset && table.error().file.empty())
            m_editor->goToByte(*table.error().offset);
    }
    setRunning(false);
}

void QueryView::setRunning(bool running)
{
    m_stop->setEnabled(running);
    m_highlight->setEnabled(!m_table->table().evidence.empty());
    m_busy->setVisible(running);
    m_busy->setRange(0, 0);
    if (running)
        m_look.start();
    else
        m_look.stop();
}

void QueryView::showProgress()
{
    const uint64_t total = m_progress->bytesTotal, done = m_progress->bytesDone, read = m_progress->events;
    if (total > 0 && done <= total) {
        m_busy->setRange(0, 1000);
        m_busy->setValue(static_cast<int>(static_cast<double>(done) / static_cast<double>(total) * 1000));
    }
    m_message->setText(tr("%1 rows read").arg(counted(read)));
}

void QueryView::highlightRows()
{
    std::vector<std::vector<uint32_t>> slices(session()->traces().members.size());
    for (const SliceRef &slice : m_table->table().evidence)
        if (slice.valid() && slice.trace < slices.size())
            slices[slice.trace].push_back(slice.slice.value);
    for (std::vector<uint32_t> &ids : slices) {
        std::sort(ids.begin(), ids.end());
        ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
    }
    session()->setHighlightedSlices(session()->highlightedSlices() == slices ? std::vector<std::vector<uint32_t>>() : slices);
}

/// A row without a slice, but with a time, leads there.
void QueryView::goToRow()
{
    const ResultTable &table = m_table->table();
    const ResultColumn *ts = table.column("ts"), *dur = table.column("dur");
    const auto row = m_table->currentRow();
    if (!row || !table.evidence.empty() || !ts || ts->kind != CellKind::Count || ts->absent(*row))
        return;
    const bool hasLength = dur && dur->kind == CellKind::Count && !dur->absent(*row) && dur->integers[*row] > 0;
    const Ns length = hasLength ? dur->integers[*row] : session()->visibleRange().duration();
    const Ns margin = hasLength ? length / 10 : 0;
    const Ns begin = saturatedSum(ts->integers[*row], hasLength ? 0 : -length / 2);
    session()->goTo({saturatedSum(begin, -margin), saturatedSum(saturatedSum(begin, length), margin)});
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
