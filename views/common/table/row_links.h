// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/table/result_table.h"
#include "views/common/session/session.h"

#include <memory>
#include <optional>

class QMenu;

namespace riffle {

/// Links the rows of a table to their slices in the timeline, and back.
class RowLinks {
public:
    explicit RowLinks(Session *session) : m_session(session) {}

    void setTable(std::shared_ptr<const ResultTable> table) { m_table = std::move(table); }
    bool known() const { return m_table && m_table->slices; } ///< true if all slices of each row are known
    std::optional<uint32_t> rowOf(SliceRef slice) const;
    /// Selects the row's evidence (the slice that the table names for it), or its first slice if it has none, and
    /// brings it into view.
    void jump(uint32_t row) const;
    /// Goes to the row's next (1) or previous (-1) slice relative to the selected one.
    void step(uint32_t row, int direction) const;
    /// Emphasises all slices of the row; a second call removes the emphasis.
    void highlight(uint32_t row) const;
    /// Offers filters for the row's evidence, or for its first slice if it has none.
    void addFilters(QMenu *menu, uint32_t row) const;

private:
    SliceRef evidence(uint32_t row) const;

    Session *m_session;
    std::shared_ptr<const ResultTable> m_table;
};

} // namespace riffle
