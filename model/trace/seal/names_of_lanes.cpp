// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/trace/seal/names_of_lanes.h"

#include <algorithm>
#include <map>

namespace riffle {

void applyNames(std::vector<MetadataRow> rows, Trace &trace)
{
    std::sort(rows.begin(), rows.end(), [](const auto &a, const auto &b) { return a.sourceOffset < b.sourceOffset; });
    using Key = std::pair<RawId::Kind, int64_t>;
    const auto keyOf = [](RawId id) { return Key(id.kind, id.bits); };
    std::multimap<Key, Process *> processes;
    for (Process &process : trace.processes)
        processes.emplace(keyOf(process.pid), &process);
    std::multimap<std::pair<Key, Key>, Lane *> lanes;
    for (Lane &lane : trace.lanes)
        if (lane.kind == LaneKind::Thread || lane.kind == LaneKind::Stream)
            lanes.emplace(std::pair(keyOf(trace.processes[lane.process.value].pid), keyOf(lane.tid)), &lane);
    for (const MetadataRow &row : rows) {
        if (row.kind == MetadataRow::Kind::ThreadName || row.kind == MetadataRow::Kind::ThreadSort) {
            const auto [first, last] = lanes.equal_range({keyOf(row.pid), keyOf(row.tid)});
            for (auto at = first; at != last; ++at) {
                // If a thread and a stream have the same pid and tid, the name shows which one is meant.
                const std::string_view name = trace.string(row.text);
                const bool other =
                    at->second->kind == LaneKind::Thread ? name.starts_with("stream ") : name.starts_with("thread ");
                if (row.kind == MetadataRow::Kind::ThreadSort)
                    at->second->sortIndex = row.number;
                else if (!other)
                    at->second->name = StringId(row.text);
            }
            continue;
        }
        const auto [first, last] = processes.equal_range(keyOf(row.pid));
        for (auto at = first; at != last; ++at) {
            Process &process = *at->second;
            const bool gpuLabel = trace.string(row.text).starts_with("GPU");
            if (row.kind == MetadataRow::Kind::ProcessName)
                process.name = StringId(row.text);
            else if (row.kind == MetadataRow::Kind::ProcessSort)
                process.sortIndex = row.number;
            else if (gpuLabel == (process.device >= 0))
                process.labels = StringId(row.text);
        }
    }
}

} // namespace riffle
