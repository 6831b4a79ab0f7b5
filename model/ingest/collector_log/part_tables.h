// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/ingest/collector_log/collector_log.h"

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace riffle {

/// A string of a part.
struct LogText {
    std::string_view text;  ///< UTF-8
    uint32_t jsonBytes = 2; ///< as a JSON string literal
    bool known = true;      ///< false: the part does not hold a string with that id
};

/// What a thread's index stands for.
struct LogThread {
    int64_t osThread = 0;
    int64_t name = 0; ///< string id
};

/// The strings and threads of one part, which its other chunks name by number.
class PartTables {
public:
    PartTables(const CollectorLog &log, size_t part);

    const LogText &text(int64_t id) const
    {
        if (static_cast<uint64_t>(id) < m_texts.size())
            return m_texts[static_cast<size_t>(id)];
        return id == wire::kAbsent ? m_texts[0] : farText(id);
    }
    /// The number that the system gave the thread; without an entry its index.
    int64_t osThread(int64_t index) const
    {
        if (index == wire::kAbsent)
            return 0;
        const auto found = m_threads.find(index);
        return found == m_threads.end() ? index : found->second.osThread;
    }
    const std::unordered_map<int64_t, LogThread> &threads() const { return m_threads; }

private:
    /// Ids below are looked up in a list; the writer counts from 1.
    static constexpr size_t kDenseIds = 1 << 20;
    /// Bytes of strings that are kept of one part, 64 MiB of file inflated.
    static constexpr uint64_t kMaxTextBytes = 512ull << 20;

    const LogText &farText(int64_t id) const;
    void addTexts(ChunkReader &reader);
    void addText(int64_t id, std::string_view text);

    std::vector<LogText> m_texts;               ///< by id; 0 is the empty one
    std::unordered_map<int64_t, LogText> m_far; ///< ids beyond the list
    std::unordered_map<int64_t, LogThread> m_threads;
    std::deque<std::string> m_bytes; ///< what the texts lie in
    uint64_t m_byteCount = 0;
};

} // namespace riffle
