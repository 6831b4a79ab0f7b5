// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/src/sources/python_layout.h"
#include "collector/src/sources/python_lines.h"

#include <array>
#include <cstring>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace riffle::collector {
namespace {

/// The words of _PyRuntime's table in a Python 3.13.0 that has a GIL, as far as they are compared.
std::array<uint64_t, 64> tableOf313()
{
    std::array<uint64_t, 64> words{};
    std::memcpy(words.data(), "xdebugpy", 8);
    words[1] = 0x030D00F0;
    const uint64_t offsets[][2] = {{23, 72},  {29, 8},   {30, 0},   {31, 56},  {33, 70},  {35, 112},
                                   {36, 120}, {37, 128}, {38, 136}, {39, 68},  {43, 200}, {45, 8},
                                   {9, 7352}, {21, 8},   {22, 16},  {24, 152}, {25, 160}};
    for (const auto &[at, offset] : offsets)
        words[at] = offset;
    return words;
}

std::string refusal(uint64_t version, const void *runtime)
{
    const char *why = "";
    EXPECT_EQ(pythonLayout(version, runtime, why), nullptr);
    return why;
}

TEST(PythonLayout, KnownVersions)
{
    const char *why = "";
    const auto table = tableOf313();
    for (const uint64_t version : {0x030A0DF0, 0x030B02F0, 0x030B0EF0, 0x030C01F0, 0x030D00F0})
        EXPECT_NE(pythonLayout(version, table.data(), why), nullptr) << std::hex << version << why;
}

TEST(PythonLayout, RefusesInASentence)
{
    const auto table = tableOf313();
    for (const uint64_t version : {0x030912F0, 0x030B01F0, 0x030E00F0, 0x040000F0}) {
        const std::string why = refusal(version, table.data());
        EXPECT_TRUE(why.starts_with("Python stacks are not recorded: ") && why.ends_with('.')) << why;
    }
}

TEST(PythonLayout, RefusesOtherBuildsOf313)
{
    auto table = tableOf313();
    table[2] = 1;
    EXPECT_NE(refusal(0x030D00F0, table.data()).find("without a global lock"), std::string::npos);
    table = tableOf313();
    table[43] = 208; // where the instructions are
    EXPECT_NE(refusal(0x030D00F0, table.data()).find("in an unknown way"), std::string::npos);
    table = tableOf313();
    table[0] = 0;
    EXPECT_NE(refusal(0x030D00F0, table.data()).find("does not say"), std::string::npos);
}

int32_t line(PythonLineFormat format, std::vector<uint8_t> table, uint32_t offset)
{
    return pythonLine(format, std::as_bytes(std::span(table)), 10, offset);
}

TEST(PythonLines, Pairs)
{
    // 4 bytes on line 11, 2 without a line, 2 on line 8
    const std::vector<uint8_t> table{4, 1, 2, 0x80, 2, 0xFD};
    EXPECT_EQ(line(PythonLineFormat::Pairs, table, 0), 11);
    EXPECT_EQ(line(PythonLineFormat::Pairs, table, 2), 11);
    EXPECT_EQ(line(PythonLineFormat::Pairs, table, 4), 0);
    EXPECT_EQ(line(PythonLineFormat::Pairs, table, 6), 8);
}

TEST(PythonLines, Places)
{
    // short form of 1 unit on line 10; one line form (+2) of 2 units; no columns (-1) of 1 unit; no place of 1 unit;
    // long form (+40) of 8 units
    const std::vector<uint8_t> table{0x80, 0x11, 0xE1, 3, 4, 0xE8, 3, 0xF8, 0xF7, 0x50, 0x01, 0, 1, 2};
    EXPECT_EQ(line(PythonLineFormat::Places, table, 0), 10);
    EXPECT_EQ(line(PythonLineFormat::Places, table, 2), 12);
    EXPECT_EQ(line(PythonLineFormat::Places, table, 4), 12);
    EXPECT_EQ(line(PythonLineFormat::Places, table, 6), 11);
    EXPECT_EQ(line(PythonLineFormat::Places, table, 8), 0);
    EXPECT_EQ(line(PythonLineFormat::Places, table, 24), 51);
}

TEST(PythonLines, CutTablesEnd)
{
    EXPECT_EQ(line(PythonLineFormat::Pairs, {}, 5), 10);
    EXPECT_EQ(line(PythonLineFormat::Pairs, {2}, 5), 10);
    EXPECT_EQ(line(PythonLineFormat::Places, {0xF0}, 0), 10);
    EXPECT_EQ(line(PythonLineFormat::Places, {0xF0, 0x7F, 0x7F, 0x7F, 0x7F, 0x7F, 0x7F, 0x7F}, 0) != 0, true);
}

} // namespace
} // namespace riffle::collector
