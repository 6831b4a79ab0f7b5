// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/trace/unload_order.h"

#include <gtest/gtest.h>

namespace riffle {
namespace {

TraceSet setWith(size_t members)
{
    TraceSet set;
    for (size_t at = 0; at < members; ++at)
        set.add(std::make_shared<Trace>());
    return set;
}

/// The members in the order in which they are unloaded while memory is short.
std::vector<uint32_t> unloadedOf(UnloadOrder &order, TraceSet set)
{
    std::vector<uint32_t> ids;
    while (const auto id = order.next(set, 2, 1)) {
        ids.push_back(id->value);
        set.unload(*id);
    }
    return ids;
}

TEST(UnloadOrder, WhatFitsStays)
{
    UnloadOrder order;
    EXPECT_FALSE(order.next(setWith(3), 100, 100));
    EXPECT_TRUE(order.next(setWith(3), 101, 100));
}

TEST(UnloadOrder, TheLeastRecentlyLookedAtGoesFirstAndTheLastStays)
{
    UnloadOrder order;
    for (const uint32_t id : {2, 0, 3, 1, 0})
        order.looked(TraceId(id));
    EXPECT_EQ(unloadedOf(order, setWith(4)), (std::vector<uint32_t>{2, 3, 1}));
}

TEST(UnloadOrder, WhatNobodyLookedAtGoesBeforeTheRestFromTheEnd)
{
    UnloadOrder order;
    EXPECT_EQ(unloadedOf(order, setWith(4)), (std::vector<uint32_t>{3, 2, 1}));
    order.looked(TraceId(3));
    EXPECT_EQ(unloadedOf(order, setWith(4)), (std::vector<uint32_t>{2, 1, 0}));
}

TEST(UnloadOrder, OneAtATimeUntilItsMemoryIsFree)
{
    UnloadOrder order;
    TraceSet set = setWith(3);
    std::shared_ptr<const Trace> used = set.loaded()[2].trace;
    ASSERT_EQ(order.next(set, 2, 1), TraceId(2));
    set.unload(TraceId(2));
    EXPECT_FALSE(order.next(set, 2, 1)) << "a view still shows it";
    used.reset();
    EXPECT_EQ(order.next(set, 2, 1), TraceId(1));
}

TEST(UnloadOrder, AMemberThatWasRemovedIsForgotten)
{
    UnloadOrder order;
    TraceSet set = setWith(3);
    order.looked(TraceId(0));
    order.looked(TraceId(1));
    set.remove(TraceId(1));
    EXPECT_EQ(unloadedOf(order, set), (std::vector<uint32_t>{2}));
}

} // namespace
} // namespace riffle
