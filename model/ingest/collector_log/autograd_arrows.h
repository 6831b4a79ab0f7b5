// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/ingest/collector_log/log_index.h"
#include "model/ingest/collector_log/part_tables.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

namespace riffle {

/// Finds the arrows from operators to their backward nodes, as Kineto writes them: from the last operator with a
/// sequence number to the call of the node with this number. Operators come in the order of a log: a range follows
/// those inside it.
class AutogradArrows {
public:
    /// Appends the arrows that the rows of a chunk of ranges complete, each end after a comma.
    void append(std::string &out, const LogIndex &index, const PartTables &tables, const ChunkColumns &columns);

private:
    struct Call {
        int64_t start = wire::kAbsent, thread = 0;
        size_t name = 0; ///< hash
    };
    /// The operators and nodes with one sequence number, so far.
    struct Ends {
        Call forward, last;
        bool waits = false; ///< `last` is a node whose operator has not come: another thread's rows are still to come
    };
    void arrow(std::string &out, int64_t pid, const Call &from, const Call &to);

    std::unordered_map<int64_t, Ends> m_ends; ///< by sequence number
    int64_t m_latest = 0;                     ///< the highest sequence number so far
    int64_t m_arrows = 0;
};

} // namespace riffle
