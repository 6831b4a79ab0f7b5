// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collector/src/sources/call_log.h"

#include <string>
#include <string_view>
#include <unordered_map>

namespace riffle::collector {

/// The names of Python calls by their ids, for the thread that writes the log.
class CallNames {
public:
    void add(uint32_t id, std::string_view name)
    {
        if (m_names.size() >= kMost) { // a program that makes code all the time
            m_older = std::move(m_names);
            m_names.clear();
            forgetCallNames();
        }
        m_names[id] = name;
    }
    std::string_view of(uint32_t id) const
    {
        for (const auto *names : {&m_names, &m_older})
            if (const auto found = names->find(id); found != names->end())
                return found->second;
        return "?";
    }

private:
    static constexpr size_t kMost = 1 << 16;
    std::unordered_map<uint32_t, std::string> m_names, m_older;
};

} // namespace riffle::collector
