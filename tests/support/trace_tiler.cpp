// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/trace_tiler.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

namespace riffle::test {

namespace {

constexpr std::size_t kNowhere = std::string_view::npos;

// Arguments that are ids. Python module ids are not changed, because every tile runs the same modules.
constexpr std::array<std::string_view, 8> kIdArguments = {
    "External id",     "external id", "correlation",      "Ev Idx",
    "Sequence number", "Python id",   "Python parent id", "wait_on_cuda_event_record_corr_id"};

std::size_t stringEnd(std::string_view text, std::size_t quote)
{
    for (std::size_t i = quote + 1; i < text.size(); ++i) {
        if (text[i] == '\\')
            ++i;
        else if (text[i] == '"')
            return i;
    }
    return kNowhere;
}

std::size_t skipSpace(std::string_view text, std::size_t i)
{
    const std::size_t found = text.find_first_not_of(" \t\r\n", i);
    return found == kNowhere ? text.size() : found;
}

/// Microseconds, rounded up.
std::int64_t wholeMicros(std::string_view number)
{
    std::int64_t value = 0;
    const auto parsed = std::from_chars(number.data(), number.data() + number.size(), value);
    return value + (parsed.ptr != number.data() + number.size() ? 1 : 0);
}

} // namespace

struct TraceTiler::Event {
    std::string_view ph;
    std::string_view cat;
    std::string_view name;
    std::string_view scope;
    std::string_view ts;
    std::string_view dur;
    std::vector<Patch> patches;

