// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/src/log_writer.h"
#include "collector/src/sources/python_copies.h"
#include "collector/src/sources/python_sample_slices.h"
#include "model/analysis/facts/trace_facts.h"
#include "model/ingest/importer.h"
#include "model/trace/sampled_lane.h"
#include "tests/support/archives.h"

#include <gtest/gtest.h>
#include <map>
#include <string>
#include <sys/mman.h>
#include <vector>

namespace riffle::collector {
namespace {

constexpr int64_t kMs = 1'000'000;

/// Feeds samples every 10 ms; a frame is a letter, with its place as a digit behind it.
class Slices {
public:
    void at(int64_t ms, const std::string &frames, uint32_t thread = 7)
    {
        std::vector<SampledFrame> sample;
        for (size_t i = 0; i + 1 < frames.size(); i += 2)
            sample.push_back({name(frames[i]), static_cast<uint64_t>(frames[i + 1])});
        slices.add(thread, ms * kMs, sample);
    }
    /// Those that have ended, as "a 0-20", in ms.
    std::vector<std::string> ended()
    {
        std::vector<std::string> found;
        for (const SampledSlice &slice : slices.takeEnded())
            found.push_back(*slice.name + " " + std::to_string(slice.start / kMs) + "-" +
                            std::to_string(slice.end / kMs));
        return found;
    }
    std::string open() const
    {
        std::string found;
        for (const SampledSlice &slice : slices.open())
            found += *slice.name + std::to_string(slice.start / kMs) + " ";
        return found;
    }
    PythonSampleSlices slices{10 * kMs};

private:
    SampledName name(char letter)
    {
        SampledName &known = m_names[letter];
        if (!known)
            known = std::make_shared<const std::string>(1, letter);
        return known;
    }
    std::map<char, SampledName> m_names;
};

using Texts = std::vector<std::string>;

TEST(PythonSampleSlices, AFrameInConsecutiveSamplesIsOneSlice)
{
    Slices slices;
    slices.at(100, "a1b1c1");
    slices.at(110, "a1b1c2");
    slices.at(120, "a1b2d1");
    EXPECT_EQ(slices.ended(), (Texts{"c 100-120"}));
    EXPECT_EQ(slices.open(), "a100 b100 d120 ");
    slices.at(130, "a1");
    EXPECT_EQ(slices.ended(), (Texts{"b 100-130", "d 120-130"})); // the outermost first
}

TEST(PythonSampleSlices, AnotherPlaceOfTheCallerIsAnotherCall)
{
    Slices slices;
    slices.at(100, "a1b1c1");
    slices.at(110, "a2b1c1");
    EXPECT_EQ(slices.ended(), (Texts{"b 100-110", "c 100-110"}));
    EXPECT_EQ(slices.open(), "a100 b110 c110 ");
}

TEST(PythonSampleSlices, ASliceEndsAtMostOneIntervalAfterItsLastSample)
{
    Slices slices;
    slices.at(100, "a1b1");
    slices.at(145, "a1c1"); // a late sample
    EXPECT_EQ(slices.ended(), (Texts{"b 100-110"}));
    slices.slices.endAll(147 * kMs); // a pause
    EXPECT_EQ(slices.ended(), (Texts{"a 100-147", "c 145-147"}));
    slices.at(200, "a1");
    slices.slices.endAll(190 * kMs); // of which the sample did not know yet
    EXPECT_EQ(slices.ended(), Texts());
}

TEST(PythonSampleSlices, NothingGoesOnAfterAHole)
{
    Slices slices;
    slices.at(100, "a1");
    slices.at(201, "a1");
    EXPECT_EQ(slices.ended(), (Texts{"a 100-110"}));
    EXPECT_EQ(slices.open(), "a201 ");
}

TEST(PythonSampleSlices, ThreadsAreApart)
{
    Slices slices;
    slices.at(100, "a1", 7);
    slices.at(101, "b1", 8);
    slices.at(110, "a1", 7);
    slices.slices.endOlder(110 * kMs); // thread 8 has ended
    EXPECT_EQ(slices.ended(), (Texts{"b 101-110"}));
    slices.slices.end(7, 115 * kMs);
    EXPECT_EQ(slices.ended(), (Texts{"a 100-115"}));
    EXPECT_EQ(slices.open(), "");
}

TEST(CopiedMemory, FailsWhereThereIsNoMemory)
{
    const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    auto *two =
        static_cast<std::byte *>(mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    ASSERT_NE(two, MAP_FAILED);
    ASSERT_EQ(munmap(two + page, page), 0);
    two[page - 8] = std::byte{42};
    CopiedMemory memory;
    std::array<std::byte, 16> copy{};
    EXPECT_TRUE(memory.read(two + page - 8, copy.data(), 8));
    EXPECT_EQ(copy[0], std::byte{42});
    EXPECT_FALSE(memory.read(two + page - 8, copy.data(), 16));
    EXPECT_FALSE(memory.readNow(two + page, copy.data(), 1));
    const std::array<PythonAddress, 2> pieces{two, two + page};
    EXPECT_FALSE(memory.readAll(pieces, copy.data(), 8));
    // Copies are kept until forget().
    two[page - 8] = std::byte{43};
    EXPECT_TRUE(memory.read(two + page - 8, copy.data(), 8));
    EXPECT_EQ(copy[0], std::byte{42});
    memory.forget();
    EXPECT_TRUE(memory.read(two + page - 8, copy.data(), 8));
    EXPECT_EQ(copy[0], std::byte{43});
    munmap(two, page);
}

TEST(PythonSamplesInALog, HaveALaneOfTheirOwn)
{
    test::TemporaryFolder folder;
    LogWriter writer;
    LogOptions options;
    options.folder = folder.path();
    options.label = "host_7";
    ASSERT_TRUE(writer.open(options)) << writer.error();
    writer.thread(1, 100, "main");
    writer.thread(2, 100, "main", 10 * kMs);
    const auto range = [&](uint32_t thread, int64_t start, int64_t end, const char *name, const char *category) {
        writer.range({.thread = thread,
                      .start = start,
                      .end = end,
                      .name = writer.text(name),
                      .category = writer.text(category)});
    };
    range(1, 5, 15, "aten::add", wire::kOperatorCategory);
    range(2, 0, 10, "train.py(1): main", wire::kFrameCategory); // of the same time: the outermost first
    range(2, 0, 10, "train.py(9): load", wire::kFrameCategory);
    writer.openRanges.row(20, 20, 2, 20, writer.text("train.py(1): main"), writer.text(wire::kFrameCategory), 0, 0);
    ASSERT_TRUE(writer.flush());
    writer.close();

    const auto trace = importTrace(writer.path(), {}, {});
    ASSERT_TRUE(trace);
    const TraceFacts facts(*trace);
    std::map<std::string, std::string> lanes, parents;
    for (const auto &segment : (*trace)->segments)
        for (uint32_t at = 0; at < segment->size(); ++at) {
            const Lane &lane = (*trace)->lanes[segment->lane.value];
            const std::string name((*trace)->string(segment->slices.name[at]));
            lanes[name] = (*trace)->string(lane.name.value);
            const bool isSampled = name != "aten::add";
            EXPECT_EQ(sampledThread(**trace, lane), isSampled ? std::optional<int64_t>(100) : std::nullopt) << name;
            // Nobody takes their times for exact ones.
            EXPECT_EQ(facts.classes().of(*segment, at), isSampled ? SliceClass::Other : SliceClass::Operator) << name;
            if (const uint32_t parent = segment->indexOf((*trace)->parentOf(*segment, at)); parent != kNoRow)
                parents[name] = (*trace)->string(segment->slices.name[parent]);
        }
    EXPECT_EQ(lanes["aten::add"], "thread 100 (main)");
    EXPECT_EQ(lanes["train.py(9): load"], "thread 100 (main): Python, sampled every 10 ms");
    EXPECT_EQ(parents, (std::map<std::string, std::string>{{"train.py(9): load", "train.py(1): main"}}));
}

} // namespace
} // namespace riffle::collector
