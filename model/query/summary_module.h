// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/query/virtual_table.h"

namespace riffle {

/// Registers every summary view with a connection as summary_VIEW: the table that the view shows for the whole set,
/// computed when a query first names it and then kept. `source` must outlive the connection.
void addSummaries(sqlite3 *connection, QuerySource &source);

} // namespace riffle
