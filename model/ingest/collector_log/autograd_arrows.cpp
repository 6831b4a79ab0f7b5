// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/collector_log/autograd_arrows.h"

#include "model/ingest/collector_log/json_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>

namespace riffle {

using wire::Field;

namespace {

/// The range around the call of a node has this prefix before the node's name, and the node's sequence number.
constexpr std::string_view kAround = "autograd::engine::evaluate_function: ";
/// So many operators may follow an operator before its backward node is called; otherwise its arrow may be missing.
constexpr int64_t kReach = 1 << 19;

} // namespace

void AutogradArrows::append(std::string &out, const LogIndex &index, const PartTables &tables,
                            const ChunkColumns &columns)
{
    if (m_ends.size() > 2 * kReach) // operators without a backward pass
        std::erase_if(m_ends, [&](const auto &entry) { return entry.first < m_latest - kReach; });
    for (uint32_t row = 0; row < columns.rows(); ++row) {
        const int64_t sequence = columns.value(Field::Sequence, row), start = columns.value(Field::Start, row);
        // 0 says nothing: the threads of the backward pass, which count for themselves, give it to all their operators.
        if (sequence == wire::kAbsent || sequence <= 0 || start == wire::kAbsent ||
            tables.text(columns.value(Field::Category, row)).text != wire::kOperatorCategory)
            continue;
        const std::string_view name = tables.text(columns.value(Field::Name, row)).text;
        const Call call{start, tables.osThread(columns.value(Field::Thread, row)), std::hash<std::string_view>()(name)};
        m_latest = std::max(m_latest, sequence);
        Ends &ends = m_ends[sequence];
        if (!name.starts_with(kAround)) {
            if (ends.waits && start < ends.last.start) {
                arrow(out, index.pid, call, ends.last);
                ends = {};
                continue;
            }
            if (ends.last.start != wire::kAbsent &&
                (ends.forward.start == wire::kAbsent || ends.last.start >= ends.forward.start))
                ends.forward = ends.last;
            ends.last = call;
            ends.waits = false;
        } else if (ends.last.name == std::hash<std::string_view>()(name.substr(kAround.size())) &&
                   ends.last.thread == call.thread && ends.last.start >= start) {
            if (ends.forward.start != wire::kAbsent) {
                arrow(out, index.pid, ends.forward, ends.last);
                m_ends.erase(sequence);
            } else {
                ends.waits = true;
            }
        }
    }
}

void AutogradArrows::arrow(std::string &out, int64_t pid, const Call &from, const Call &to)
{
    ++m_arrows;
    const auto end = [&](char phase, const Call &call, std::string_view more) {
        fmt::format_to(std::back_inserter(out), ",\n{{\"ph\":\"{}\",\"id\":{},\"pid\":{},\"tid\":{},\"ts\":", phase,
                       m_arrows, pid, call.thread);
        appendMicroseconds(out, call.start);
        fmt::format_to(std::back_inserter(out), ",\"cat\":\"fwdbwd\",\"name\":\"fwdbwd\"{}}}", more);
    };
    end('s', from, "");
    end('f', to, ",\"bp\":\"e\"");
}

} // namespace riffle
