// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/memory_timeline/memory_timeline.h"

#include "model/analysis/memory/timeline_tables.h"
#include "tests/support/archives.h"
#include "tests/support/chunked_source.h"

#include <gtest/gtest.h>

#include <vector>

namespace riffle {
namespace {

using test::ChunkedSource;
using Timeline = std::shared_ptr<const MemoryTimeline>;
using Levels = std::vector<int64_t>;

Result<Timeline> read(std::string_view text, size_t chunk = 0, uint64_t mostBytes = 1 << 20)
{
    ChunkedSource source(text, chunk);
    return readMemoryTimelineText(source, "file", mostBytes, {});
}

Levels at(const MemoryTimeline &timeline, uint32_t point)
{
    Levels levels;
    for (const auto &column : timeline.bytes)
        levels.push_back(column[point]);
    return levels;
}

uint64_t troubles(const MemoryTimeline &timeline, std::string_view what)
{
    for (const FileTrouble &trouble : timeline.troubles)
        if (trouble.what.find(what) != std::string::npos)
            return trouble.count;
    return 0;
}

constexpr std::string_view kLevels =
    "[[1000, 1000, 2000],\n [[0, 8, 0, 0, 0, 0, 0, 0, 1], [0, 8, 0, 0, 0, 5, 0, 0, 1], [0,8,0,0,0,0,0,0,0]]]";
constexpr std::string_view kEvents =
    "[[-1, 1, 100, 0], [-1, 1, 20, 7], [5000, 2, 7, 4], [5000, 3, -20, 7], [5000, 3, 20, 1], [6000, 4, -7, 4]]";

TEST(MemoryTimelines, LevelsAreThoseOfTheFileInNanoseconds)
{
    for (const size_t chunk : {0, 1, 7}) {
        const auto timeline = read(kLevels, chunk);
        ASSERT_TRUE(timeline) << timeline.error().text();
        EXPECT_EQ((*timeline)->form, MemoryTimeline::Form::Levels);
        ASSERT_EQ((*timeline)->points(), 3u);
        EXPECT_EQ((*timeline)->times[2], 2'000'000);
        EXPECT_EQ(at(**timeline, 0), (Levels{8, 0, 0, 0, 0, 0, 0, 1}));
        EXPECT_EQ(at(**timeline, 1), (Levels{8, 0, 0, 0, 5, 0, 0, 1}));
        EXPECT_EQ((*timeline)->peak(), 1u);
        EXPECT_EQ((*timeline)->total(1), 14);
        EXPECT_EQ((*timeline)->events.count(), 0u);
        EXPECT_TRUE((*timeline)->troubles.empty());
        EXPECT_FALSE((*timeline)->damage);
        EXPECT_EQ((*timeline)->textBytes, kLevels.size());
    }
}

TEST(MemoryTimelines, EventsOfOneTimeAreOnePoint)
{
    const auto timeline = read(kEvents, 3);
    ASSERT_TRUE(timeline) << timeline.error().text();
    EXPECT_EQ((*timeline)->form, MemoryTimeline::Form::Events);
    EXPECT_EQ((*timeline)->events.count(), 6u);
    EXPECT_EQ((*timeline)->events.time[0], TimelineEvents::kBefore);
    ASSERT_EQ((*timeline)->points(), 3u);
    EXPECT_EQ((*timeline)->times[0], 5000) << "memory from before has the earliest time";
    EXPECT_EQ(at(**timeline, 0), (Levels{100, 0, 0, 0, 0, 0, 0, 20}));
    EXPECT_EQ(at(**timeline, 1), (Levels{100, 20, 0, 0, 7, 0, 0, 0}));
    EXPECT_EQ(at(**timeline, 2), (Levels{100, 20, 0, 0, 0, 0, 0, 0}));
    EXPECT_EQ((*timeline)->peak(), 1u);
    EXPECT_EQ((*timeline)->pointAt(5999), 1u);
    EXPECT_EQ((*timeline)->pointAt(6000), 2u);
    EXPECT_EQ((*timeline)->pointAt(0), 0u);
    EXPECT_TRUE((*timeline)->troubles.empty());
}

TEST(MemoryTimelines, AListOfFourTimesIsNoEvent)
{
    const auto four =
        read("[[1,2,3,4],[[0,1,0,0,0,0,0,0,0],[0,2,0,0,0,0,0,0,0],[0,3,0,0,0,0,0,0,0],[0,4,0,0,0,0,0,0,0]]]");
    ASSERT_TRUE(four) << four.error().text();
    EXPECT_EQ((*four)->form, MemoryTimeline::Form::Levels);
    EXPECT_EQ((*four)->points(), 4u);
    const auto one = read("[[1,2,3,4]]");
    ASSERT_TRUE(one);
    EXPECT_EQ((*one)->form, MemoryTimeline::Form::Events);
    EXPECT_EQ((*one)->events.count(), 1u);
    EXPECT_EQ((*read("[[], []]"))->points(), 0u);
    EXPECT_EQ((*read("[[], []]"))->peak(), MemoryTimeline::kNone);
}

TEST(MemoryTimelines, RowsThatAreNoneAreLeftOutAndCounted)
{
    const auto events = read(
        R"([[1,2,3,4], [2,2,"3",4], {"a]": [1]}, [3,9,1,1], [4,2,1,8], [5,2,1], [6,2,1.5,1], [[1],2,3,4], [-7,2,3,4], [8,2,-3,4],
                                 [9,4,3,4], [10,2,99999999999999999999,1], [11,2,1,4], [10,2,1,4], [12,4,-50,4], null])");
    ASSERT_TRUE(events) << events.error().text();
    EXPECT_EQ((*events)->events.count(), 4u);
    EXPECT_EQ(troubles(**events, "four whole numbers"), 5u);
    EXPECT_EQ(troubles(**events, "not lists"), 2u);
    EXPECT_EQ(troubles(**events, "unknown action"), 1u);
    EXPECT_EQ(troubles(**events, "unknown category"), 1u);
    EXPECT_EQ(troubles(**events, "impossible time"), 1u);
    EXPECT_EQ(troubles(**events, "impossible size"), 2u);
    EXPECT_EQ(troubles(**events, "earlier than the one before"), 1u);
    EXPECT_EQ(troubles(**events, "below zero"), 1u);
    EXPECT_EQ((*events)->troubles.front().firstOffset, 13u);

