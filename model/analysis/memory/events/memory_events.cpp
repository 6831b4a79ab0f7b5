// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/memory/events/memory_events.h"

#include "model/base/ascii.h"
#include "model/base/parallel.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace riffle {

namespace {

constexpr size_t kStretch = 1 << 16; ///< the number of events that one worker processes at a time

std::string lower(std::string_view text)
{
    std::string out(text);
    for (char &c : out)
        c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    return out;
}

template <typename Number>
std::optional<Number> wholeNumber(std::string_view text, int base = 10)
{
    Number number{};
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number, base);
    return problem == std::errc() && end == text.data() + text.size() && !text.empty() ? std::optional(number)
                                                                                       : std::nullopt;
}

std::optional<int64_t> streamOf(std::string_view text)
{
    if (!text.starts_with("0x"))
        return wholeNumber<int64_t>(text);
    const auto bits = wholeNumber<uint64_t>(text.substr(2), 16);
    return bits ? std::optional(static_cast<int64_t>(*bits)) : std::nullopt;
}

bool takeActions(std::string_view word, std::vector<MemoryAction> &actions)
{
    const std::string wanted = lower(word);
    bool any = false;
    for (size_t at = 0; at < static_cast<size_t>(MemoryAction::Count); ++at) {
        const auto action = static_cast<MemoryAction>(at);
        const std::string_view name = memoryActionWord(action);
        const bool group =
            (wanted == "free" && name.starts_with("free")) || (wanted == "segment" && name.starts_with("segment"));
        if (name == wanted || group) {
            actions.push_back(action);
            any = true;
        }
    }
    return any;
}

bool takeSize(std::string_view word, MemoryEventFilter &filter)
{
    const char sign = word.front();
    const bool equal = word.size() > 1 && word[1] == '=';
    const auto bytes = parseMemorySize(word.substr(equal ? 2 : 1));
    if (!bytes)
        return false;
    if (sign == '>')
        filter.leastBytes = std::max(filter.leastBytes.value_or(INT64_MIN), equal ? *bytes : *bytes + 1);
    else if (sign == '<')
        filter.mostBytes = std::min(filter.mostBytes.value_or(INT64_MAX), equal ? *bytes : *bytes - 1);
    else
        filter.leastBytes = filter.mostBytes = bytes;
    return true;
}

bool takeNumbers(std::string_view word, MemoryEventFilter &filter)
{
    const size_t dash = word.find('-');
    const std::string_view from = word.substr(1, dash == word.npos ? word.npos : dash - 1);
    std::string_view to = dash == word.npos ? from : word.substr(dash + 1);
    if (to.starts_with('#'))
        to.remove_prefix(1);
    filter.first = wholeNumber<uint32_t>(from);
    filter.last = wholeNumber<uint32_t>(to);
    return filter.first && filter.last;
}

/// The strings and stacks that match a text, found in advance, so that testing an event takes only a few look-ups.
struct TextHits {
    std::vector<uint8_t> strings, stacks;

    TextHits(const MemorySnapshot &snapshot, const std::string &wanted)
    {
        strings.resize(snapshot.strings.count());
        for (uint32_t id = 0; id < strings.size(); ++id)
            strings[id] = lower(snapshot.string(id)).find(wanted) != std::string::npos;
        stacks.resize(snapshot.stacks.count());
        for (uint32_t stack = 0; stack < stacks.size(); ++stack)
            for (const uint32_t frame : snapshot.stacks.at(stack))
                stacks[stack] |= strings[snapshot.frames[frame].name] | strings[snapshot.frames[frame].file];
    }
    bool fits(const MemoryEventTable &events, uint32_t event) const
    {
        const auto in = [&](const Column<uint32_t> &column) { return event < column.size() && strings[column[event]]; };
        return (event < events.stack.size() && stacks[events.stack[event]]) || in(events.metadata) ||
               in(events.category) || in(events.compileContext);
    }
};

} // namespace

std::optional<int64_t> parseMemorySize(std::string_view text)
{
    double number = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (problem != std::errc() || !(number >= 0))
        return std::nullopt;
    std::string unit = lower(std::string_view(end, static_cast<size_t>(text.data() + text.size() - end)));
    if (unit.ends_with("ib"))
        unit.resize(unit.size() - 2);
    else if (unit.ends_with("b"))
        unit.resize(unit.size() - 1);
    static constexpr std::string_view kUnits = "kmgt";
    const size_t power = unit.empty() ? 0 : kUnits.find(unit) + 1;
    if (unit.size() > 1 || (power == 0 && !unit.empty()))
        return std::nullopt;
    const double bytes = std::ldexp(number, static_cast<int>(10 * power));
    return bytes < 9e18 ? std::optional(static_cast<int64_t>(bytes)) : std::nullopt;
}

