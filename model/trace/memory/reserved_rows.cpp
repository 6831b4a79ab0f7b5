// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/trace/memory/reserved_rows.h"

#include "model/base/seeded_hash.h"
#include "model/trace/trace.h"

namespace riffle {

BigVector<uint8_t> reservedRows(const Trace &trace)
{
    // Only the category shows it. It is recorded in the table of instants, where the event has the same source offset.
    SeededSet<uint64_t> offsets;
    for (size_t at = 0; at < trace.instants.time.size(); ++at)
        if (trace.string(trace.instants.category[at]).starts_with("Reserved"))
            offsets.insert(trace.instants.sourceOffset[at]);
    BigVector<uint8_t> reserved(trace.memory.time.size(), 0);
    for (size_t row = 0; row < reserved.size() && !offsets.empty(); ++row)
        reserved[row] = offsets.contains(trace.memory.sourceOffset[row]);
    return reserved;
}

} // namespace riffle
