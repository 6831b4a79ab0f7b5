// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/cuda_snapshot/no_snapshot.h"

#include "model/ingest/memory_log/log_parser.h"
#include "model/ingest/memory_timeline/memory_timeline.h"

namespace riffle {

std::string whyNoSnapshot(std::string_view head)
{
    const auto holds = [head](std::string_view text) { return head.find(text) != head.npos; };
    const size_t first = head.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
    const std::string_view begin = first == head.npos ? std::string_view() : head.substr(first);
    if (looksLikeMemoryTimeline(head))
        return "this is a memory timeline, not a snapshot: `riffle-cli memory FILE` and `memory info FILE` answer it";
    if (looksLikeMemoryLog(head))
        return "this is a log of InternEvo's memory profiler, not a snapshot: `riffle-cli memory FILE` and `memory "
               "info FILE` answer it";
    if (begin.starts_with("Memory State:"))
        return "this log of InternEvo's memory profiler is cut behind its header: it holds no state";
    if (begin.starts_with('{') || begin.starts_with('[')) {
        if (holds("\"device_traces\"") || holds("\"segments\""))
            return "this is a snapshot as JSON: what is read is the pickle that torch.cuda.memory._dump_snapshot() "
                   "writes";
        if (holds("\"traceEvents\"") || holds("\"schemaVersion\"") || holds("\"ph\""))
            return "this is a trace, not a snapshot: `riffle-cli summary --view memory FILE` tells of its memory";
        return "this JSON is neither a memory timeline nor a trace, and no snapshot, which is a pickle";
    }
    return "this is no pickle: a snapshot is what torch.cuda.memory._dump_snapshot() writes; nor is it a memory "
           "timeline or log";
}

} // namespace riffle
