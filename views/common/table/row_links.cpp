// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/common/table/row_links.h"

#include "views/common/session/filter_actions.h"

namespace riffle {

std::optional<uint32_t> RowLinks::rowOf(SliceRef slice) const
{
    return known() && slice.valid() ? m_table->slices->rowOf(slice) : std::nullopt;
}

SliceRef RowLinks::evidence(uint32_t row) const
{
    if (row < m_table->evidence.size() && m_table->evidence[row].valid())
        return m_table->evidence[row];
    return known() ? m_table->slices->neighbour(m_session->traces(), row, {}, 1) : SliceRef{};
}

void RowLinks::jump(uint32_t row) const { m_session->pane()->reveal(evidence(row)); }

void RowLinks::addFilters(QMenu *menu, uint32_t row) const { addFilterActions(menu, m_session, evidence(row)); }

void RowLinks::step(uint32_t row, int direction) const
{
    if (known())
        m_session->pane()->reveal(
            m_table->slices->neighbour(m_session->traces(), row, m_session->selected(), direction));
}

void RowLinks::highlight(uint32_t row) const
{
    if (!known())
        return;
    auto slices = m_table->slices->idsOf(row);
    if (slices == m_session->highlightedSlices())
        slices.clear();
    m_session->setHighlightedSlices(std::move(slices));
}

} // namespace riffle
