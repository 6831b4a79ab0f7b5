// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/time.h"
#include "model/trace/column.h"
#include "model/trace/tables.h"

#include <cstdint>
#include <tuple>

namespace riffle {

/// Bits of CallTable::flags.
namespace call_flag {
enum : uint16_t {
    Timed = 1 << 0,         ///< `start` and `end` are known
    OnHost = 1 << 1,        ///< the host itself carries it out (gloo, MPI)
    Numbered = 1 << 2,      ///< `number` is the recorded sequence number (Seq)
    HasComms = 1 << 3,      ///< `commsId` was recorded
    Coalesced = 1 << 4,     ///< shares its launch, and so its times, with other calls
    GroupOfStream = 1 << 5, ///< its group was not recorded: it is that of all other calls on its stream
    KernelOnly = 1 << 6,    ///< known by the name of its kernel alone
    ByOperator = 1 << 7,    ///< described by the arguments of its operator
    Replayed = 1 << 8,      ///< launched by a graph: its sequence number is that of the capture
};
}

/// The collectives and point-to-point operations of one rank, in the order of its device's streams: by start on the
/// device; calls without times are placed by their time on the host. Texts are indices into a list beside the table.
template <template <typename> class C>
struct CallTableT {
    static constexpr const char *kName = "calls";
    static constexpr uint32_t kNone = UINT32_MAX;

    C<Ns> start, end;   ///< ns on the rank's own clock: first start to last end of its kernels, or of the host's work
    C<Ns> hostStart;    ///< of the call on the host; kNoInt if that was not recorded
    C<int64_t> bytes;   ///< of the message (R10); kNoInt if unknown
    C<int64_t> number;  ///< the sequence number in the group if Numbered; otherwise 0
    C<int64_t> commsId; ///< bits of the communicator's id if HasComms; otherwise 0
    C<int64_t> step;    ///< the number of the step around its start on the host; kNoInt if there is none
    C<int32_t> sender;  ///< of a point-to-point operation: the rank as recorded; -1 if unknown
    C<int32_t> receiver;
    C<uint32_t> slice;     ///< SliceId of its first kernel, otherwise of its work or its call on the host
    C<uint32_t> group;     ///< index into a list beside the table
    C<uint32_t> stream;    ///< counts the streams of the rank; kNone without a kernel
    C<uint32_t> operation; ///< the name as recorded
    C<uint32_t> dataType;
    C<uint16_t> part;  ///< the place among the calls that share its launch
    C<uint16_t> flags; ///< call_flag bits
    C<uint8_t> kind;   ///< a CollectiveKind (model/analysis/facts/collective_kind.h)

    auto members()
    {
        return std::tie(start, end, hostStart, bytes, number, commsId, step, sender, receiver, slice, group, stream,
                        operation, dataType, part, flags, kind);
    }
    auto members() const { return const_cast<CallTableT *>(this)->members(); }
};

using CallTable = CallTableT<Column>;
using CallRow = CallTableT<Value>;

} // namespace riffle