    void clear()
    {
        ph = cat = name = scope = ts = dur = {};
        patches.clear();
    }
    bool closesTrace() const { return ph == "M" || cat == "Trace" || (ph == "i" && scope == "g"); }
};

TraceTiler::TraceTiler(std::string_view traceJson) : m_text(traceJson) { m_valid = scan(); }

/// Returns the position behind the event's closing brace.
std::size_t TraceTiler::scanEvent(std::size_t begin, Event &event) const
{
    event.clear();
    int depth = 0;
    for (std::size_t i = begin; i < m_text.size(); ++i) {
        const char c = m_text[i];
        if (c == '{' || c == '[') {
            ++depth;
        } else if (c == '}' || c == ']') {
            if (--depth == 0)
                return i + 1;
        } else if (c == '"') {
            const std::size_t end = stringEnd(m_text, i);
            if (end == kNowhere)
                return kNowhere;
            const std::string_view key = m_text.substr(i + 1, end - i - 1);
            i = end;
            const std::size_t colon = skipSpace(m_text, end + 1);
            if (depth > 2 || colon >= m_text.size() || m_text[colon] != ':')
                continue;
            std::size_t value = skipSpace(m_text, colon + 1);
            if (value >= m_text.size())
                return kNowhere;
            if (m_text[value] == '{' || m_text[value] == '[') {
                i = value - 1;
                continue;
            }
            std::size_t valueEnd = 0;
            if (m_text[value] == '"') {
                valueEnd = stringEnd(m_text, value);
                if (valueEnd == kNowhere)
                    return kNowhere;
                i = valueEnd;
                ++value;
            } else {
                valueEnd = m_text.find_first_of(",}] \t\r\n", value);
                if (valueEnd == kNowhere)
                    return kNowhere;
                i = valueEnd - 1;
            }
            const std::string_view token = m_text.substr(value, valueEnd - value);
            bool isId = false;
            if (depth == 1) {
                if (key == "ph")
                    event.ph = token;
                else if (key == "cat")
                    event.cat = token;
                else if (key == "name")
                    event.name = token;
                else if (key == "s")
                    event.scope = token;
                else if (key == "dur")
                    event.dur = token;
                else if (key == "ts")
                    event.ts = token;
                isId = key == "id";
            } else {
                isId = std::find(kIdArguments.begin(), kIdArguments.end(), key) != kIdArguments.end();
            }
            if (isId || (depth == 1 && key == "ts")) {
                Patch patch{.offset = value, .shift = isId ? Shift::Id : Shift::Time};
                const auto parsed = std::from_chars(token.data(), token.data() + token.size(), patch.value);
                patch.digits = static_cast<std::uint8_t>(parsed.ptr - token.data());
                // Zero and negative ids mean "none" in the profiler's files.
                if (parsed.ec == std::errc() && (!isId || patch.value > 0))
                    event.patches.push_back(patch);
            }
        }
    }
    return kNowhere;
}

bool TraceTiler::scan()
{
    const std::size_t key = m_text.find("\"traceEvents\"");
    const std::size_t open = m_text.find('[', key == kNowhere ? 0 : key);
    if (open == kNowhere)
        return false;

    m_bodyBegin = skipSpace(m_text, open + 1);
    m_bodyEnd = m_bodyBegin;
    std::int64_t first = std::numeric_limits<std::int64_t>::max();
    std::int64_t last = 0;
    std::size_t bodyPatches = 0;
    std::vector<Patch> tail;
    Event event;
    for (std::size_t i = m_bodyBegin; i < m_text.size() && m_text[i] == '{';) {
        const std::size_t end = scanEvent(i, event);
        if (end == kNowhere)
            break; // the file is cut off, but its complete events are still useful
        m_patches.insert(m_patches.end(), event.patches.begin(), event.patches.end());
        if (!event.closesTrace()) {
            m_bodyEnd = end;
            bodyPatches = m_patches.size();
            tail.clear();
            if (!event.ts.empty()) {
                const std::int64_t begin = wholeMicros(event.ts);
                first = std::min(first, begin - 1);
                last = std::max(last, begin + (event.dur.empty() ? 0 : wholeMicros(event.dur)));
            }
            for (const Patch &patch : event.patches) {
                if (patch.shift == Shift::Id)
                    m_idSpan = std::max(m_idSpan, patch.value);
            }
        } else if (event.cat == "Trace" && !event.dur.empty()) {
            Patch patch{.offset = static_cast<std::size_t>(event.dur.data() - m_text.data())};
            const auto parsed = std::from_chars(event.dur.data(), event.dur.data() + event.dur.size(), patch.value);
            patch.digits = static_cast<std::uint8_t>(parsed.ptr - event.dur.data());
            tail.push_back(patch);
        } else if (event.name == "Record Window End" && !event.patches.empty()) {
            tail.push_back(event.patches.front());
        }
        i = skipSpace(m_text, end);
        if (i >= m_text.size() || m_text[i] != ',')
            break;
        i = skipSpace(m_text, i + 1);
    }
    m_patches.resize(bodyPatches);
    m_tailPatches = std::move(tail);
    m_span = std::max<std::int64_t>(last - first, 1) + 1;
    return m_bodyEnd > m_bodyBegin;
}

std::uint64_t TraceTiler::tilesFor(std::uint64_t targetBytes) const
{
    const std::uint64_t once = m_text.size() - tileBytes();
    if (!m_valid || targetBytes <= once)
        return 1;
    return std::max<std::uint64_t>(1, (targetBytes - once + tileBytes() - 1) / tileBytes());
}

void TraceTiler::writeRange(ByteSink &sink, std::size_t begin, std::size_t end, const std::vector<Patch> &patches,
                            std::uint64_t tile) const
{
    const auto time = static_cast<std::int64_t>(tile) * m_span;
    const auto id = static_cast<std::int64_t>(tile) * m_idSpan;
    for (const Patch &patch : patches) {
        sink.text(m_text.substr(begin, patch.offset - begin));
        sink.integer(patch.value + (patch.shift == Shift::Time ? time : id));
        begin = patch.offset + patch.digits;
    }
    sink.text(m_text.substr(begin, end - begin));
}

void TraceTiler::write(ByteSink &sink, std::uint64_t tiles) const
{
    sink.text(m_text.substr(0, m_bodyBegin));
    for (std::uint64_t tile = 0; tile < tiles; ++tile) {
        if (tile > 0)
            sink.text(",\n  ");
        writeRange(sink, m_bodyBegin, m_bodyEnd, m_patches, tile);
    }
    writeRange(sink, m_bodyEnd, m_text.size(), m_tailPatches, tiles - 1);
}

} // namespace riffle::test
