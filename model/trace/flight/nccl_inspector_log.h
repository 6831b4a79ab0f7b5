// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/result.h"
#include "model/trace/memory/memory_timeline.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace riffle {

/// A communicator of a log, and what its ring lost before it was written.
struct InspectorCommunicator {
    std::string id, name; ///< the hash that NCCL gives it; the name of the group, if the program gave one
    int64_t rank = -1, ranks = -1, nodes = -1; ///< of the communicator, not of the job; -1 if they are not recorded
    std::string host;
    int64_t pid = -1;
    uint64_t droppedCollectives = 0, droppedP2p = 0; ///< overwritten in the ring before they were written
    uint64_t droppedProxy = 0;                       ///< records and operations of the network proxy
};

/// One collective, send or receive that ended.
struct InspectorCall {
    static constexpr int64_t kNone = -1;

    uint32_t communicator = 0;
    uint32_t name = 0, algorithm = 0, protocol = 0; ///< ids of texts: "AllReduce", "RING", "SIMPLE"
    uint32_t timing = 0;                            ///< id of how the time was measured: "kernel_gpu", …
    int64_t sequence = kNone;                       ///< counts the calls of the communicator, those lost included
    int64_t bytes = kNone;
    int64_t microseconds = kNone;
    int64_t peer = kNone;
    double algorithmBandwidth = -1, busBandwidth = -1; ///< GB/s, as recorded; negative if they are not
    int64_t start = kNone; ///< Unix time in µs when NCCL called the plugin for its begin; only in verbose logs
    bool isP2p = false;
};

/// A log of NCCL Inspector, the profiler plugin of NCCL (and of RCCL's copy): the collectives of one process. It never
/// changes once it is read.
class NcclInspectorLog {
public:
    std::string path;
    std::string container; ///< "plain", "gzip", "zstd"
    uint64_t fileBytes = 0, textBytes = 0;
    std::vector<std::string> versions; ///< of the form of the records, such as "v4.3"
    std::vector<InspectorCommunicator> communicators;
    std::vector<InspectorCall> calls; ///< in the order of the file
    std::vector<std::string> texts;   ///< by id; 0 is the empty text
    uint64_t proxyRecords = 0;        ///< records of the network proxy, which are counted only
    uint64_t dumps = 0;               ///< marks that a communicator was dumped
    uint64_t promised = 0;            ///< records that such marks announce but that do not follow
    uint64_t proxySkipped = 0;        ///< operations of other processes (PXN), which the plugin does not record
    std::vector<FileTrouble> troubles;
    std::optional<Error> damage; ///< why the file could not be read to its end; everything before that is here

    std::string_view text(uint32_t id) const { return texts[id]; }
    /// The number of calls and records that the rings of the plugin overwrote.
    uint64_t dropped() const;
    /// True if the log lacks something that was recorded.
    bool hasLosses() const { return dropped() > 0 || promised > 0 || !troubles.empty() || damage; }
};

} // namespace riffle
