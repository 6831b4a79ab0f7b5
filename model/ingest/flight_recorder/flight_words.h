// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <iterator>
#include <string_view>

namespace riffle {

/// The keys that have a meaning in a dump. They are interned first, so that the id of a text identifies its word.
enum class FlightWord : uint32_t {
    Empty,
    Version,
    Library,
    Config,
    Status,
    Entries,
    Communicators,
    Record,
    GroupId,
    Group,
    Sequence,
    P2pSequence,
    Operation,
    ProfilingName,
    InputSizes,
    InputTypes,
    OutputSizes,
    OutputTypes,
    Created,
    Duration,
    Timeout,
    Frames,
    State,
    Line,
    Name,
    FileName,
    Retired,
    DiscoveredStarted,
    DiscoveredCompleted,
    IsP2p,
    Description,
    Ranks,
    LastEnqueued,
    LastStarted,
    LastCompleted,
    Count
};

inline constexpr std::string_view kFlightWords[] = {
    "",
    "version",
    "comm_lib_version",
    "pg_config",
    "pg_status",
    "entries",
    "nccl_comm_state",
    "record_id",
    "pg_id",
    "process_group",
    "collective_seq_id",
    "p2p_seq_id",
    "op_id",
    "profiling_name",
    "input_sizes",
    "input_dtypes",
    "output_sizes",
    "output_dtypes",
    "time_created_ns",
    "duration_ms",
    "timeout_ms",
    "frames",
    "state",
    "line",
    "name",
    "filename",
    "retired",
    "time_discovered_started_ns",
    "time_discovered_completed_ns",
    "is_p2p",
    "desc",
    "ranks",
    "last_enqueued_collective",
    "last_started_collective",
    "last_completed_collective",
};
static_assert(std::size(kFlightWords) == static_cast<size_t>(FlightWord::Count));

} // namespace riffle
