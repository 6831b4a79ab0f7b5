// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/collector_log/python_frames.h"

#include "model/base/quoted_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace riffle {

using wire::Field;

void PythonFrames::add(const ChunkColumns &columns)
{
    for (uint32_t row = 0; row < columns.rows() && m_frames.size() < kMost; ++row) {
        Frame frame;
        frame.parent = columns.value(Field::Parent, row);
        frame.name = columns.value(Field::Name, row);
        frame.file = columns.value(Field::File, row);
        frame.line = columns.value(Field::Line, row);
        // Parents come first, so that no stack can contain itself.
        if (m_frames.find(frame.parent) == m_frames.end())
            frame.parent = 0;
        if (const int64_t id = columns.value(Field::Id, row); id > 0 && m_frames.try_emplace(id, frame).second)
            m_unmeasured.push_back(id);
    }
}

void PythonFrames::appendFrame(std::string &out, const Frame &frame, const Text &text)
{
    const std::string_view name = text(frame.name).substr(0, kLongestText),
                           file = text(frame.file).substr(0, kLongestText);
    if (name.empty() && file.empty())
        fmt::format_to(std::back_inserter(out), "({} outer frames)", frame.line);
    else
        fmt::format_to(std::back_inserter(out), "{}({}): {}", file, frame.line, name);
}

void PythonFrames::measure(const Text &text)
{
    std::string one;
    for (const int64_t id : m_unmeasured) {
        Frame &frame = m_frames.find(id)->second;
        one.clear();
        appendFrame(one, frame, text);
        const auto parent = m_frames.find(frame.parent);
        const uint64_t around = parent == m_frames.end() ? 0 : parent->second.room;
        // Beyond the most frames, the outermost ones are left out of the text, and the bound is only higher.
        constexpr uint64_t kHighest = uint64_t{kMostFrames + 1} * (6 * (2 * kLongestText + 64));
        frame.room = static_cast<uint32_t>(std::min(around + jsonStringBytes(one) + 1, kHighest));
    }
    m_unmeasured.clear();
}

void PythonFrames::append(std::string &out, int64_t id, const Text &text) const
{
    for (uint32_t count = 0; count < kMostFrames; ++count) {
        const auto found = m_frames.find(id);
        if (found == m_frames.end())
            return;
        if (count > 0)
            out += ';';
        appendFrame(out, found->second, text);
        id = found->second.parent;
    }
}

} // namespace riffle