Result<MemoryEventFilter> parseMemoryEventFilter(std::string_view text)
{
    MemoryEventFilter filter;
    while (true) {
        text.remove_prefix(std::min(text.size(), text.find_first_not_of(' ')));
        if (text.empty())
            return filter;
        const bool quoted = text.front() == '"';
        if (quoted)
            text.remove_prefix(1);
        const std::string_view word = text.substr(0, text.find(quoted ? '"' : ' '));
        text.remove_prefix(std::min(text.size(), word.size() + 1));
        const auto wrong = [&](const char *form) {
            return Error{std::string("'").append(word).append("' is not ").append(form), {}, std::nullopt};
        };
        if (word.empty())
            continue;
        if (quoted) {
            filter.texts.push_back(lower(word));
        } else if (word.front() == '>' || word.front() == '<' || word.front() == '=') {
            if (!takeSize(word, filter))
                return wrong("a size: write it as in >10MB.");
        } else if (word.starts_with("0x") || word.starts_with("0X")) {
            filter.address = wholeNumber<uint64_t>(lower(word.substr(2)), 16);
            if (!filter.address)
                return wrong("an address: write it in hexadecimal digits, as in 0x7f3a00000000.");
        } else if (word.starts_with("stream:")) {
            filter.stream = streamOf(word.substr(7));
            if (!filter.stream)
                return wrong("a stream: write it as in stream:0.");
        } else if (word.front() == '#') {
            if (!takeNumbers(word, filter))
                return wrong("a range of events: write it as in #12-#400.");
        } else if (!takeActions(word, filter.actions)) {
            filter.texts.push_back(lower(word));
        }
    }
}

BigVector<uint32_t> matchingEvents(const MemorySnapshot &snapshot, const DeviceReplay &device,
                                   const MemoryEventFilter &filter, const Task &task)
{
    const MemoryEventTable &events = snapshot.events;
    std::array<bool, static_cast<size_t>(MemoryAction::Count)> wanted{};
    wanted.fill(filter.actions.empty());
    for (const MemoryAction action : filter.actions)
        wanted[static_cast<size_t>(action)] = true;
    std::vector<TextHits> texts;
    for (const std::string &text : filter.texts)
        texts.emplace_back(snapshot, text);
    std::vector<uint8_t> streams(snapshot.streams.size());
    for (size_t at = 0; at < streams.size(); ++at)
        streams[at] = !filter.stream || snapshot.streams[at] == *filter.stream;
    const uint32_t from = std::min(filter.first.value_or(0), device.events);
    const uint32_t to = filter.last && *filter.last < device.events ? *filter.last + 1 : device.events;
    const size_t count = to > from ? to - from : 0;
    std::vector<std::vector<uint32_t>> parts((count + kStretch - 1) / kStretch);
    parallelFor(parts.size(), [&](size_t part) {
        const auto begin = static_cast<uint32_t>(device.firstEvent + from + part * kStretch);
        const uint32_t end = device.firstEvent + to;
        for (uint32_t event = begin; event < end && event - begin < kStretch && !task.stopped(); ++event) {
            const MemoryAction action = events.action[event];
            const int64_t size = events.size[event];
            if (!wanted[static_cast<size_t>(action)] || size < filter.leastBytes.value_or(INT64_MIN) ||
                size > filter.mostBytes.value_or(INT64_MAX))
                continue;
            const bool placed = action < MemoryAction::Snapshot || action == MemoryAction::Annotate;
            if (filter.address && (events.address[event] != *filter.address || !placed))
                continue;
            if (filter.stream && (event >= events.stream.size() || !streams[events.stream[event]]))
                continue;
            if (std::all_of(texts.begin(), texts.end(), [&](const TextHits &text) { return text.fits(events, event); }))
                parts[part].push_back(event);
        }
    });
    BigVector<uint32_t> rows;
    for (const std::vector<uint32_t> &part : parts)
        rows.insert(rows.end(), part.begin(), part.end());
    return rows;
}

EventAllocations::EventAllocations(const DeviceReplay &device)
    : m_first(device.firstEvent)
    , m_rows(device.events, MemoryAllocations::kNone)
{
    const MemoryAllocations &all = device.allocations;
    for (uint32_t row = 0; row < all.count(); ++row)
        for (const uint32_t event : {all.end[row], all.freed[row], all.begin[row]})
            if (event != MemoryAllocations::kNone && event - m_first < m_rows.size()) {
                // A free can end one allocation and stand in for the missing alloc of another. It then belongs to the
                // allocation that it ends.
                const bool taken = m_rows[event - m_first] != MemoryAllocations::kNone;
                if (!taken || event == all.end[row] || event == all.freed[row])
                    m_rows[event - m_first] = row;
            }
}

} // namespace riffle
