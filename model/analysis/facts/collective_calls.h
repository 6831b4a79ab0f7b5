// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/facts/collective_kind.h"
#include "model/analysis/facts/device_work.h"

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace riffle {

/// A process group as it was recorded. Texts are empty and the size is kNoInt if they were not recorded.
struct CollectiveGroup {
    std::string_view name, description;
    std::string_view ranks; ///< as recorded: "[0, 1, 2]"; Kineto shortens long lists: "[0, 1, …, ...]"
    int64_t size = kNoInt;  ///< the recorded size, otherwise the number of ranks in a list that is complete
    auto operator<=>(const CollectiveGroup &) const = default;
};

/// The source of a call's description, from the most to the least that can be known.
enum class CollectiveSource : uint8_t {
    Host,      ///< the arguments of its operator on the host
    Kernel,    ///< the same arguments on a kernel whose operator was not recorded, for instance in a CUDA graph
    Range,     ///< a range such as "nccl:all_reduce": the kind and, if shapes were recorded, the size
    Operator,  ///< an operator such as "c10d::allreduce_": only the kind
    KernelName ///< the name of a kernel
};

/// One call of a collective or of a point-to-point operation by one rank.
struct CollectiveCall {
    CollectiveKind kind = CollectiveKind::Other;
    CollectiveSource source = CollectiveSource::Host;
    bool isNumbered = false;    ///< `number` is the recorded sequence number; otherwise it only says the order
    std::string_view operation; ///< as recorded, without "nccl:" and the like; of a kernel, a word of its name
    std::string_view dataType;  ///< as recorded; empty if unknown
    uint32_t group = 0;         ///< index into CollectiveCalls::groups
    /// The sequence number in the group, or how many calls of the same group and kind the trace contains before it.
    int64_t number = 0;
    int64_t rank = kNoInt, sourceRank = kNoInt, destinationRank = kNoInt;
    int64_t commsId = kNoInt; ///< bits of the communicator's id
    int64_t inElements = kNoInt, outElements = kNoInt;
    int64_t bytes = kNoInt;            ///< of the message (message_size.h)
    uint32_t host = DeviceWork::kNone; ///< the slice of the call on the host
    uint32_t range =
        DeviceWork::kNone; ///< the slice in which the host itself carries it out (gloo, MPI), on any thread
    uint32_t firstWork = 0, lastWork = 0; ///< its kernels in CollectiveCalls::work

    /// The elements of the message; kNoInt if unknown.
    int64_t elements() const { return kind == CollectiveKind::AllGather ? outElements : inElements; }
};

/// The calls of collectives and point-to-point operations in a trace, each once: an operator, the ranges and operators
/// inside and around it, the kernels that it launched and the copies of its arguments on them are one call. So are an
/// operator whose arguments were recorded and the range on another thread in which gloo carries it out: in the order of
/// their starts, a range belongs to the first such operator of its kind and process that has none and fits in size.
///
/// Kernels belong to the call in which they were launched. Without a launch, they belong to the operator with their
/// External id, otherwise to the only call with their group, operation and sequence number. Other kernels are calls of
/// their own if they have the arguments or the name of a communication kernel; each replay of a graph counts.
struct CollectiveCalls {
    std::vector<CollectiveGroup> groups;
    std::vector<CollectiveCall> calls; ///< by start: on the host if that was recorded, otherwise on the device
    BigVector<uint32_t> work;          ///< indices into DeviceWork, by call, then by start
    std::set<std::string> types;       ///< the names of types that only shapes show

    CollectiveCalls(const Trace &trace, const SliceClasses &classes, const CallTree &calls, const DeviceWork &work);
    CollectiveCalls(const CollectiveCalls &) = delete; // the texts refer to `types`
    CollectiveCalls &operator=(const CollectiveCalls &) = delete;

    std::span<const uint32_t> workOf(const CollectiveCall &call) const
    {
        return {work.data() + call.firstWork, work.data() + call.lastWork};
    }
};

} // namespace riffle
