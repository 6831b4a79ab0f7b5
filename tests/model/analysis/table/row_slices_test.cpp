// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/table/row_slices.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace riffle {
namespace {

TEST(RowSlices, ASliceBelongsToTheFirstOfItsRows)
{
    std::mt19937 random(3);
    for (const uint32_t count : {0u, 1u, 100u, 100'000u}) {
        BigVector<std::pair<uint32_t, uint32_t>> pairs;
        std::map<uint32_t, uint32_t> first;
        for (uint32_t at = 0; at < count; ++at) {
            const uint32_t slice = random() % 4 ? random() % (2 * count) : UINT32_MAX - 1 - random() % count;
            const uint32_t row = random() % 20;
            pairs.emplace_back(slice, row);
            const auto [found, isNew] = first.try_emplace(slice, row);
            found->second = std::min(found->second, row);
        }
        const auto rows = RowSlices::ofTrace(TraceId(0), pairs);
        std::vector<std::vector<SliceRef>> slicesOf(20);
        for (const auto &[slice, row] : first) {
            EXPECT_EQ(rows->rowOf({TraceId(0), SliceId(slice)}), row) << slice;
            slicesOf[row].push_back({TraceId(0), SliceId(slice)});
        }
        for (uint32_t row = 0; row < 20; ++row)
            EXPECT_EQ(rows->slicesOf(row), slicesOf[row]) << row;
    }
}

} // namespace
} // namespace riffle
