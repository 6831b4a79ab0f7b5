// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/seeded_hash.h"
#include "model/ingest/collector_log/chunk_columns.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace riffle {

/// The frames of the Python stacks of one part: a tree, whose nodes ranges name as their stacks.
class PythonFrames {
public:
    /// The text with a string id.
    using Text = std::function<std::string_view(int64_t id)>;

    /// Adds the rows of a chunk. A row with the id of an earlier one counts as damage and is left out.
    void add(const ChunkColumns &columns);
    bool empty() const { return m_frames.empty(); }
    /// An upper bound for the bytes of a stack as a JSON string; needs measure() first.
    uint32_t room(int64_t id) const
    {
        const auto found = m_frames.find(id);
        return found == m_frames.end() ? 0 : found->second.room;
    }
    /// Computes the rooms of frames that have come since the last call. Their strings must be known.
    void measure(const Text &text);
    /// Appends a stack in Kineto's form: "file(line): function" for each frame, the innermost first, separated by ';'.
    void append(std::string &out, int64_t id, const Text &text) const;

private:
    struct Frame {
        int64_t parent = 0, name = 0, file = 0, line = 0;
        uint32_t room = 0;
    };
    /// The collector writes at most 257 frames per stack, with texts of at most 4096 bytes.
    static constexpr uint32_t kMostFrames = 300;
    static constexpr size_t kLongestText = 4096;
    static constexpr size_t kMost = 1 << 21; ///< frames per part
    static void appendFrame(std::string &out, const Frame &frame, const Text &text);

    SeededMap<int64_t, Frame> m_frames;
    std::vector<int64_t> m_unmeasured; ///< ids in the order in which they were added: parents come first
};

} // namespace riffle
