// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sqlite3.h>

namespace riffle {

/// The functions that SQLite calls for a read-only virtual table that needs no CREATE VIRTUAL TABLE, so it has no
/// xCreate.
struct ReadFunctions {
    decltype(sqlite3_module::xConnect) connect;
    decltype(sqlite3_module::xBestIndex) bestIndex;
    decltype(sqlite3_module::xDisconnect) disconnect;
    decltype(sqlite3_module::xOpen) open;
    decltype(sqlite3_module::xClose) close;
    decltype(sqlite3_module::xFilter) filter;
    decltype(sqlite3_module::xNext) next;
    decltype(sqlite3_module::xEof) atEnd;
    decltype(sqlite3_module::xColumn) column;
    decltype(sqlite3_module::xRowid) rowId;
};

inline sqlite3_module readOnlyModule(const ReadFunctions &functions)
{
    sqlite3_module module{};
    module.xConnect = functions.connect;
    module.xBestIndex = functions.bestIndex;
    module.xDisconnect = functions.disconnect;
    module.xOpen = functions.open;
    module.xClose = functions.close;
    module.xFilter = functions.filter;
    module.xNext = functions.next;
    module.xEof = functions.atEnd;
    module.xColumn = functions.column;
    module.xRowid = functions.rowId;
    return module;
}

} // namespace riffle
