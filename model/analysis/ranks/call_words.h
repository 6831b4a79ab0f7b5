// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/facts/collective_kind.h"
#include "model/analysis/facts/kernel_names.h"
#include "model/analysis/ranks/matched_set.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace riffle {

/// Shows calls of a set, which must outlive this, in words.
class CallWords {
public:
    explicit CallWords(const MatchedSet &matched) : m_matched(matched) {}

    const CallTable &table(const CallRef &call) const { return m_matched.lists[call.rank].table; }
    const CallFamily &family(uint32_t at) const { return m_matched.calls.families[at]; }

    std::string operation(const CallRef &call) const
    {
        const auto kind = static_cast<CollectiveKind>(table(call).kind[call.call]);
        const std::string &text = m_matched.lists[call.rank].texts[table(call).operation[call.call]];
        return kind != CollectiveKind::Other                                 ? collectiveKindName(kind)
               : (table(call).flags[call.call] & call_flag::KernelOnly) != 0 ? shortKernelName(text)
                                                                             : text;
    }
    /// The operation as the rank knows it that knows most.
    std::string operation(std::span<const CallRef> calls) const
    {
        const auto known = std::ranges::find_if(
            calls, [&](const CallRef &call) { return !(table(call).flags[call.call] & call_flag::KernelOnly); });
        return operation(known == calls.end() ? calls.front() : *known);
    }
    std::string type(std::span<const CallRef> calls) const
    {
        for (const CallRef &call : calls)
            if (const std::string &text = m_matched.lists[call.rank].texts[table(call).dataType[call.call]];
                !text.empty())
                return text;
        return {};
    }
    /// The size of the message on the first rank that knows it.
    int64_t bytes(std::span<const CallRef> calls) const
    {
        for (const CallRef &call : calls)
            if (table(call).bytes[call.call] != kNoInt)
                return table(call).bytes[call.call];
        return kNoInt;
    }
    bool isTimed(const CallRef &call) const { return (table(call).flags[call.call] & call_flag::Timed) != 0; }
    /// In set time; kNoInt if unknown.
    Ns start(const CallRef &call) const
    {
        const Ns own = isTimed(call) ? table(call).start[call.call] : table(call).hostStart[call.call];
        return own == kNoInt ? kNoInt : m_matched.facts->set().time(m_matched.traces[call.rank]).toSet(own);
    }
    Ns duration(const CallRef &call) const
    {
        return isTimed(call) ? table(call).end[call.call] - table(call).start[call.call] : kNoInt;
    }
    int64_t number(const CallRef &call) const
    {
        return (table(call).flags[call.call] & call_flag::Numbered) != 0 ? table(call).number[call.call] : kNoInt;
    }
    SliceRef slice(const CallRef &call) const
    {
        return {m_matched.traces[call.rank], SliceId(table(call).slice[call.call])};
    }
    /// kNoInt if it is not known.
    int64_t rank(uint32_t list) const { return m_matched.ranks[list].value_or(kNoInt); }
    std::string title(uint32_t list) const { return m_matched.title(list); }
    std::string ranks(const std::vector<uint32_t> &lists) const { return m_matched.rankText(lists); }
    std::string ranks(std::span<const CallRef> calls) const
    {
        std::vector<uint32_t> lists;
        for (const CallRef &call : calls)
            lists.push_back(call.rank);
        return ranks(lists);
    }
    /// The ranks of the set that belong to the group, but have no part in the match.
    std::vector<uint32_t> missing(const MatchedCalls::Match &match) const
    {
        const CallFamily &of = family(match.family);
        const auto calls = m_matched.calls.of(match);
        std::vector<uint32_t> lists;
        for (uint32_t list = 0; list < m_matched.size(); ++list) {
            const bool isMember =
                of.isPointToPoint || of.ranks.empty()
                    ? std::ranges::any_of(of.members, [&](const auto &member) { return member.rank == list; })
                    : m_matched.ranks[list] && of.ranks.contains(*m_matched.ranks[list]);
            if (isMember && std::ranges::none_of(calls, [&](const CallRef &call) { return call.rank == list; }))
                lists.push_back(list);
        }
        return lists;
    }

private:
    const MatchedSet &m_matched;
};

} // namespace riffle
