// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/growth/growing_column.h"
#include "model/trace/string_pool.h"

#include <cstdint>
#include <string_view>

namespace riffle {

/// The strings of a trace that grows, in the order of their first occurrence. Generations share them.
class GrowingStrings {
public:
    GrowingStrings()
    {
        m_begins.append(0);
        add({});
    }

    uint32_t intern(std::string_view text)
    {
        const uint32_t id = m_ids.intern(text, 0);
        if (id == m_begins.size() - 1)
            add(text);
        return id;
    }
    std::string_view text(uint32_t id) const { return m_ids.text(id); }
    StringTable table() const { return {m_bytes.column(), m_begins.column()}; }

private:
    void add(std::string_view text)
    {
        m_bytes.append(text.begin(), text.end());
        m_begins.append(m_bytes.size());
    }

    StringInterner m_ids; ///< the empty string has id 0
    GrowingColumn<char> m_bytes;
    GrowingColumn<uint64_t> m_begins;
};

} // namespace riffle
