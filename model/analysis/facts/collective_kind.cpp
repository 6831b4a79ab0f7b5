// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/facts/collective_kind.h"

#include "model/base/ascii.h"

#include <algorithm>
#include <iterator>

namespace riffle {

namespace {

struct KindWord {
    std::string_view word; ///< part of the plain name
    CollectiveKind kind;
    const char *name;
};
// A word that contains another one comes first. NCCL's barrier is an all-reduce and is named after both.
constexpr KindWord kKindWords[]{
    {"barrier", CollectiveKind::Barrier, "barrier"},
    {"allreduce", CollectiveKind::AllReduce, "all_reduce"},
    {"allgather", CollectiveKind::AllGather, "all_gather"},
    {"reducescatter", CollectiveKind::ReduceScatter, "reduce_scatter"},
    {"alltoall", CollectiveKind::AllToAll, "all_to_all"},
    {"broadcast", CollectiveKind::Broadcast, "broadcast"},
    {"reduce", CollectiveKind::Reduce, "reduce"},
    {"gather", CollectiveKind::Gather, "gather"},
    {"scatter", CollectiveKind::Scatter, "scatter"},
    {"sendrecv", CollectiveKind::SendReceive, "send_recv"},
    {"send", CollectiveKind::Send, "send"},
    {"recv", CollectiveKind::Receive, "recv"},
};

} // namespace

std::string plainCollectiveName(std::string_view name)
{
    std::string plain;
    for (const char c : name)
        if (c != '_' && c != ' ')
            plain += asciiLower(c);
    return plain;
}

CollectiveKind collectiveKind(std::string_view name)
{
    const std::string plain = plainCollectiveName(name);
    const auto found = std::find_if(std::begin(kKindWords), std::end(kKindWords),
                                    [&](const KindWord &each) { return plain.find(each.word) != std::string::npos; });
    return found == std::end(kKindWords) ? CollectiveKind::Other : found->kind;
}

const char *collectiveKindName(CollectiveKind kind)
{
    const auto found = std::find_if(std::begin(kKindWords), std::end(kKindWords),
                                    [kind](const KindWord &each) { return each.kind == kind; });
    return found == std::end(kKindWords) ? "" : found->name;
}

bool movesNothing(std::string_view name)
{
    const std::string plain = plainCollectiveName(name);
    return plain == "wait" || plain == "init" || plain == "startcoalescing" || plain == "endcoalescing";
}

std::optional<double> busFactor(CollectiveKind kind, int64_t groupSize)
{
    const double ranks = static_cast<double>(groupSize);
    switch (kind) {
    case CollectiveKind::AllReduce: return groupSize < 1 ? std::nullopt : std::optional(2 * (ranks - 1) / ranks);
    case CollectiveKind::AllGather:
    case CollectiveKind::ReduceScatter:
    case CollectiveKind::AllToAll: return groupSize < 1 ? std::nullopt : std::optional((ranks - 1) / ranks);
    case CollectiveKind::Broadcast:
    case CollectiveKind::Reduce:
    case CollectiveKind::Send:
    case CollectiveKind::Receive: return 1;
    default: return std::nullopt;
    }
}

} // namespace riffle
