// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/facts/collective_kind.h"
#include "model/analysis/ranks/call_list.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace riffle::test {

/// Builds the calls of one rank, without a trace.
class CallListMaker {
public:
    explicit CallListMaker(int64_t rank)
    {
        m_list.rank = rank;
        m_list.texts = {"", "Float"};
    }

    uint32_t group(std::string name, RankList ranks)
    {
        RecordedGroup group;
        group.name = std::move(name);
        group.size = static_cast<int64_t>(ranks.size());
        group.ranks = std::move(ranks);
        m_list.groups.push_back(std::move(group));
        return static_cast<uint32_t>(m_list.groups.size() - 1);
    }
    RecordedGroup &groupAt(uint32_t at) { return m_list.groups[at]; }

    /// A collective with an operator and times; the caller changes what it needs.
    CallRow &call(uint32_t group, Ns start, Ns end, CollectiveKind kind = CollectiveKind::AllReduce,
                  int64_t bytes = 1024)
    {
        CallRow &row = m_rows.emplace_back();
        row.start = start;
        row.end = end;
        row.hostStart = start - 10;
        row.bytes = bytes;
        row.step = kNoInt;
        row.sender = row.receiver = -1;
        row.slice = static_cast<uint32_t>(m_rows.size());
        row.group = group;
        row.dataType = 1;
        row.flags = call_flag::Timed | call_flag::ByOperator;
        row.kind = static_cast<uint8_t>(kind);
        return row;
    }
    CallRow &numbered(uint32_t group, int64_t number, Ns start, Ns end)
    {
        CallRow &row = call(group, start, end);
        row.number = number;
        row.flags |= call_flag::Numbered;
        return row;
    }

    CallList list()
    {
        m_list.table = callTableOf(std::move(m_rows));
        return std::move(m_list);
    }

private:
    CallList m_list;
    std::vector<CallRow> m_rows;
};

} // namespace riffle::test
