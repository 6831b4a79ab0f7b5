// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/growing_array.h"
#include "model/trace/flight/nccl_inspector_log.h"
#include "model/trace/string_pool.h"

#include <simdjson.h>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace riffle {

/// Reads the lines of a log one by one. Throws std::bad_alloc beyond the budget.
class InspectorLines {
public:
    InspectorLines(NcclInspectorLog &log, MemoryBudget &budget);

    /// `offset` and `number` are the place of the line in the text; numbers count from 1.
    void read(std::string_view line, uint64_t offset, uint64_t number);
    /// Counts a line that cannot be read.
    void refuse(const char *what, uint64_t offset, uint64_t number);
    /// To be called after the last line: moves the calls into the log.
    void finish();
    bool hasRecords() const { return m_records > 0; }

private:
    using Object = simdjson::dom::object;

    uint32_t text(Object object, const char *key);
    bool readContext(Object record);
    void readStats(Object stats);
    void readCall(Object call, bool isP2p);
    void closeBatch();

    NcclInspectorLog &m_log;
    MemoryBudget &m_budget;
    simdjson::dom::parser m_parser;
    std::string m_padded; ///< scratch
    StringInterner m_texts;
    uint64_t m_textCost = 0;
    GrowingArray<InspectorCall> m_calls;
    std::map<std::string, uint32_t> m_communicators; ///< by id, host and process
    uint32_t m_current = 0;
    bool m_hasCurrent = false;
    bool m_isBatch = false; ///< records need no header of their own while m_left is not 0
    uint64_t m_left = 0;
    uint64_t m_records = 0;
};

} // namespace riffle
