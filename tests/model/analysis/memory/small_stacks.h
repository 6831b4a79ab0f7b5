// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/memory/memory_snapshot.h"

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace riffle::test {

/// Adds stacks to a snapshot that was built by hand. Frames are {name, file, line}, the innermost first.
class SmallStacks {
public:
    struct Frame {
        std::string name, file;
        int32_t line = 0;
        auto operator<=>(const Frame &) const = default;
    };

    SmallStacks() { string(""); }
    /// Adds a stack and returns its number; 0 is the stack without frames.
    uint32_t add(const std::vector<Frame> &frames)
    {
        for (const Frame &frame : frames) {
            const auto [known, isNew] = m_known.try_emplace(frame, static_cast<uint32_t>(m_frames.size()));
            if (isNew)
                m_frames.push_back({string(frame.name), string(frame.file), frame.line, {}});
            m_stackFrames.push_back(known->second);
        }
        m_begins.push_back(static_cast<uint32_t>(m_stackFrames.size()));
        return static_cast<uint32_t>(m_begins.size() - 2);
    }
    uint32_t string(const std::string &text)
    {
        const auto [known, isNew] = m_strings.try_emplace(text, static_cast<uint32_t>(m_strings.size()));
        if (isNew) {
            m_bytes.insert(m_bytes.end(), text.begin(), text.end());
            m_stringBegins.push_back(m_bytes.size());
        }
        return known->second;
    }
    /// Gives the stacks to a snapshot. `ofEvents` is the stack of each event.
    void give(MemorySnapshot &snapshot, std::vector<uint32_t> ofEvents)
    {
        snapshot.frames = column(m_frames);
        snapshot.stacks.begin = column(m_begins);
        snapshot.stacks.frames = column(m_stackFrames);
        snapshot.strings.bytes = column(m_bytes);
        snapshot.strings.begins = column(m_stringBegins);
        snapshot.events.stack = column(std::move(ofEvents));
    }
    template <typename T>
    static Column<T> column(std::vector<T> values)
    {
        const auto owner = std::make_shared<std::vector<T>>(std::move(values));
        return Column<T>(owner, owner->data(), owner->size());
    }

private:
    std::vector<MemoryFrame> m_frames;
    std::vector<uint32_t> m_begins{0, 0}, m_stackFrames;
    std::vector<char> m_bytes;
    std::vector<uint64_t> m_stringBegins{0};
    std::map<Frame, uint32_t> m_known;
    std::map<std::string, uint32_t> m_strings;
};

} // namespace riffle::test
