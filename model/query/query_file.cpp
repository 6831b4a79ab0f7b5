// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/query/query_file.h"

#include <algorithm>
#include <numeric>

namespace riffle {

const std::vector<uint32_t> &QueryFile::sortedStrings() const
{
    if (m_sorted.empty()) {
        m_sorted.resize(stringCount());
        std::iota(m_sorted.begin(), m_sorted.end(), 0u);
        std::sort(m_sorted.begin(), m_sorted.end(),
                  [this](uint32_t left, uint32_t right) { return string(left) < string(right); });
    }
    return m_sorted;
}

std::optional<uint32_t> QueryFile::stringId(std::string_view text) const
{
    const std::vector<uint32_t> &sorted = sortedStrings();
    const auto found = std::lower_bound(sorted.begin(), sorted.end(), text,
                                        [this](uint32_t id, std::string_view wanted) { return string(id) < wanted; });
    if (found == sorted.end() || string(*found) != text)
        return std::nullopt;
    return *found;
}

} // namespace riffle
