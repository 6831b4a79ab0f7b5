// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/flight_marks.h"

#include <algorithm>
#include <array>

namespace riffle {

namespace {

using namespace std::string_view_literals;

/// Keys that stand near the begin of a dump and in no other file. Pickles have the version and the groups first; JSON
/// is sorted by key, so it starts with the version of the library or with an entry.
constexpr std::array kKeysOfDumps = {"pg_config"sv,       "pg_status"sv,      "comm_lib_version"sv,
                                     "nccl_comm_state"sv, "profiling_name"sv, "collective_seq_id"sv};
/// Keys of other files that may name some of them: traces of Kineto list process groups, too.
constexpr std::array kKeysOfOthers = {"\"traceEvents\""sv,     "\"schemaVersion\""sv,   "\"deviceProperties\""sv,
                                      "\"distributedInfo\""sv, "\"displayTimeUnit\""sv, "\"ph\""sv,
                                      "device_traces"sv};
constexpr std::array kKeysOfInspector = {"\"inspector_output_format_version\""sv, "\"coll_perf\""sv, "\"p2p_perf\""sv,
                                         "\"dump_stats\""sv, "\"proxy_trace\""sv};

template <typename Keys>
bool namesAny(std::string_view head, const Keys &keys)
{
    return std::ranges::any_of(keys, [&](std::string_view key) { return head.find(key) != head.npos; });
}

} // namespace

bool startsLikePickle(std::string_view head)
{
    return (head.size() > 1 && head[0] == '\x80' && head[1] <= 5) || head.starts_with("}q") || head.starts_with("(dp");
}

std::string_view withoutBlanks(std::string_view head)
{
    if (head.starts_with("\xEF\xBB\xBF"))
        head.remove_prefix(3);
    head.remove_prefix(std::min(head.find_first_not_of(" \t\r\n"), head.size()));
    return head;
}

bool looksLikeFlightDump(std::string_view head)
{
    return (startsLikePickle(head) || withoutBlanks(head).starts_with('{')) && namesAny(head, kKeysOfDumps) &&
           !namesAny(head, kKeysOfOthers);
}

bool looksLikeInspectorLog(std::string_view head)
{
    return withoutBlanks(head).starts_with('{') && namesAny(head, kKeysOfInspector) && !namesAny(head, kKeysOfOthers);
}

} // namespace riffle
