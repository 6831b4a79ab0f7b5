// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/summary/summary.h"
#include "model/trace/trace_set.h"

#include <initializer_list>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace riffle {

/// One trace of a set as queries see it, with what they derive from it once it is asked for. Used by one query at a
/// time.
class QueryTrace {
public:
    /// `facts` must outlive it.
    QueryTrace(const SetFacts &facts, uint32_t index);

    const Trace &trace() const { return m_facts->trace(); }
    const TraceFacts &facts() const { return *m_facts; }
    uint32_t index() const { return m_index; }
    /// A time of the trace on the clock of the set.
    Ns inSet(Ns time) const { return m_sameClock ? time : m_time->toSet(time); }
    /// Times of the trace between which all lie that are in [low, high] on the clock of the set; both ends included.
    std::pair<Ns, Ns> inTrace(Ns low, Ns high) const;

    const std::string &laneName(uint32_t lane) const;
    const std::string &processName(uint32_t process) const;
    /// The text of an id as it is shown; empty where there is none.
    std::string idText(RawId id) const;

    /// String ids in the order of their texts, byte by byte.
    const std::vector<uint32_t> &sortedStrings() const;
    /// The id of a text; nothing when no string of the trace is that one.
    std::optional<uint32_t> stringId(std::string_view text) const;

    /// The raw text of an argument that is known by its hash: read from the slice's event the first time. Empty when
    /// the hash is 0 or the source is gone. `keys`: by what names the argument goes. Valid until the next call.
    const std::string &hashedText(uint64_t hash, const Segment &segment, uint32_t at,
                                  std::initializer_list<std::string_view> keys) const;

private:
    const TraceFacts *m_facts;
    const TimeMap *m_time;
    uint32_t m_index;
    bool m_sameClock;
    mutable std::vector<std::string> m_laneNames, m_processNames;
    mutable std::vector<uint32_t> m_sorted;
    mutable std::unordered_map<uint64_t, std::string> m_hashed;
    mutable size_t m_hashedBytes = 0;
};

} // namespace riffle
