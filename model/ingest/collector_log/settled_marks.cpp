// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/collector_log/settled_marks.h"

#include <algorithm>

namespace riffle {

using wire::ChunkType;
using wire::Field;

void SettledMarks::add(ChunkType type, const ChunkColumns &columns, const PartTables &tables)
{
    if (type == ChunkType::End)
        m_threads = m_cuda = kEverything;
    if (type != ChunkType::Settled)
        return;
    // All rows of a chunk are of the same moment.
    bool hasThreads = false;
    m_isCudaRecorded = false;
    for (uint32_t row = 0; row < columns.rows(); ++row) {
        const std::string_view source = tables.text(columns.value(Field::Category, row)).text;
        const int64_t time = columns.value(Field::Time, row);
        if (time < kEarliestTime || time > kLatestTime)
            continue; // absent or absurd
        if (source == wire::kThreadSource) {
            m_threads = std::max(m_threads, time);
            hasThreads = true;
        } else if (source == wire::kCudaSource) {
            m_cuda = std::max(m_cuda, time);
            m_isCudaRecorded = true;
        }
    }
    if (hasThreads && !m_isCudaRecorded)
        m_cuda = std::max(m_cuda, m_threads);
}

Ns SettledMarks::of(LaneKind kind) const
{
    switch (kind) {
    case LaneKind::Stream: return m_cuda;
    case LaneKind::Thread: return std::min(m_threads, m_cuda);
    case LaneKind::Async:
    case LaneKind::Counter: return m_threads;
    }
    return kNothing;
}

} // namespace riffle
