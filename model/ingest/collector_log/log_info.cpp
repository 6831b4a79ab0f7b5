// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/collector_log/log_info.h"

#include <utility>

namespace riffle {

TraceInfo traceInfoOf(const std::string &path, const CollectorLog &log, const LogIndex &index, const LogFacts &facts)
{
    TraceInfo info;
    info.path = path;
    info.format = "Riffle log";
    info.container = log.compressed() ? "zstd" : "plain";
    info.fileBytes = log.fileBytes();
    info.textBytes = log.rawBytes();
    info.baseTimeNs = index.baseTimeNs;
    info.clocks = index.clocks;
    info.rank = facts.processNumber("rank");
    info.worldSize = facts.processNumber("world_size");
    info.metadata = facts.metadata();
    return info;
}

ImportReport placedInFiles(const ImportReport &report, const CollectorLog &log)
{
    ImportReport placed;
    // In a log, a begin without an end is an open range, which is not a problem.
    const auto kindHere = [](Trouble kind) { return kind == Trouble::UnfinishedBegin ? Trouble::StillOpen : kind; };
    for (size_t at = 0; at < static_cast<size_t>(Trouble::Count); ++at) {
        const auto kind = static_cast<Trouble>(at);
        uint64_t count = report.of(kind).count;
        for (const TroubleExample &example : report.of(kind).examples)
            placed.add(kindHere(kind), log.fileOffset(example.offset), example.text, std::exchange(count, 0));
    }
    return placed;
}

} // namespace riffle
