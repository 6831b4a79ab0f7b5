// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/summary/summary_side.h"

#include "model/analysis/facts/slice_reader.h"
#include "model/analysis/table/table_text.h"
#include "views/common/chart/bar_chart.h"
#include "views/common/chart/histogram_chart.h"
#include "views/common/chart/icicle_chart.h"
#include "views/common/look/qt_text.h"
#include "views/common/table/summary_table.h"
#include "views/summary/figures.h"
#include "views/summary/stack_pane.h"

#include <QTextBrowser>

#include <algorithm>

namespace riffle {

namespace {

/// The durations of a row's slices in ns.
std::vector<int64_t> durationsOf(const TraceSet &traces, const RowSlices &slices, uint32_t row,
                                 const std::stop_token &stop)
{
    std::vector<int64_t> durations;
    const PerTrace<BigVector<uint32_t>> ids = slices.idsOf(row);
    for (const LoadedTrace &member : traces.loaded()) {
        SliceReader reader(*member.trace);
        for (const uint32_t slice : ids[member.id])
            if (stop.stop_requested())
                return {};
            else if (reader.seek(slice))
                durations.push_back(reader.duration());
    }
    return durations;
}

bool anyTime(const ResultColumn *column)
{
    return column &&
           std::any_of(column->integers.begin(), column->integers.end(), [](int64_t time) { return time > 0; });
}

} // namespace

SummarySide::SummarySide(Session *session, SummaryTable *table, QWidget *parent)
    : QStackedWidget(parent)
    , m_session(session)
    , m_table(table)
    , m_steps(new BarChart(this))
    , m_durations(new HistogramChart(this))
    , m_tree(new IcicleChart(this))
    , m_sentences(new QTextBrowser(this))
    , m_stack(new StackPane(session, this))
    , m_jobs(this)
{
    for (QWidget *page : std::initializer_list<QWidget *>{m_steps, m_durations, m_tree, m_sentences, m_stack})
        addWidget(page);
    m_sentences->setFrameShape(QFrame::NoFrame);
    m_sentences->setAccessibleName(tr("Details of the current row"));
    m_durations->setLogarithmic(true);
    connect(m_steps, &Chart::currentItemChanged, this, [this](int step) {
        if (step >= 0)
            m_table->setCurrentRow(static_cast<uint32_t>(step));
    });
    connect(m_steps, &Chart::chosen, m_table, &SummaryTable::jump);
    connect(m_tree, &IcicleChart::currentChanged, m_table, &SummaryTable::setCurrentRow);
    connect(m_tree, &IcicleChart::activated, m_table, &SummaryTable::jump);
    connect(m_table, &SummaryTable::currentRowChanged, this, &SummarySide::followTable);
    hide();
}

void SummarySide::refresh()
{
    const ResultTable &table = m_table->table();
    const bool isSteps = table.view == "steps", isTree = !table.depth.empty() && table.column("host_total_ns");
    const bool isKernels = table.view == "kernels" && table.slices;
    const bool hasSentences = std::any_of(table.columns.begin(), table.columns.end(),
                                          [](const ResultColumn &column) { return column.prose; });
    const bool isAllocations = table.view == "memory-events" && !table.evidence.empty();
    if (table.rows() == 0 || !(isSteps || isTree || isKernels || hasSentences || isAllocations)) {
        m_jobs.cancel(QStringLiteral("durations"));
        hide();
        return;
    }
    if (isSteps) {
        setStepBars(m_steps, table);
        setCurrentWidget(m_steps);
    } else if (isTree) {
        showTree();
    } else if (isKernels) {
        showDurations();
    } else if (isAllocations) {
        showStack();
    } else {
        showSentences();
    }
    show();
    followTable();
}

void SummarySide::showTree()
{
    const ResultTable &table = m_table->table();
    const ResultColumn *device = table.column("device_total_ns");
    const bool onDevice = anyTime(device);
    const ResultColumn &values = onDevice ? *device : *table.column("host_total_ns");
    std::vector<std::string> names = table.column("name")->texts;
    for (std::string &name : names)
        if (name.starts_with("nn.Module: "))
            name.erase(0, 11);
    m_tree->setAccessibleName(onDevice ? tr("Time on the device") : tr("Time on the host"));
    m_tree->setTree(IcicleTree(values.integers, table.depth), std::move(names), CellKind::Time);
    setCurrentWidget(m_tree);
}

void SummarySide::showDurations()
{
    const uint32_t row = m_table->currentRow().value_or(0);
    const ResultTable &table = m_table->table();
    const ResultColumn *name = table.column("name");
    if (!name || !table.slices || row >= table.rows())
        return;
    setCurrentWidget(m_durations);
    m_durations->setTitle(
        tr("Durations of %1")
            .arg(toQString(name->shorts.empty() || name->absent(row) ? cellText(*name, row) : name->shorts[row])));
    m_jobs.run(
        QStringLiteral("durations"),
        [traces = m_session->traces(), slices = table.slices, row](std::stop_token stop) {
            return durationsOf(traces, *slices, row, stop);
        },
        [this](std::vector<int64_t> durations) { m_durations->setValues(std::move(durations), CellKind::Time); });
}

void SummarySide::showSentences()
{
    const uint32_t row = m_table->currentRow().value_or(0);
    const ResultTable &table = m_table->table();
    if (row >= table.rows())
        return;
    setCurrentWidget(m_sentences);
    QString html;
    if (const ResultColumn *title = table.column("title"))
        html += QStringLiteral("<p><b>%1</b></p>").arg(toQString(title->texts[row]).toHtmlEscaped());
    for (const ResultColumn &column : table.columns)
        if (column.prose && !column.absent(row))
            html += QStringLiteral("<p>%1<br>%2</p>")
                        .arg(toQString(column.title).toHtmlEscaped() + QLatin1Char(':'),
                             toQString(column.texts[row]).toHtmlEscaped());
    m_sentences->setHtml(html);
}

void SummarySide::showStack()
{
    const uint32_t row = m_table->currentRow().value_or(0);
    const std::vector<SliceRef> &evidence = m_table->table().evidence;
    setCurrentWidget(m_stack);
    m_stack->showAround(row < evidence.size() ? evidence[row] : SliceRef{});
}

void SummarySide::followTable()
{
    const auto row = m_table->currentRow();
    if (isHidden())
        return;
    if (currentWidget() == m_durations)
        showDurations();
    else if (currentWidget() == m_sentences)
        showSentences();
    else if (currentWidget() == m_stack)
        showStack();
    else if (currentWidget() == m_steps)
        m_steps->setCurrentItem(row ? static_cast<int>(*row) : -1);
    else if (row)
        m_tree->setCurrent(*row);
}

} // namespace riffle
