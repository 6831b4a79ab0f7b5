// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/base/natural_order.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <vector>

namespace riffle {
namespace {

TEST(NaturalOrder, ComparesNumbersAsNumbers)
{
    const std::vector<std::string> ordered = {"",
                                              "a/b",
                                              "a/z9",
                                              "a0/b",
                                              "rank",
                                              "rank2.json",
                                              "rank02.json",
                                              "rank10.json",
                                              "rank10x2",
                                              "rank10x10",
                                              "rank100000000000000000000000000001",
                                              "ß"};
    std::vector<std::string> sorted = ordered;
    std::sort(sorted.begin(), sorted.end(), naturallyBefore);
    std::vector<std::string> expected = ordered;
    std::swap(expected[5], expected[6]); // of equal numbers, the text decides, and "0" comes before "2"
    EXPECT_EQ(sorted, expected);
}

TEST(NaturalOrder, IsAnOrderOfRandomTexts)
{
    std::mt19937 random(7);
    std::vector<std::string> texts(60);
    for (std::string &text : texts)
        for (unsigned length = random() % 6; length > 0; --length)
            text += "01 9a/b"[random() % 7];
    for (const std::string &a : texts)
        for (const std::string &b : texts) {
            EXPECT_EQ(naturallyBefore(a, b) || naturallyBefore(b, a), a != b) << a << "|" << b;
            for (const std::string &c : texts)
                if (naturallyBefore(a, b) && naturallyBefore(b, c)) {
                    EXPECT_TRUE(naturallyBefore(a, c)) << a << "|" << b << "|" << c;
                }
        }
}

} // namespace
} // namespace riffle
