// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/memory/alive/difference_view.h"

#include "model/analysis/memory/alive/memory_diff.h"
#include "model/analysis/memory/categories/memory_categories.h"
#include "views/common/look/qt_text.h"
#include "views/common/session/session.h"
#include "views/common/table/summary_table.h"

#include <QComboBox>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>

namespace riffle {

DifferenceView::DifferenceView(Session *session, QWidget *parent)
    : MemoryView(session->memory(),
                 MemorySession::Snapshots | MemorySession::Place | MemorySession::Instant | MemorySession::Rules,
                 parent)
    , m_table(new SummaryTable(session, this))
    , m_groupings(new QComboBox(this))
    , m_keep(new QPushButton(tr("Compare with this instant"), this))
    , m_said(new QLabel(this))
{
    for (const auto &[name, by] :
         {std::pair(tr("by place"), MemoryGrouping::Place), std::pair(tr("by stack"), MemoryGrouping::Stack),
          std::pair(tr("by category"), MemoryGrouping::Category), std::pair(tr("by module"), MemoryGrouping::Module),
          std::pair(tr("by operator"), MemoryGrouping::Operator), std::pair(tr("by stream"), MemoryGrouping::Stream),
          std::pair(tr("by pool"), MemoryGrouping::Pool), std::pair(tr("by size"), MemoryGrouping::Size),
          std::pair(tr("by metadata"), MemoryGrouping::Metadata)})
        m_groupings->addItem(name, static_cast<int>(by));
    m_groupings->setToolTip(tr("How allocations are grouped"));
    m_keep->setToolTip(tr("Keep the current instant: the memory that is alive at other instants is compared with "
                          "it, in this snapshot and in others that are open"));
    m_said->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    auto *bar = new QHBoxLayout;
    bar->setContentsMargins(6, 3, 6, 3);
    bar->addWidget(m_groupings);
    bar->addWidget(m_keep);
    bar->addSpacing(6);
    bar->addWidget(m_said, 1);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(bar);
    layout->addWidget(m_table, 1);
    connect(m_groupings, &QComboBox::currentIndexChanged, this, [this] { markDirty(MemorySession::Instant); });
    connect(m_keep, &QPushButton::clicked, this, &DifferenceView::keepInstant);
    connect(m_table, &SummaryTable::exportRequested, this, &DifferenceView::exportRequested);
}

DifferenceView::~DifferenceView() = default;

QString DifferenceView::said() const { return m_said->text(); }

void DifferenceView::keepInstant()
{
    m_kept = looked();
    markDirty(MemorySession::Instant);
}

std::optional<DifferenceView::Side> DifferenceView::looked() const
{
    if (!memory()->device())
        return std::nullopt;
    return Side{memory()->facts(), static_cast<uint32_t>(memory()->place().device), memory()->instant(), nullptr,
                nullptr};
}

std::optional<DifferenceView::Side> DifferenceView::before() const
{
    if (m_kept)
        return m_kept;
    std::optional<Side> side = looked();
    const auto &snapshots = memory()->snapshots();
    if (!side || snapshots.size() == 1) {
        if (side)
            side->event = MemorySession::kNone;
        return side;
    }
    const auto &devices = snapshots.front()->replay().devices;
    if (devices.empty())
        return std::nullopt;
    const uint32_t device = std::min(side->device, static_cast<uint32_t>(devices.size() - 1));
    return Side{snapshots.front(), device, devices[device].peakAllocatedEvent, nullptr, nullptr};
}

MemoryTree DifferenceView::Side::tree(MemoryGrouping by)
{
    if (by == MemoryGrouping::Category && !categories)
        categories = std::make_shared<const MemoryCategories>(*facts, *rules);
    const MemoryInstant instant = memoryInstant(*facts, device, event);
    return groupMemory(*facts, {&instant, 1}, by, categories.get());
}

std::string DifferenceView::Side::said(bool named) const
{
    const std::string file =
        named ? toUtf8(QFileInfo(toQString(facts->snapshot().path)).fileName()) + ": " : std::string();
    return file + describeInstant(*facts, device, event);
}

DifferenceView::Answer DifferenceView::answerTo(Side before, Side after, MemoryGrouping by)
{
    if (before.facts == after.facts && !after.categories)
        after.categories = before.categories;
    Answer answer;
    const MemoryTree first = before.tree(by);
    if (before.facts == after.facts)
        after.categories = before.categories;
    answer.table = memoryDifferenceTable(memoryDifference(first, after.tree(by), by), by);
    const bool named = before.facts != after.facts;
    answer.said = before.said(named) + "\n" + after.said(named);
    answer.before = std::move(before);
    answer.after = std::move(after);
    return answer;
}

void DifferenceView::keepCategories(Side &side) const
{
    side.rules = memory()->rules();
    side.categories = nullptr;
    for (const Side *last : {&m_lastBefore, &m_lastAfter})
        if (last->facts == side.facts && last->rules == side.rules && last->categories)
            side.categories = last->categories;
}

void DifferenceView::refresh(MemorySession::Changes changes)
{
    if (changes & MemorySession::Snapshots) {
        const auto &open = memory()->snapshots();
        if (m_kept && std::find(open.begin(), open.end(), m_kept->facts) == open.end())
            m_kept.reset();
        m_lastBefore = m_lastAfter = {};
    }
    const QString key = QStringLiteral("difference");
    std::optional<Side> from = before(), to = looked();
    m_keep->setEnabled(to.has_value());
    if (!from || !to) {
        m_jobs.cancel(key);
        ResultTable nothing;
        nothing.setEmpty(memory()->emptyState());
        m_table->setTable(std::move(nothing));
        m_said->clear();
        return;
    }
    keepCategories(*from);
    keepCategories(*to);
    const auto by = static_cast<MemoryGrouping>(m_groupings->currentData().toInt());
    const QString guessed =
        by == MemoryGrouping::Category ? tr(" Guessed by %1.").arg(memory()->rulesName()) : QString();
    m_jobs.run(
        key, [from = std::move(*from), to = std::move(*to), by](std::stop_token) { return answerTo(from, to, by); },
        [this, guessed](Answer answer) {
            m_table->setTable(std::move(answer.table));
            m_said->setText(tr("From %1").arg(toQString(answer.said).replace(QLatin1Char('\n'), tr("\nto      "))) +
                            guessed);
            m_said->setToolTip(m_said->text());
            m_lastBefore = std::move(answer.before);
            m_lastAfter = std::move(answer.after);
        });
}

} // namespace riffle