    const auto levels = read("[[1,2,\"x\",4,5,6,7,8],[[0,1,0,0,0,0,0,0,0],[0,1,0,0,0,0,0,0],[0,3,0,0,0,0,0,0,0],7,[0,5,"
                             "0,0,0,0,0,0,1e40],[0,-6,0,0,0,0,0,0,0]]]");
    ASSERT_TRUE(levels) << levels.error().text();
    ASSERT_EQ((*levels)->points(), 2u);
    EXPECT_EQ((*levels)->times[1], 6000);
    EXPECT_EQ(at(**levels, 1)[0], -6);
    EXPECT_EQ(troubles(**levels, "Times that are not valid"), 1u);
    EXPECT_EQ(troubles(**levels, "nine whole numbers"), 2u);
    EXPECT_EQ(troubles(**levels, "Times without sizes"), 2u);
    EXPECT_EQ(troubles(**levels, "below zero"), 1u);
}

TEST(MemoryTimelines, OfACutFileWhatIsThereIsRead)
{
    for (size_t size = 0; size < kEvents.size(); ++size) {
        const auto timeline = read(kEvents.substr(0, size), 5);
        if (size < 19) { // four numbers may also be times
            EXPECT_FALSE(timeline) << size;
            continue;
        }
        ASSERT_TRUE(timeline) << size;
        ASSERT_TRUE((*timeline)->damage);
        EXPECT_NE((*timeline)->damage->message.find("cut"), std::string::npos);
    }
    const auto cut = read(kEvents.substr(0, kEvents.size() - 3));
    EXPECT_EQ((*cut)->events.count(), 5u);
    EXPECT_EQ((*cut)->damage->offset, kEvents.size() - 3);
    const auto levels = read(kLevels.substr(0, kLevels.size() - 4));
    EXPECT_EQ((*levels)->points(), 2u);
    const auto broken = read("[[1,2,3,4],[1,2;3,4]]");
    EXPECT_EQ((*broken)->damage->offset, 15u);
    EXPECT_EQ((*read("[[1,2,3,4]] x"))->damage->offset, 12u);
}

TEST(MemoryTimelines, TheMemoryItTakesIsBounded)
{
    std::string text = "[[1,2,3,4]";
    for (int at = 0; at < 5000; ++at)
        text += ",[" + std::to_string(at) + ",2,1,1]";
    const auto timeline = read(text + "]", 0, 64 << 10);
    ASSERT_TRUE(timeline);
    ASSERT_TRUE((*timeline)->damage);
    EXPECT_EQ((*timeline)->damage->kind, ErrorKind::Limit);
    EXPECT_GT((*timeline)->points(), 100u);
}

