// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/flight_recorder/flight_rows.h"

#include "model/base/utf8.h"

#include <algorithm>
#include <charconv>
#include <cstring>

namespace riffle {

namespace {

constexpr uint64_t kBesideText = 48;   ///< bytes that an interner stores besides each text
constexpr uint64_t kBesideGroup = 400; ///< bytes of a group and its places in tables
constexpr int64_t kMostRanks = 1 << 20;

template <typename T>
std::string_view bytesOf(const T *values, size_t count)
{
    return {reinterpret_cast<const char *>(values), count * sizeof(T)};
}

/// Reads a list of ranks; nothing if the text is none, or if the list was cut ("[0, 1, ...]").
std::optional<std::vector<int64_t>> ranksIn(std::string_view text)
{
    std::vector<int64_t> ranks;
    const char *at = text.data(), *end = at + text.size();
    const auto skip = [&](std::string_view characters) {
        while (at < end && characters.find(*at) != characters.npos)
            ++at;
    };
    skip(" [(");
    while (at < end && *at != ']' && *at != ')') {
        int64_t rank = 0;
        const auto read = std::from_chars(at, end, rank);
        if (read.ec != std::errc() || rank < 0 || rank >= kMostRanks)
            return std::nullopt;
        ranks.push_back(rank);
        at = read.ptr;
        skip(" ,");
    }
    std::ranges::sort(ranks);
    ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
    return ranks;
}

} // namespace

FlightRows::FlightRows(MemoryBudget &budget) : m_budget(budget), m_entries(&budget), m_discovered(&budget)
{
    for (const std::string_view word : kFlightWords)
        text(word);
    stack(nullptr, 0);
}

/// Counts new texts against the budget.
void FlightRows::count(const StringInterner &interner, uint64_t &before)
{
    const uint64_t cost = interner.memoryBytes() + interner.count() * kBesideText;
    if (cost > before)
        m_budget.take(cost - before);
    before = std::max(before, cost);
}

uint32_t FlightRows::text(std::string_view text)
{
    const uint32_t id = m_texts.intern(text, 0);
    count(m_texts, m_textCost);
    return id;
}

uint32_t FlightRows::name(std::string_view whole)
{
    return text(whole.size() <= kLongestText ? whole : std::string_view(shortened(whole, kLongestText)));
}

uint32_t FlightRows::frame(const FlightFrame &frame)
{
    static_assert(std::has_unique_object_representations_v<FlightFrame>);
    const uint32_t id = m_frames.intern(bytesOf(&frame, 1), 0);
    count(m_frames, m_frameCost);
    return id;
}

uint32_t FlightRows::stack(const uint32_t *frames, uint32_t frameCount)
{
    const uint32_t id = m_stacks.intern(bytesOf(frames, frameCount), 0);
    count(m_stacks, m_stackCost);
    return id;
}

std::span<const uint32_t> FlightRows::framesOf(uint32_t stack) const
{
    thread_local std::vector<uint32_t> frames; // the bytes of a text need not be aligned
    const std::string_view bytes = m_stacks.text(stack);
    frames.resize(bytes.size() / sizeof(uint32_t));
    if (!frames.empty())
        std::memcpy(frames.data(), bytes.data(), bytes.size());
    return frames;
}

uint32_t FlightRows::group(int64_t id, std::string_view name, std::string_view description)
{
    const auto [known, isNew] = m_groupIds.try_emplace({id, std::string(name), std::string(description)},
                                                       static_cast<uint32_t>(m_groups.size()));
    if (isNew) {
        m_budget.take(kBesideGroup + 2 * (name.size() + description.size()));
        m_groups.push_back({.id = id, .name = std::string(name), .description = std::string(description), .ranks = {}});
    }
    return known->second;
}

uint32_t FlightRows::add(const FlightEntry &entry, const DiscoveredTimes &discovered)
{
    m_entries.push(entry);
    m_discovered.push(discovered);
    return entries() - 1;
}

void FlightRows::list(std::string_view name, std::string_view description, std::string_view ranks)
{
    m_budget.take(kBesideGroup + name.size() + description.size() + ranks.size() * 4);
    auto read = ranksIn(ranks);
    m_listed.push_back({.name = std::string(name),
                        .description = std::string(description),
                        .ranks = read ? std::move(*read) : std::vector<int64_t>(),
                        .isListed = read.has_value() && !ranks.empty()});
}

void FlightRows::status(int64_t id, int64_t enqueued, int64_t started, int64_t completed)
{
    m_budget.take(kBesideText);
    m_status[id] = {enqueued, started, completed};
}

void FlightRows::seal(FlightDump &dump)
{
    // The list of groups is by name. An entry's group is the listed one of its name, unless that describes another one.
    std::vector<bool> isUsed(m_listed.size());
    std::map<std::string_view, std::vector<size_t>> byName;
    for (size_t at = 0; at < m_listed.size(); ++at)
        byName[m_listed[at].name].push_back(at);
    for (FlightGroup &group : m_groups) {
        if (const auto found = m_status.find(group.id); found != m_status.end()) {
            group.lastEnqueued = found->second.enqueued;
            group.lastStarted = found->second.started;
            group.lastCompleted = found->second.completed;
        }
        const auto named = byName.find(group.name);
        if (named == byName.end())
            continue;
        for (const size_t at : named->second) {
            const FlightGroup &listed = m_listed[at];
            if (!listed.description.empty() && !group.description.empty() && listed.description != group.description)
                continue;
            m_budget.take(listed.ranks.size() * sizeof(int64_t));
            group.ranks = listed.ranks;
            group.isListed = listed.isListed;
            isUsed[at] = true;
            break;
        }
    }
    for (size_t at = 0; at < m_listed.size(); ++at)
        if (!isUsed[at])
            m_groups.push_back(std::move(m_listed[at]));
    dump.groups = std::move(m_groups);
    dump.entries.assign(m_entries.data(), m_entries.data() + m_entries.size());
    dump.discovered.assign(m_discovered.data(), m_discovered.data() + m_discovered.size());
    for (uint32_t id = 0; id < m_texts.count(); ++id)
        dump.texts.emplace_back(m_texts.text(id));
    for (uint32_t id = 0; id < m_frames.count(); ++id) {
        FlightFrame frame; // the first text of an interner is empty, and no frame
        if (const std::string_view bytes = m_frames.text(id); bytes.size() == sizeof frame)
            std::memcpy(static_cast<void *>(&frame), bytes.data(), sizeof frame);
        dump.frames.push_back(frame);
    }
    dump.stackBegin.push_back(0);
    for (uint32_t id = 0; id < m_stacks.count(); ++id) {
        const auto frames = framesOf(id);
        dump.stackFrames.insert(dump.stackFrames.end(), frames.begin(), frames.end());
        dump.stackBegin.push_back(static_cast<uint32_t>(dump.stackFrames.size()));
    }
    dump.statuses = m_status.size();
    dump.unreadable = unreadable;
    dump.lostEntries = lostEntries;
}

} // namespace riffle
