// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/memory/alive/alive_view.h"

#include "model/analysis/memory/categories/memory_categories.h"
#include "model/base/format.h"
#include "model/base/ids.h"
#include "views/common/chart/icicle_chart.h"
#include "views/common/chart/sunburst_chart.h"
#include "views/common/look/qt_text.h"
#include "views/common/session/session.h"
#include "views/common/table/summary_table.h"
#include "views/common/table/table_split.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QScopedValueRollback>
#include <QSplitter>
#include <QTabWidget>
#include <QVBoxLayout>

#include <algorithm>

namespace riffle {

AliveView::AliveView(Session *session, QWidget *parent)
    : MemoryView(session->memory(),
                 MemorySession::Changes(MemorySession::Snapshots | MemorySession::Place | MemorySession::Instant |
                                        MemorySession::Selection | MemorySession::Rules),
                 parent)
    , m_table(new SummaryTable(session, this))
    , m_icicle(new IcicleChart(this))
    , m_sunburst(new SunburstChart(this))
    , m_pictures(new QTabWidget(this))
    , m_groupings(new QComboBox(this))
    , m_said(new QLabel(this))
{
    for (const auto &[name, by] :
         {std::pair(tr("by stack"), MemoryGrouping::Stack), std::pair(tr("by place"), MemoryGrouping::Place),
          std::pair(tr("by module"), MemoryGrouping::Module), std::pair(tr("by operator"), MemoryGrouping::Operator),
          std::pair(tr("by category"), MemoryGrouping::Category), std::pair(tr("by stream"), MemoryGrouping::Stream),
          std::pair(tr("by pool"), MemoryGrouping::Pool), std::pair(tr("by size"), MemoryGrouping::Size),
          std::pair(tr("by metadata"), MemoryGrouping::Metadata)})
        m_groupings->addItem(name, static_cast<int>(by));
    m_groupings->setToolTip(tr("How allocations are grouped"));
    m_said->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_icicle->setAccessibleName(tr("Alive memory as an icicle"));
    m_pictures->setDocumentMode(true);
    m_pictures->addTab(m_icicle, tr("Icicle"));
    m_pictures->addTab(m_sunburst, tr("Sunburst"));
    auto *bar = new QHBoxLayout;
    bar->setContentsMargins(6, 3, 6, 3);
    bar->addWidget(m_groupings);
    bar->addSpacing(6);
    bar->addWidget(m_said, 1);
    auto *split = new QSplitter(Qt::Horizontal, this);
    split->setChildrenCollapsible(false);
    split->addWidget(m_table);
    split->addWidget(m_pictures);
    new TableSplit(split, m_table);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(bar);
    layout->addWidget(split, 1);

    connect(m_groupings, &QComboBox::currentIndexChanged, this, [this] { markDirty(MemorySession::Instant); });
    connect(m_table, &SummaryTable::currentRowChanged, this, [this] { goTo(m_table->currentRow().value_or(kNoRow)); });
    connect(m_icicle, &IcicleChart::currentChanged, this, &AliveView::goTo);
    connect(m_sunburst, &SunburstChart::currentChanged, this, &AliveView::goTo);
    connect(m_table, &SummaryTable::helpWanted, this, [this](const EmptyState &state) {
        if (state.action == EmptyAction::GoToPeak && this->memory()->device())
            this->memory()->setInstant(this->memory()->device()->peakAllocatedEvent);
    });
    connect(m_table, &SummaryTable::exportRequested, this, &AliveView::exportRequested);
    connect(m_sunburst, &SunburstChart::exportRequested, this, &AliveView::fileExportRequested);
    connect(m_icicle, &IcicleChart::exportRequested, this, &AliveView::fileExportRequested);
}

AliveView::~AliveView() = default;

QString AliveView::said() const { return m_said->text(); }

void AliveView::setGrouping(MemoryGrouping by)
{
    m_groupings->setCurrentIndex(m_groupings->findData(static_cast<int>(by)));
}

void AliveView::refresh(MemorySession::Changes changes)
{
    if (changes & (MemorySession::Snapshots | MemorySession::Place | MemorySession::Instant | MemorySession::Rules))
        ask();
    else if (m_jobs.idle())
        showSelected();
}

/// `asked` contains the facts and rules, and the categories if they are known.
AliveView::Answer AliveView::answerTo(Answer asked, uint32_t device, uint32_t event, MemoryGrouping by)
{
    const SnapshotFacts &facts = *asked.facts;
    if (by == MemoryGrouping::Category && !asked.categories)
        asked.categories = std::make_shared<const MemoryCategories>(facts, *asked.rules);
    asked.instant = memoryInstant(facts, device, event);
    asked.tree = groupMemory(facts, {&asked.instant, 1}, by, asked.categories.get());
    asked.table = memoryTreeTable(asked.tree, by);
    asked.said = describeInstant(facts, device, event);
    return asked;
}

void AliveView::ask()
{
    const QString key = QStringLiteral("alive");
    auto facts = memory()->facts();
    if (!facts || !memory()->device()) {
        m_jobs.cancel(key);
        Answer none;
        none.table.setEmpty(memory()->emptyState());
        take(std::move(none));
        return;
    }
    const auto by = static_cast<MemoryGrouping>(m_groupings->currentData().toInt());
    const auto device = static_cast<uint32_t>(memory()->place().device);
    Answer asked;
    asked.facts = std::move(facts);
    asked.rules = memory()->rules();
    if (asked.facts == m_answer.facts && asked.rules == m_answer.rules)
        asked.categories = m_answer.categories;
    m_jobs.run(
        key,
        [asked = std::move(asked), device, event = memory()->instant(), by,
         guessed = tr(" Guessed by %1.").arg(memory()->rulesName())](std::stop_token) {
            Answer answer = answerTo(asked, device, event, by);
            if (by == MemoryGrouping::Category)
                answer.said += toUtf8(guessed);
            return answer;
        },
        [this](Answer answer) { take(std::move(answer)); });
}

void AliveView::take(Answer answer)
{
    const QScopedValueRollback following(m_following, true);
    m_answer = std::move(answer);
    m_said->setText(toQString(m_answer.said));
    m_said->setToolTip(m_said->text());
    const IcicleTree tree(m_answer.tree.bytes, m_answer.tree.depth);
    const std::vector<std::string> &names = m_answer.tree.names;
    std::vector<std::string> shown = m_answer.tree.shorts;
    shown.resize(names.size());
    for (size_t node = 0; node < names.size(); ++node)
        if (shown[node].empty())
            shown[node] = names[node];
    m_icicle->setTree(tree, shown, CellKind::Bytes);
    m_sunburst->setTree(tree, std::move(shown), tr("Alive memory %1").arg(m_groupings->currentText()), exactBytesText);
    if (m_answer.table.rows() == 0 && m_answer.table.empty.reason == EmptyReason::None)
        m_answer.table.setEmpty({EmptyReason::NoneOccurred, m_answer.table.absence, EmptyAction::GoToPeak, {}, 0});
    m_table->setTable(std::move(m_answer.table));
    showSelected();
}

/// Shows the node in all parts.
void AliveView::goTo(uint32_t node)
{
    if (m_following || node >= m_answer.tree.size())
        return;
    const QScopedValueRollback following(m_following, true);
    const QObject *from = sender();
    if (from != m_table && m_table->currentRow() != node)
        m_table->setCurrentRow(node);
    if (from != m_icicle)
        m_icicle->setCurrent(node);
    if (from != m_sunburst)
        m_sunburst->setCurrent(node);
    selectLargest(node);
}

void AliveView::selectLargest(uint32_t node)
{
    const auto device = static_cast<uint32_t>(memory()->place().device);
    if (memory()->facts() != m_answer.facts || device != m_answer.instant.device || !memory()->device())
        return;
    const MemoryAllocations &allocations = memory()->device()->allocations;
    const uint32_t end = m_answer.tree.end(node);
    uint32_t largest = kNoRow;
    int64_t most = 0;
    for (size_t at = 0; at < m_answer.instant.rows.size(); ++at) {
        const uint32_t leaf = m_answer.tree.leaves[at], row = m_answer.instant.rows[at];
        if (leaf < node || leaf >= end)
            continue;
        const int64_t size = allocations.size(m_answer.facts->snapshot(), row);
        if (largest == kNoRow || size > most) {
            largest = row;
            most = size;
        }
    }
    if (largest != kNoRow)
        memory()->select(largest);
}

void AliveView::showSelected()
{
    const uint32_t selected = memory()->selected();
    const auto &rows = m_answer.instant.rows;
    const auto found = std::lower_bound(rows.begin(), rows.end(), selected);
    if (selected == MemorySession::kNone || found == rows.end() || *found != selected ||
        memory()->facts() != m_answer.facts)
        return;
    const uint32_t leaf = m_answer.tree.leaves[static_cast<size_t>(found - rows.begin())];
    // If the current node already contains the allocation, it stays.
    if (const auto current = m_table->currentRow();
        current && *current < m_answer.tree.size() && leaf >= *current && leaf < m_answer.tree.end(*current))
        return;
    const QScopedValueRollback following(m_following, true);
    m_table->setCurrentRow(leaf);
    m_icicle->setCurrent(leaf);
    m_sunburst->setCurrent(leaf);
}

} // namespace riffle
