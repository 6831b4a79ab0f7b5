// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/table/result_table.h"

#include <cstddef>

class QAbstractItemView;

namespace riffle {

/// The rows of a list or tree as a table of texts, with the columns that are shown.
struct ItemRows {
    ResultTable table;
    size_t left = 0; ///< rows that are not in the table
};

/// The selected rows if there are several, otherwise those that are unfolded; at most this many.
ItemRows itemRows(const QAbstractItemView &view, size_t most);

} // namespace riffle
