// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/base/merge_sort.h"

#include "model/base/big_vector.h"

#include <gtest/gtest.h>
#include <random>

namespace riffle {
namespace {

struct Item {
    uint32_t key;
    uint32_t place; ///< the position before sorting, to distinguish equal keys
    bool operator==(const Item &) const = default;
};

bool byKey(const Item &a, const Item &b) { return a.key < b.key; }

BigVector<Item> numbered(const std::vector<uint32_t> &keys)
{
    BigVector<Item> items;
    for (const uint32_t key : keys)
        items.push_back({key, static_cast<uint32_t>(items.size())});
    return items;
}

/// Expects that sorting is correct and stable. Returns the number of comparisons.
size_t expectSorted(BigVector<Item> items)
{
    BigVector<Item> expected = items;
    std::stable_sort(expected.begin(), expected.end(), byKey);
    size_t comparisons = 0;
    mergeSortRuns(items, [&](const Item &a, const Item &b) {
        ++comparisons;
        return byKey(a, b);
    });
    EXPECT_TRUE(items == expected);
    return comparisons;
}

TEST(MergeSort, SortsStably)
{
    std::mt19937 random(1);
    for (int round = 0; round < 600; ++round) {
        std::vector<uint32_t> keys(random() % (round % 10 ? 100 : 3000));
        const uint32_t range = 1 + static_cast<uint32_t>(random() % (round % 3 ? 20 : 1000));
        const uint32_t run = 1 + static_cast<uint32_t>(random() % 200);
        for (size_t at = 0; at < keys.size(); ++at) // ascending runs of any length that overlap each other
            keys[at] = at % run && keys[at - 1] < range * 4 ? keys[at - 1] + static_cast<uint32_t>(random() % 3)
                                                            : static_cast<uint32_t>(random() % range);
        expectSorted(numbered(keys));
    }
}

TEST(MergeSort, TakesLittleWorkForWhatIsSorted)
{
    std::vector<uint32_t> keys(100'000);
    for (size_t at = 0; at < keys.size(); ++at)
        keys[at] = static_cast<uint32_t>(at / 3);
    EXPECT_LT(expectSorted(numbered(keys)), keys.size() + 10);
    // Four sorted runs of which only the last does not follow the one before.
    std::rotate(keys.begin(), keys.begin() + 25'000, keys.end());
    EXPECT_LT(expectSorted(numbered(keys)), keys.size() * 3);
}

TEST(MergeSort, TakesNoMoreThanAMergeSortForTheWorst)
{
    std::vector<uint32_t> keys;
    for (uint32_t at = 0; at < 300'000; ++at)
        keys.push_back(300'000 - at);
    EXPECT_LT(expectSorted(numbered(keys)), keys.size() * 20);
    for (uint32_t at = 0; at < keys.size(); ++at) // two interleaved runs: every merge takes from both sides
        keys[at] = at % 2 ? at : 600'000 - at;
    EXPECT_LT(expectSorted(numbered(keys)), keys.size() * 25);
}

} // namespace
} // namespace riffle
