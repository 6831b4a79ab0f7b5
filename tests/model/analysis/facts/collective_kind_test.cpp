// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/facts/collective_kind.h"
#include "model/analysis/facts/message_shapes.h"

#include <gtest/gtest.h>

namespace riffle {
namespace {

TEST(CollectiveKind, NamesInAnySpelling)
{
    const std::pair<const char *, CollectiveKind> cases[]{
        {"allreduce", CollectiveKind::AllReduce},
        {"allreduce_coalesced", CollectiveKind::AllReduce},
        {"all_reduce_barrier", CollectiveKind::Barrier},
        {"_allgather_base", CollectiveKind::AllGather},
        {"AllGather", CollectiveKind::AllGather},
        {"reduce_scatter_tensor_coalesced", CollectiveKind::ReduceScatter},
        {"all_to_allv", CollectiveKind::AllToAll},
        {"alltoall_base_", CollectiveKind::AllToAll},
        {"_reduce_oop", CollectiveKind::Reduce},
        {"SendRecv", CollectiveKind::SendReceive},
        {"send 0->1", CollectiveKind::Send},
        {"recvAnysource", CollectiveKind::Receive},
        {"coalesced", CollectiveKind::Other},
        {"", CollectiveKind::Other}};
    for (const auto &[name, kind] : cases)
        EXPECT_EQ(collectiveKind(name), kind) << name;
    EXPECT_TRUE(movesNothing("wait") && movesNothing("init"));
    EXPECT_FALSE(movesNothing("barrier"));
}

TEST(CollectiveKind, BusFactors)
{
    EXPECT_EQ(busFactor(CollectiveKind::AllReduce, 4), 1.5);
    EXPECT_EQ(busFactor(CollectiveKind::AllGather, 8), 0.875);
    EXPECT_EQ(busFactor(CollectiveKind::ReduceScatter, 2), 0.5);
    EXPECT_EQ(busFactor(CollectiveKind::AllToAll, 1), 0);
    EXPECT_EQ(busFactor(CollectiveKind::Send, kNoInt), 1);
    EXPECT_FALSE(busFactor(CollectiveKind::AllReduce, kNoInt));
    EXPECT_FALSE(busFactor(CollectiveKind::AllReduce, 0));
    EXPECT_FALSE(busFactor(CollectiveKind::SendReceive, 4));
}

TEST(MessageShape, SumsTheTensorsOfARange)
{
    const auto two = messageShape("[[2,3],[4]]", R"(["float","float"])");
    ASSERT_TRUE(two);
    EXPECT_EQ(two->elements, 10);
    EXPECT_EQ(two->type, "float");
    const auto mixed = messageShape("[[2,3],[4],[]]", R"(["float","int","Scalar"])");
    ASSERT_TRUE(mixed);
    EXPECT_EQ(mixed->elements, 10);
    EXPECT_EQ(mixed->type, "");
    EXPECT_FALSE(messageShape("[[]]", R"(["TensorList"])"));
    EXPECT_FALSE(messageShape("[]", "[]"));
    EXPECT_FALSE(messageShape("[[2]]", R"(["float","float"])"));
    EXPECT_FALSE(messageShape("[[-2]]", R"(["float"])"));
    EXPECT_FALSE(messageShape("[[4611686018427387904,4]]", R"(["float"])"));
    EXPECT_FALSE(messageShape("[2", "[\"float\"]"));
}

} // namespace
} // namespace riffle
