// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/base/byte_stream.h"

#include <gtest/gtest.h>
#include <random>

namespace riffle {
namespace {

enum class Colour : uint8_t { Red, Green };

std::string sample()
{
    ByteWriter out;
    out.put<uint8_t>(7);
    out.put<int64_t>(-5);
    out.putText("text");
    out.put(Colour::Green);
    out.put(1.5);
    out.putText({});
    out.put<uint64_t>(3);
    return out.take();
}

TEST(ByteStreamTest, ReadsWhatWasWritten)
{
    const std::string bytes = sample();
    EXPECT_EQ(bytes.size(), 1u + 8 + (8 + 4) + 1 + 8 + 8 + 8); // no padding
    const std::string more = bytes + "abc";
    ByteReader in(more);
    EXPECT_EQ(in.get<uint8_t>(), 7);
    EXPECT_EQ(in.get<int64_t>(), -5);
    EXPECT_EQ(in.getText(), "text");
    EXPECT_EQ(in.get<Colour>(), Colour::Green);
    EXPECT_EQ(in.get<double>(), 1.5);
    EXPECT_EQ(in.getText(), "");
    EXPECT_EQ(in.getCount(1), 3u);
    EXPECT_EQ(in.left(), "abc");
    EXPECT_EQ(in.getBytes(3), "abc");
    EXPECT_TRUE(in.ok());
    EXPECT_EQ(in.get<uint8_t>(), 0);
    EXPECT_FALSE(in.ok());
}

TEST(ByteStreamTest, WhatIsCutGivesZerosForGood)
{
    const std::string bytes = sample();
    for (size_t size = 0; size < bytes.size(); ++size) {
        ByteReader in(std::string_view(bytes).substr(0, size));
        in.get<uint8_t>();
        in.get<int64_t>();
        in.getText();
        in.get<Colour>();
        in.get<double>();
        in.getText();
        in.get<uint64_t>();
        EXPECT_FALSE(in.ok()) << size;
        EXPECT_EQ(in.get<int64_t>(), 0);
        EXPECT_EQ(in.getText(), "");
        EXPECT_EQ(in.getBytes(0).size(), 0u);
        EXPECT_FALSE(in.ok());
    }
}

TEST(ByteStreamTest, ADamagedBoolIsTrue)
{
    using namespace std::string_view_literals;
    ByteReader in("\xFF\x00\x01"sv);
    // A bool with any other byte behind it equals neither true nor false.
    EXPECT_EQ(static_cast<int>(in.get<bool>()), 1);
    EXPECT_EQ(static_cast<int>(in.get<bool>()), 0);
    EXPECT_EQ(static_cast<int>(in.get<bool>()), 1);
    EXPECT_TRUE(in.ok());
    EXPECT_FALSE(in.get<bool>());
    EXPECT_FALSE(in.ok());
}

TEST(ByteStreamTest, AbsurdSizesAreRefused)
{
    for (const uint64_t absurd : {uint64_t{100}, UINT64_MAX, uint64_t{1} << 63, UINT64_MAX / 8 + 1}) {
        ByteWriter out;
        out.put(absurd);
        out.put<uint64_t>(1);
        ByteReader text(out.bytes()), count(out.bytes());
        EXPECT_EQ(text.getText(), "");
        EXPECT_FALSE(text.ok());
        EXPECT_EQ(count.getCount(8), 0u);
        EXPECT_FALSE(count.ok());
    }
    ByteWriter out;
    out.put<uint64_t>(2);
    out.put<uint32_t>(1);
    out.put<uint32_t>(2);
    EXPECT_EQ(ByteReader(out.bytes()).getCount(4), 2u);
    EXPECT_EQ(ByteReader(out.bytes()).getCount(5), 0u);
}

} // namespace
} // namespace riffle
