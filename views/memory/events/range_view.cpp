// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/memory/events/range_view.h"

#include "model/analysis/memory/alive/memory_range.h"
#include "views/common/look/chip_bar.h"
#include "views/common/session/session.h"
#include "views/common/table/summary_table.h"

#include <QVBoxLayout>

namespace riffle {

RangeView::RangeView(Session *session, QWidget *parent)
    : MemoryView(session->memory(), MemorySession::Snapshots | MemorySession::Place | MemorySession::Range, parent)
    , m_table(new SummaryTable(session, this))
    , m_badge(new Chip(tr("Follows: range"), tr("Click to show the whole history."), this))
    , m_jobs(this)
{
    m_badge->setAccessibleName(m_badge->text());
    m_badge->hide();
    m_table->addBadge(m_badge);
    connect(m_badge, &Chip::clicked, this, [this] { this->memory()->setRange(std::nullopt); });
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_table);
    setFocusProxy(m_table);
    connect(m_table, &SummaryTable::exportRequested, this, &RangeView::exportRequested);
}

void RangeView::refresh(MemorySession::Changes)
{
    const QString key = QStringLiteral("range");
    m_badge->setVisible(memory()->range().has_value());
    const DeviceReplay *device = memory()->device();
    if (!device || device->events == 0) {
        m_jobs.cancel(key);
        ResultTable nothing;
        nothing.setEmpty(memory()->historyState());
        m_table->setTable(std::move(nothing));
        return;
    }
    const auto range = memory()->range().value_or(
        MemorySession::EventRange{device->firstEvent, device->firstEvent + device->events - 1});
    m_jobs.run(
        key,
        [facts = memory()->facts(), at = static_cast<uint32_t>(memory()->place().device), range](std::stop_token stop) {
            return memoryOfRange(*facts, at, range.first, range.last, Task{std::move(stop), nullptr});
        },
        [this](ResultTable table) { m_table->setTable(std::move(table)); });
}

} // namespace riffle
