// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>

namespace riffle::collector {

/// The strings of one file of the log. Each gets an id when it first occurs; id 0 is the empty string.
class TextTable {
public:
    /// The id of a text. Sets `isNew` if the string must be written before the id is used.
    uint32_t idOf(std::string_view text, bool &isNew)
    {
        isNew = false;
        if (text.empty())
            return 0;
        if (const auto found = m_ids.find(text); found != m_ids.end())
            return found->second;
        isNew = true;
        m_texts.emplace_back(text);
        m_bytes += text.size() + 64;
        return m_ids.emplace(m_texts.back(), static_cast<uint32_t>(m_texts.size())).first->second;
    }
    size_t bytes() const { return m_bytes; } ///< approximate memory use
    void clear()
    {
        m_ids.clear();
        m_texts.clear();
        m_bytes = 0;
    }

private:
    std::deque<std::string> m_texts;
    std::unordered_map<std::string_view, uint32_t> m_ids;
    size_t m_bytes = 0;
};

} // namespace riffle::collector
