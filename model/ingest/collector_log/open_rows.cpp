// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/collector_log/open_rows.h"

#include <algorithm>
#include <cassert>

namespace riffle {

using wire::ChunkType;
using wire::Field;

OpenRows::OpenRows(ChunkType type) : m_type(type)
{
    assert(type == ChunkType::OpenRanges || type == ChunkType::OpenGaps);
}

ChunkType OpenRows::endType() const { return m_type == ChunkType::OpenRanges ? ChunkType::Ranges : ChunkType::Gaps; }

void OpenRows::open(const ChunkColumns &columns)
{
    m_open.clear();
    m_lastStart = INT64_MIN;
    const bool isGap = m_type == ChunkType::OpenGaps;
    for (uint32_t row = 0; row < columns.rows(); ++row) {
        const int64_t start = columns.value(Field::Start, row);
        std::vector<uint32_t> &rows =
            m_open[{columns.value(Field::Thread, row), start, isGap ? columns.value(Field::Category, row) : 0}];
        if (!isGap || rows.empty()) // a source has one gap at a time
            rows.push_back(row);
        m_lastStart = std::max(m_lastStart, start);
    }
}

void OpenRows::end(const ChunkColumns &columns)
{
    const bool isGap = m_type == ChunkType::OpenGaps;
    const int64_t *starts = columns.ints(Field::Start);
    for (uint32_t row = 0; starts && !m_open.empty() && row < columns.rows(); ++row) {
        if (starts[row] > m_lastStart)
            continue;
        const auto found = m_open.find(
            {columns.value(Field::Thread, row), starts[row], isGap ? columns.value(Field::Category, row) : 0});
        if (found == m_open.end())
            continue;
        found->second.pop_back(); // of ranges with the same start, the innermost, which is listed last, ends first
        if (found->second.empty())
            m_open.erase(found);
    }
}

std::vector<uint32_t> OpenRows::rows() const
{
    std::vector<uint32_t> rows;
    for (const auto &[key, ofKey] : m_open)
        rows.insert(rows.end(), ofKey.begin(), ofKey.end());
    std::ranges::sort(rows);
    return rows;
}

} // namespace riffle
