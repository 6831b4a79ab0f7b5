// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/trace/string_pool.h"

#include <gtest/gtest.h>
#include <map>
#include <random>
#include <string>

namespace riffle {
namespace {

TEST(StringInternerTest, GivesEveryTextOneId)
{
    StringInterner strings;
    std::map<std::string, uint32_t> ids{{"", 0}};
    std::map<std::string, uint64_t> firstOffsets{{"", 0}};
    std::mt19937 random(1);
    for (int i = 0; i < 60'000; ++i) {
        std::string text(random() % 4, 'a');
        for (char &c : text)
            c = static_cast<char>("ab\0\xff"[random() % 4]);
        text += std::to_string(random() % 20'000);
        if (random() % 50 == 0)
            text.clear();
        const uint64_t offset = 1 + random() % 1'000'000; // in random order
        const uint32_t id = strings.intern(text, offset);
        ASSERT_EQ(id, ids.try_emplace(text, static_cast<uint32_t>(ids.size())).first->second);
        auto &first = firstOffsets.try_emplace(text, offset).first->second;
        first = std::min(first, offset);
    }
    ASSERT_EQ(strings.count(), ids.size());
    for (const auto &[text, id] : ids) {
        ASSERT_EQ(strings.text(id), text);
        ASSERT_EQ(strings.firstOffset(id), firstOffsets.at(text));
    }
}

TEST(StringInternerTest, TextsKeepTheirPlaceWhileItGrows)
{
    StringInterner strings;
    const uint32_t id = strings.intern("stays", 9);
    const char *at = strings.text(id).data();
    const std::string large(1'000'000, 'x');
    const uint32_t largeId = strings.intern(large, 10);
    for (int i = 0; i < 100'000; ++i)
        strings.intern(std::to_string(i), 11);
    EXPECT_EQ(strings.text(id).data(), at);
    EXPECT_EQ(strings.text(id), "stays");
    EXPECT_EQ(strings.text(largeId), large);
    EXPECT_EQ(strings.intern(large, 12), largeId);
    EXPECT_GE(strings.memoryBytes(), large.size());
}

TEST(StringInternerTest, ForgetsTheLastAndFindsTheRest)
{
    StringInterner strings;
    for (int i = 0; i < 5000; ++i)
        strings.intern("text " + std::to_string(i), 1);
    strings.truncate(2001); // the empty string and 2000 other strings
    EXPECT_EQ(strings.count(), 2001u);
    EXPECT_EQ(strings.intern("text 1999", 1), 2000u);
    EXPECT_EQ(strings.intern("text 4000", 7), 2001u);
    EXPECT_EQ(strings.firstOffset(2001), 7u);
    EXPECT_EQ(strings.intern("text 2000", 1), 2002u);
    strings.truncate(9999);
    EXPECT_EQ(strings.count(), 2003u);
    EXPECT_EQ(strings.intern({}, 5), 0u);
    EXPECT_EQ(strings.intern(std::string_view("", 0), 5), 0u);
}

TEST(StringTableTest, AnswersAnythingForDamagedBegins)
{
    static constexpr char kBytes[] = "onetwo";
    static constexpr uint64_t kBegins[] = {0, 0, 3, 6, 2, 90};
    const StringTable table{Column<char>(nullptr, kBytes, 6), Column<uint64_t>(nullptr, kBegins, 6)};
    EXPECT_EQ(table.count(), 5u);
    EXPECT_EQ(table.at(0), "");
    EXPECT_EQ(table.at(1), "one");
    EXPECT_EQ(table.at(2), "two");
    EXPECT_EQ(table.at(3), ""); // starts after its end
    EXPECT_EQ(table.at(4), ""); // ends after the bytes
    EXPECT_EQ(table.at(5), "");
    EXPECT_EQ(table.at(UINT32_MAX), "");
    EXPECT_EQ(StringTable().count(), 0u);
    EXPECT_EQ(StringTable().at(0), "");
}

} // namespace
} // namespace riffle
