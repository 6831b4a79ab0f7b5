// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/cuda_snapshot/no_snapshot.h"

#include "model/ingest/byte_source.h"
#include "model/ingest/flight_marks.h"
#include "model/ingest/memory_log/log_parser.h"
#include "model/ingest/memory_timeline/memory_timeline.h"

namespace riffle {

std::string whyNoSnapshot(std::string_view head)
{
    const auto holds = [head](std::string_view text) { return head.find(text) != head.npos; };
    const size_t first = head.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
    const std::string_view begin = first == head.npos ? std::string_view() : head.substr(first);
    if (looksLikeFlightDump(head) || looksLikeInspectorLog(head))
        return foreignSentence(head);
    if (looksLikeMemoryTimeline(head))
        return "This is a memory timeline, not a snapshot: use `riffle-cli memory FILE` or `memory info FILE`.";
    if (looksLikeMemoryLog(head))
        return "This is a log of InternEvo's memory profiler, not a snapshot: use `riffle-cli memory FILE` or `memory "
               "info FILE`.";
    if (begin.starts_with("Memory State:"))
        return "This log of InternEvo's memory profiler is cut off after its header: it contains no state.";
    if (begin.starts_with('{') || begin.starts_with('[')) {
        if (holds("\"device_traces\"") || holds("\"segments\""))
            return "This is a snapshot as JSON: Riffle reads the pickle that torch.cuda.memory._dump_snapshot() "
                   "writes.";
        if (holds("\"traceEvents\"") || holds("\"schemaVersion\"") || holds("\"ph\""))
            return "This is a trace, not a snapshot: `riffle-cli summary --view memory FILE` shows its memory.";
        return "This JSON is neither a memory timeline nor a trace, and a snapshot would be a pickle.";
    }
    if (head.starts_with("PK\x03\x04"))
        return "This is a zip archive: unpack it and open the snapshot inside. In an archive from torch.save(), it is "
               "data.pkl.";
    if (const char *sentence = foreignSentence(head))
        return sentence;
    return "This is not a pickle: torch.cuda.memory._dump_snapshot() writes a snapshot as a pickle. It is not a memory "
           "timeline or log either.";
}

} // namespace riffle
