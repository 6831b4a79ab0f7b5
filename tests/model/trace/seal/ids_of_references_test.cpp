// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/trace/seal/ids_of_references.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <random>

namespace riffle {
namespace {

TEST(IdsOfReferences, AreThePlacesInTheOrder)
{
    constexpr uint32_t kReferences = 200'000;
    std::vector<uint32_t> order(kReferences - 777); // the last references have no slice
    std::iota(order.begin(), order.end(), 0u);
    std::mt19937 random(3);
    std::shuffle(order.begin(), order.end(), random);
    for (const uint32_t every : {1u, 3u, 64u, 10'007u}) {
        IdsOfReferences ids(kReferences);
        for (size_t id = 0; id < order.size(); ++id)
            if (order[id] % every == 0)
                ids.want(order[id]);
        ids.find(order);
        size_t wrong = 0;
        for (size_t id = 0; id < order.size(); ++id)
            wrong += order[id] % every == 0 && ids.idOf(order[id]) != id;
        EXPECT_EQ(wrong, 0u) << every;
    }
}

TEST(IdsOfReferences, MayBeWantedTwiceOrNotAtAll)
{
    const std::vector<uint32_t> order{2, 0, 1};
    IdsOfReferences none(3);
    none.find(order);
    IdsOfReferences one(3);
    one.want(1);
    one.want(1);
    one.find(order);
    EXPECT_EQ(one.idOf(1), 2u);
}

} // namespace
} // namespace riffle
