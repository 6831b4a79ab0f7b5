// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/query/virtual_table.h"

namespace riffle {

/// Makes every view of summaries known to a connection as summary_VIEW: the table that the view shows of everything,
/// made when a query first names it and kept. `source` must outlive the connection.
void addSummaries(sqlite3 *connection, QuerySource &source);

} // namespace riffle
