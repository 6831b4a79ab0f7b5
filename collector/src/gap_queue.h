// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace riffle::collector {

/// The starts and ends of gaps that concern the whole process. Any thread adds them, and the drain thread writes them.
class GapQueue {
public:
    struct Change {
        std::string source, reason; ///< without a reason, the gap ends
        int64_t time;
    };

    void begins(std::string_view source, std::string_view reason, int64_t time) { add({source, reason, time}); }
    void ends(std::string_view source, int64_t time) { add({source, {}, time}); }
    /// Ends a gap that turned out not to be one.
    void withdraw(std::string_view source) { add({source, {}, INT64_MIN}); }
    std::vector<Change> take()
    {
        std::scoped_lock lock(m_mutex);
        return std::exchange(m_changes, {});
    }

private:
    struct Said {
        std::string_view source, reason;
        int64_t time;
    };
    void add(const Said &said)
    {
        std::scoped_lock lock(m_mutex);
        m_changes.push_back({std::string(said.source), std::string(said.reason), said.time});
    }

    std::mutex m_mutex;
    std::vector<Change> m_changes;
};

} // namespace riffle::collector
