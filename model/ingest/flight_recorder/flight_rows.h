// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/growing_array.h"
#include "model/ingest/flight_recorder/flight_words.h"
#include "model/trace/flight/flight_dump.h"
#include "model/trace/string_pool.h"

#include <map>
#include <tuple>
#include <vector>

namespace riffle {

/// The rows of a dump while it is being read. Equal texts, frames and stacks are stored once. What is stored counts
/// against the budget, beyond which std::bad_alloc is thrown.
class FlightRows {
public:
    static constexpr size_t kLongestText = 4 << 10; ///< longer names are cut, because many entries may share one

    explicit FlightRows(MemoryBudget &budget);

    uint32_t text(std::string_view text);
    std::string_view textOf(uint32_t id) const { return m_texts.text(id); }
    FlightWord word(uint32_t text) const
    {
        return text < static_cast<uint32_t>(FlightWord::Count) ? static_cast<FlightWord>(text) : FlightWord::Count;
    }
    /// Returns the id of a text, or of the first kLongestText bytes of it.
    uint32_t name(std::string_view whole);
    uint32_t frame(const FlightFrame &frame);
    uint32_t stack(const uint32_t *frames, uint32_t count);
    std::span<const uint32_t> framesOf(uint32_t stack) const;
    uint32_t group(int64_t id, std::string_view name, std::string_view description);
    uint32_t add(const FlightEntry &entry, const DiscoveredTimes &discovered);
    uint32_t entries() const { return static_cast<uint32_t>(m_entries.size()); }

    /// Adds a group of the list of groups. `ranks` is a text such as "[0, 1]".
    void list(std::string_view name, std::string_view description, std::string_view ranks);
    /// Adds the last collectives of the group with this id.
    void status(int64_t id, int64_t enqueued, int64_t started, int64_t completed);

    uint64_t unreadable = 0;  ///< fields of another type than expected
    uint64_t lostEntries = 0; ///< those of them that stand in place of an entry

    /// Moves everything into the dump.
    void seal(FlightDump &dump);

private:
    void count(const StringInterner &interner, uint64_t &before);

    struct Status {
        int64_t enqueued, started, completed;
    };
    MemoryBudget &m_budget;
    StringInterner m_texts, m_frames, m_stacks; ///< frames and stacks as the bytes of their numbers
    uint64_t m_textCost = 0, m_frameCost = 0, m_stackCost = 0;
    GrowingArray<FlightEntry> m_entries;
    GrowingArray<DiscoveredTimes> m_discovered;
    std::vector<FlightGroup> m_groups, m_listed;
    std::map<std::tuple<int64_t, std::string, std::string>, uint32_t> m_groupIds;
    std::map<int64_t, Status> m_status;
};

} // namespace riffle
