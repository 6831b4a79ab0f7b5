// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/src/drain.h"
#include "collector/src/operator_text.h"
#include "model/ingest/importer.h"
#include "model/trace/json_entries.h"
#include "tests/support/archives.h"

#include <array>
#include <filesystem>
#include <gtest/gtest.h>
#include <map>
#include <string>

namespace riffle::collector {
namespace {

/// The path of stacks: what a thread writes into its ring, through the drain into a log, and what the reader shows.
class PythonStackRecords : public testing::Test {
protected:
    void SetUp() override
    {
        LogOptions options;
        options.folder = folder.path();
        options.label = "host_7";
        ASSERT_TRUE(writer.open(options)) << writer.error();
    }
    ~PythonStackRecords() override { ring->destroy(); }

    bool code(uint32_t id, const char *name, const char *file, int32_t firstLine)
    {
        // The table of 3.10: every 2 bytes of code are one line further.
        static constexpr std::array<std::byte, 8> kLines{std::byte{2}, std::byte{0}, std::byte{2}, std::byte{1},
                                                         std::byte{2}, std::byte{1}, std::byte{2}, std::byte{1}};
        return sink().code({id, firstLine, name, {}, file, kLines});
    }
    bool stack(uint32_t kept, std::initializer_list<PythonPlace> frames, uint32_t omitted = 0)
    {
        return sink().stack(kept, omitted, std::span(frames.begin(), frames.size()));
    }
    PythonStackWriter sink() { return {*ring, 1024, lost, PythonLineFormat::Pairs}; }
    void operation(const char *name, bool hasStack)
    {
        thread.push(true, nullptr, name, wire::kOperatorCategory, hasStack ? kHasPythonStack : 0);
        thread.push(true, nullptr, "aten::inside", wire::kOperatorCategory);
        thread.pop(nullptr);
        thread.pop(nullptr);
    }
    /// The stack of each operator with one, from the log.
    std::map<std::string, std::string> stacks()
    {
        drain.take(thread);
        writer.close();
        std::map<std::string, std::string> found;
        const auto read = importTrace(writer.path(), {}, {});
        EXPECT_TRUE(read) << (read ? "" : read.error().text());
        for (uint32_t id = 0; read && id < (*read)->sliceCount(); ++id) {
            const Slice slice = *(*read)->slice(SliceId(id));
            const auto text = (*read)->source->read(slice.data.sourceOffset, slice.data.sourceLength);
            for (const JsonEntry &argument : entriesOf(argsText(*text)))
                if (argument.key == "Call stack")
                    found[std::string((*read)->string(slice.data.name))] = plainText(argument.value);
        }
        return found;
    }

    test::TemporaryFolder folder;
    LogWriter writer;
    Drain drain{writer};
    Ring *ring = Ring::create(64 << 10);
    ThreadLog thread{ring, 1, 100, "main"};
    LossCounter lost;
};

TEST_F(PythonStackRecords, OnlyChangesAreWrittenAndAllOfTheStackIsRead)
{
    ASSERT_TRUE(code(1, "main", "/train.py", 10) && code(2, "Net.forward", "/net.py", 100));
    ASSERT_TRUE(stack(0, {{1, 2}, {2, 0}}));
    operation("aten::first", true);
    ASSERT_TRUE(stack(1, {{2, 4}})); // the outer frame is kept
    operation("aten::second", true);
    operation("aten::same", true);
    operation("aten::none", false);
    const std::map<std::string, std::string> expected{{"aten::first", "/net.py(100): Net.forward;/train.py(11): main"},
                                                      {"aten::second", "/net.py(102): Net.forward;/train.py(11): main"},
                                                      {"aten::same", "/net.py(102): Net.forward;/train.py(11): main"}};
    EXPECT_EQ(stacks(), expected);
}

TEST_F(PythonStackRecords, EveryFileHasTheFramesThatItNeeds)
{
    ASSERT_TRUE(code(1, "main", "/train.py", 10) && stack(0, {{1, 0}}));
    operation("aten::first", true);
    drain.take(thread);
    ASSERT_TRUE(writer.flush());
    ASSERT_EQ(writer.linkInto(folder.path() + "/dump"), ""); // continues in a new file
    operation("aten::second", true);
    drain.take(thread);
    writer.close();
    std::filesystem::remove(writer.path() + "/000001.part");
    EXPECT_EQ(stacks(), (std::map<std::string, std::string>{{"aten::second", "/train.py(10): main"}}));
}

TEST_F(PythonStackRecords, RifflesOwnFramesAreLeftOut)
{
    ASSERT_TRUE(code(1, "main", "/train.py", 10) && code(2, "call", "/lib/riffle_profiler/_modules.py", 99) &&
                code(3, "forward", "/net.py", 20) && stack(0, {{1, 0}, {2, 0}, {3, 0}}));
    operation("aten::first", true);
    EXPECT_EQ(stacks()["aten::first"], "/net.py(20): forward;/train.py(10): main");
}

TEST_F(PythonStackRecords, OuterFramesThatWereLeftOutAreCounted)
{
    ASSERT_TRUE(code(1, "deep", "/deep.py", 5) && stack(3, {{1, 0}}, 3));
    operation("aten::first", true);
    EXPECT_EQ(stacks()["aten::first"], "/deep.py(5): deep;(3 outer frames)");
}

TEST_F(PythonStackRecords, ARangeThatIsStillOpenHasItsStack)
{
    ASSERT_TRUE(code(1, "main", "/train.py", 10) && stack(0, {{1, 0}}));
    thread.push(true, nullptr, "aten::hangs", wire::kOperatorCategory, kHasPythonStack);
    drain.take(thread);
    drain.listOpen();
    EXPECT_EQ(stacks()["aten::hangs"], "/train.py(10): main");
}

TEST_F(PythonStackRecords, WhatDoesNotFitIsCounted)
{
    ASSERT_TRUE(code(1, "main", "/train.py", 10));
    int written = 0;
    while (written < 10'000 && stack(0, {{1, 0}}))
        ++written;
    EXPECT_LT(written, 10'000);
    EXPECT_EQ(lost.take().count, 1u);
}

TEST(OperatorsWithStacks, AreKnownByTheirTexts)
{
    for (const char *text : {"aten::add, op_id = 5", "AddBackward0, seq = 3, op_id = 5", "detach, op_id = 1",
                             "detach_, op_id = 1", "own, op_id = 1, sizes = [[2]]"})
        EXPECT_TRUE(resemblesOperator(text)) << text;
    for (const char *text : {"aten::add", "forward, op_id = 5", "gloo:all_reduce, op_id = 1, sizes = [[2]]",
                             "Optimizer.step#SGD.step, op_id = 7", ""})
        EXPECT_FALSE(resemblesOperator(text)) << text;
}

} // namespace
} // namespace riffle::collector
