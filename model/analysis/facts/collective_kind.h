// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// The kind of a collective, from its name in any spelling: that of "Collective name" ("_allgather_base"), of a range
/// ("nccl:all_gather") or of a kernel ("AllGather").
namespace riffle {

enum class CollectiveKind : uint8_t {
    AllReduce,
    AllGather,
    ReduceScatter,
    AllToAll,
    Broadcast,
    Reduce,
    Gather,
    Scatter,
    Send,
    Receive,
    SendReceive, ///< NCCL's kernel for sends, receives and everything made of them, such as all-to-all
    Barrier,
    Other
};

/// Lower case without underscores and blanks: "_reduce_scatter_base" becomes "reducescatterbase".
std::string plainCollectiveName(std::string_view name);

CollectiveKind collectiveKind(std::string_view name);
/// The name in torch.distributed: "all_reduce", "recv"; "" for Other.
const char *collectiveKindName(CollectiveKind kind);
/// True for sends and receives between two ranks.
inline bool isPointToPoint(CollectiveKind kind)
{
    return kind == CollectiveKind::Send || kind == CollectiveKind::Receive;
}
/// True for names under which nothing is communicated: "wait", "init" and the marks of a coalesced launch.
bool movesNothing(std::string_view name);

/// Bus bandwidth / algorithm bandwidth in a group of this many ranks: 2(n−1)/n for an all-reduce, (n−1)/n for an
/// all-gather, a reduce-scatter and an all-to-all (DEFINITIONS 5), 1 for broadcasts, reductions, sends and receives (as
/// in NCCL's own tests). Empty if the size of the group matters and is unknown (less than 1), and for other kinds.
std::optional<double> busFactor(CollectiveKind kind, int64_t groupSize);

} // namespace riffle