TEST(MemoryTimelines, WhereverTheMemoryEndsWhatWasReadIsWhole)
{
    std::string events = "[[1,2,3,4]", times = "[[1", levels = "[[1,2,3,4,5,6,7,8,9]";
    for (int at = 1; at < 3000; ++at) {
        events += ",[" + std::to_string(at) + ",2,1,1]";
        times += "," + std::to_string(at);
        levels += ",[1,2,3,4,5,6,7,8,9]";
    }
    for (const std::string &text : {events + "]", times + "]," + levels + "]]"})
        for (size_t limit = 4 << 10; limit < 600 << 10; limit += 4 << 10) {
            const auto timeline = read(text, 0, limit);
            if (!timeline)
                continue;
            const MemoryTimeline &whole = **timeline;
            for (const auto &category : whole.bytes)
                ASSERT_EQ(category.size(), whole.points()) << limit;
            for (const int64_t level : whole.bytes.back().span())
                ASSERT_TRUE(level == 0 || level == 9) << limit << ": " << level;
            ASSERT_EQ(whole.events.change.size(), whole.events.count()) << limit;
            ASSERT_EQ(whole.events.action.size(), whole.events.count()) << limit;
            ASSERT_EQ(whole.events.category.size(), whole.events.count()) << limit;
        }
}

TEST(MemoryTimelines, FilesAreKnownByWhatIsInThem)
{
    EXPECT_TRUE(looksLikeMemoryTimeline(" [ [1"));
    EXPECT_TRUE(looksLikeMemoryTimeline("[[-1, 1"));
    EXPECT_FALSE(looksLikeMemoryTimeline("[{\"ph\""));
    EXPECT_FALSE(looksLikeMemoryTimeline("[[{"));
    EXPECT_FALSE(looksLikeMemoryTimeline("{"));
    const test::TemporaryFolder folder;
    test::writeFile(folder.file("gz"), test::gzipped(std::string(kEvents)));
    EXPECT_TRUE(isMemoryTimeline(SniffedFile(folder.file("gz"))));
    const auto timeline = readMemoryTimeline(folder.file("gz"), {}, {});
    ASSERT_TRUE(timeline) << timeline.error().text();
    EXPECT_EQ((*timeline)->container, "gzip");
    EXPECT_EQ((*timeline)->events.count(), 6u);
    test::writeFile(folder.file("cut"), test::gzipped(std::string(kEvents)).substr(0, 60));
    EXPECT_TRUE(!readMemoryTimeline(folder.file("cut"), {}, {}) ||
                (*readMemoryTimeline(folder.file("cut"), {}, {}))->damage);
}

TEST(MemoryTimelines, APageGivesItsPicture)
{
    const test::TemporaryFolder folder;
    // The signature of a PNG file, and its last chunk.
    const std::string page =
        "<html><title>GPU Memory Timeline HTML</title><img src='data:image/png;base64,iVBORw0KGgoAAAAASUVORK5CYII='>";
    test::writeFile(folder.file("page"), page);
    EXPECT_TRUE(isMemoryTimeline(SniffedFile(folder.file("page"))));
    const auto timeline = readMemoryTimeline(folder.file("page"), {}, {});
    ASSERT_TRUE(timeline) << timeline.error().text();
    EXPECT_EQ((*timeline)->form, MemoryTimeline::Form::Picture);
    EXPECT_EQ((*timeline)->picture, std::string("\x89PNG\r\n\x1A\n\0\0\0\0IEND\xAE"
                                                "B`\x82",
                                                20));
    EXPECT_FALSE((*timeline)->damage);
    EXPECT_EQ(timelineCategories(**timeline, (*timeline)->peak()).rows(), 0u);
    test::writeFile(folder.file("jpg"), "<html>Memory <img src='data:image/png;base64,AAAA'>");
    EXPECT_FALSE(readMemoryTimeline(folder.file("jpg"), {}, {}));
    test::writeFile(folder.file("other"), "<html>nothing</html>");
    EXPECT_FALSE(isMemoryTimeline(SniffedFile(folder.file("other"))));
    EXPECT_FALSE(readMemoryTimeline(folder.file("other"), {}, {}));
}

TEST(MemoryTimelines, TablesSayWhatTheFileSays)
{
    const auto timeline = read(kEvents);
    const ResultTable categories = timelineCategories(**timeline, 1);
    EXPECT_EQ(categories.column("category")->texts,
              (std::vector<std::string>{"parameter", "optimizer_state", "activation", "input", "temporary", "gradient",
                                        "autograd_detail", "unknown"}));
    EXPECT_EQ(categories.column("bytes")->integers, (Levels{100, 20, 7, 0, 0, 0, 0, 0}));
    EXPECT_EQ(categories.column("peak_bytes")->integers, (Levels{100, 20, 7, 0, 0, 0, 0, 20}));
    const ResultTable points = timelinePoints(**timeline);
    EXPECT_EQ(points.column("total")->integers, (Levels{120, 127, 120}));
    EXPECT_EQ(points.column("activation")->integers, (Levels{0, 7, 0}));
    const ResultTable actions = timelineActions(**timeline);
    EXPECT_EQ(actions.rows(), 6u);
    EXPECT_EQ(actions.column("bytes")->integers, (Levels{100, 20, 7, 20, -20, -7}));
}

} // namespace
} // namespace riffle
