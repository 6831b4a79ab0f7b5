// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/seeded_hash.h"
#include "model/ingest/collector_log/collector_log.h"
#include "model/ingest/collector_log/python_frames.h"

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace riffle {

/// A string of a part.
struct LogText {
    std::string_view text;  ///< UTF-8
    uint32_t jsonBytes = 2; ///< size as a JSON string literal, with its quotes
    bool known = true;      ///< false: the part does not contain a string with this id
};

/// A thread, to which rows refer by its index.
struct LogThread {
    int64_t osThread = 0; ///< of a lane with samples of a thread: its tid, which is kSampledTid more
    int64_t name = 0;     ///< string id
    int64_t sampledEvery = 0;
};

/// The strings, threads and Python frames of one part, to which its other chunks refer by number.
class PartTables {
public:
    /// The tables of a part of which nothing has been read yet.
    PartTables() : m_texts(1) {}
    /// Reads those of a whole part.
    PartTables(const CollectorLog &log, uint32_t part);

    /// True for chunks of which tables are made.
    static bool isTable(wire::ChunkType type);
    /// Adds a chunk of such a type, which the reader has read. Takes its payload. Call measureFrames() after the last
    /// one.
    void add(wire::ChunkType type, ChunkReader &reader);
    /// Computes the rooms of the Python frames that were added.
    void measureFrames();

    const LogText &text(int64_t id) const
    {
        if (static_cast<uint64_t>(id) < m_texts.size())
            return m_texts[static_cast<size_t>(id)];
        return id == wire::kAbsent ? m_texts[0] : farText(id);
    }
    /// Returns the operating system's id of a thread; the index itself if the part does not record the id.
    int64_t osThread(int64_t index) const
    {
        if (index == wire::kAbsent)
            return 0;
        const auto found = m_threads.find(index);
        return found == m_threads.end() ? index : found->second.osThread;
    }
    const std::map<int64_t, LogThread> &threads() const { return m_threads; }
    /// An upper bound for the bytes of a Python stack as a JSON string; 0 if there is no such stack.
    uint32_t stackRoom(int64_t id) const { return m_frames.empty() ? 0 : m_frames.room(id); }
    /// The text of a Python stack, as in the argument "Call stack" of Kineto; empty if there is no such stack.
    std::string stackText(int64_t id) const;

private:
    /// Ids below this are looked up in a list; the writer counts from 1.
    static constexpr size_t kDenseIds = 1 << 20;
    /// The maximum size of the strings that are kept for one part, in bytes. The file of a part has at most 64 MiB,
    /// compressed.
    static constexpr uint64_t kMaxTextBytes = 512ull << 20;

    const LogText &farText(int64_t id) const;
    void addTexts(ChunkReader &reader);
    void addThreads(const ChunkColumns &columns);
    void addText(int64_t id, std::string_view text);

    std::vector<LogText> m_texts;      ///< by id; 0 is the empty string
    SeededMap<int64_t, LogText> m_far; ///< ids beyond the list
    std::map<int64_t, LogThread> m_threads;
    PythonFrames m_frames;
    std::deque<std::string> m_bytes; ///< owns the bytes of the texts
    uint64_t m_byteCount = 0;
};

} // namespace riffle
