// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/ranks/common_clock.h"
#include "model/analysis/ranks/matched_calls.h"
#include "model/analysis/ranks/pair_alignment.h"

#include <span>
#include <string>
#include <utility>
#include <vector>

namespace riffle {

/// The knowledge about calls and clocks while families are matched, one after the other.
struct MatchState {
    std::span<const CallList *const> lists;
    CommonClock clock;
    std::vector<std::vector<uint8_t>> isDone; ///< per list and call: it has a match, or is listed
    MatchedCalls made;
    bool areRanksRepeated = false; ///< two lists have the same recorded rank
};

/// Matches the calls of one family, and adds what it finds to the state.
class FamilyMatcher {
public:
    FamilyMatcher(MatchState &state, uint32_t family);
    void match();

private:
    /// The calls of one rank that have no match yet, by their end on the common clock.
    struct Side {
        uint32_t rank = 0;
        std::vector<uint32_t> calls;
        std::vector<AlignedCall> aligned; ///< parallel
        bool isClear = true;              ///< it was aligned without doubt
    };
    /// A call of another rank that may be the same as one of the reference.
    struct Partner {
        uint32_t of = 0; ///< index into the calls of the reference
        CallRef call;
        bool isFirm = false; ///< as in PairAlignment
    };

    void matchNumbers();
    void matchNumber(std::span<const std::pair<int64_t, CallRef>> run);
    void matchOrder();
    void matchTimes();
    void matchWith(size_t reference, bool areAll);
    void joinByMatches(size_t firstMatch);
    std::vector<Side> sides(bool areTimed) const;
    /// Pairs the calls of a side with those of the reference, and joins their clocks if that leaves no doubt. The rest
    /// of the calls, after an alignment that left doubts, is no evidence.
    void align(const Side &reference, Side &side, bool areAll, std::vector<Partner> &partners);
    void listRest();

    /// True if nothing that both ranks recorded tells the calls apart.
    bool agree(std::span<const CallRef> calls) const;
    /// True if only the name of a kernel, which carries out many operations, shows all of the calls.
    bool areUnknown(std::span<const CallRef> calls) const;
    /// True if no group can have made all of the calls: they are more than its ranks, or two are of one recorded rank.
    bool areTooMany(std::span<const CallRef> calls) const;
    int64_t comparedBytes(const CallRef &call) const;
    const std::string &text(const CallRef &call, const Column<uint32_t> CallTable::*column) const;
    void add(std::vector<CallRef> calls, MatchBasis basis, MatchConfidence confidence);
    void list(const CallRef &call, UnmatchedReason reason);

    const CallTable &table(uint32_t rank) const { return m_state.lists[rank]->table; }
    bool hasFlag(const CallRef &call, uint16_t flag) const { return (table(call.rank).flags[call.call] & flag) != 0; }
    CollectiveKind kindOf(const CallRef &call) const
    {
        return static_cast<CollectiveKind>(table(call.rank).kind[call.call]);
    }
    bool isDone(const CallRef &call) const { return m_state.isDone[call.rank][call.call]; }
    const CallFamily &family() const { return m_state.made.families[m_family]; }

    MatchState &m_state;
    uint32_t m_family;
    std::vector<Side> m_sides;
};

} // namespace riffle
