// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/importers.h"
#include "model/ingest/perfetto/importer.h"
#include "model/ingest/stored_trace.h"
#include "tests/support/archives.h"
#include "tests/support/wire_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

namespace riffle {
namespace {

using namespace test;
using testing::HasSubstr;

std::string slice(uint64_t begin, uint64_t end, const std::string &more = {})
{
    return perfettoEvent(1, begin, 2, wireBytes(23, "slice") + more) + perfettoEvent(2, end, 2);
}

Result<std::shared_ptr<const Trace>> read(const std::string &bytes, const ImportOptions &options = {})
{
    const TemporaryFolder folder;
    writeFile(folder.file("a.pftrace"), bytes);
    return importPerfetto(folder.file("a.pftrace"), options, {});
}

TEST(HostilePerfetto, EveryCutIsALossAndKeepsWhatIsBefore)
{
    const std::string head = perfettoThread(2, 7, 8);
    const std::string whole = head + slice(1000, 2000) + slice(3000, 4000);
    const size_t first = (head + slice(1000, 2000)).size();
    for (size_t size = head.size() + 1; size < whole.size(); ++size) {
        const auto trace = read(whole.substr(0, size));
        ASSERT_TRUE(trace) << trace.error().text();
        const bool between = size == first ||
                             size == first + perfettoEvent(1, 3000, 2, wireBytes(23, "slice")).size() ||
                             size == head.size() + perfettoEvent(1, 1000, 2, wireBytes(23, "slice")).size();
        EXPECT_EQ((*trace)->report.of(Trouble::TruncatedText).count, between ? 0u : 1u) << size;
        EXPECT_GE((*trace)->sliceCount(), size >= first ? 1u : 0u);
    }
}

TEST(HostilePerfetto, LengthsBeyondTheFileTakeNoMemory)
{
    for (const std::string &length : {wireVarint(UINT64_MAX), wireVarint(uint64_t{1} << 40), wireVarint(1000)}) {
        const auto trace = read(perfettoThread(2, 7, 8) + slice(1, 2) + "\x0A" + length + "abc");
        ASSERT_TRUE(trace) << trace.error().text();
        EXPECT_EQ((*trace)->sliceCount(), 1u);
        EXPECT_EQ((*trace)->report.of(Trouble::TruncatedText).count, 1u);
    }
    // Inside a packet, the packet is lost and reading goes on after it.
    const std::string inside = wireNumber(8, 1) + wireVarint(11 << 3 | 2) + wireVarint(uint64_t{1} << 60);
    const auto trace = read(perfettoThread(2, 7, 8) + wireBytes(1, inside) + slice(1, 2));
    ASSERT_TRUE(trace) << trace.error().text();
    EXPECT_EQ((*trace)->sliceCount(), 1u);
    EXPECT_EQ((*trace)->report.of(Trouble::BrokenEvent).count, 1u);
}

TEST(HostilePerfetto, NumbersOfMegabytesEndTheText)
{
    const auto trace = read(perfettoThread(2, 7, 8) + slice(1, 2) + "\x0A" + std::string(10'000'000, '\xFF'));
    ASSERT_TRUE(trace) << trace.error().text();
    EXPECT_EQ((*trace)->sliceCount(), 1u);
    EXPECT_EQ((*trace)->report.of(Trouble::TruncatedText).count, 1u);
}

TEST(HostilePerfetto, DeepAnnotationsAreCutAndCounted)
{
    std::string nested = wireNumber(4, 5);
    for (int depth = 0; depth < 3000; ++depth)
        nested = wireBytes(11, wireBytes(10, "k") + nested);
    const auto trace = read(perfettoThread(2, 7, 8) + slice(1, 2, wireBytes(4, wireBytes(10, "deep") + nested)));
    ASSERT_TRUE(trace) << trace.error().text();
    EXPECT_EQ((*trace)->sliceCount(), 1u);
    EXPECT_GE((*trace)->report.of(Trouble::DeepValue).count, 1u);
}

TEST(HostilePerfetto, TracksAndSlicesStayWithinTheLimit)
{
    ImportOptions options;
    options.memoryLimit = 8 << 20;
    std::string tracks, begins;
    for (uint64_t track = 0; track < 100'000; ++track) {
        tracks += perfettoThread(track, track, track);
        begins += perfettoEvent(1, track, 2);
    }
    for (const std::string &bytes : {tracks, perfettoThread(2, 7, 8) + begins + begins}) {
        const auto trace = read(bytes, options);
        ASSERT_FALSE(trace);
        EXPECT_EQ(trace.error().kind, ErrorKind::Limit);
        EXPECT_THAT(trace.error().message, HasSubstr("more memory than is allowed"));
    }
}

TEST(HostilePerfetto, ManyReferencesToALongTextBecomeNoGigabytes)
{
    const std::string text(1 << 20, 'x');
    std::string annotations;
    for (int at = 0; at < 2000; ++at)
        annotations += wireBytes(4, wireBytes(10, "k") + wireNumber(17, 1));
    const std::string interned =
        wireBytes(1, wireNumber(10, 1) + wireBytes(12, wireBytes(29, wireNumber(1, 1) + wireBytes(2, text))));
    const auto trace = read(perfettoThread(2, 7, 8) + interned + slice(1, 2, annotations) + slice(3, 4));
    ASSERT_TRUE(trace) << trace.error().text();
    EXPECT_GE((*trace)->report.of(Trouble::OversizedEvent).count, 1u);
    EXPECT_LT((*trace)->info.textBytes, 64u << 20);
    EXPECT_EQ((*trace)->sliceCount(), 1u); // the long event is a loss, the next one is read
}

TEST(HostilePerfetto, RingsOfTracksEnd)
{
    std::string bytes;
    for (uint64_t track = 1; track < 10; ++track)
        bytes += wireBytes(1, wireNumber(10, 1) + wireBytes(60, wireNumber(1, track) + wireNumber(5, track % 9 + 1)));
    const auto trace = read(bytes + perfettoEvent(1, 5, 3) + perfettoEvent(2, 6, 3));
    ASSERT_TRUE(trace) << trace.error().text();
    EXPECT_EQ((*trace)->sliceCount(), 1u);
}

TEST(Perfetto, IsRecognisedByItsPackets)
{
    EXPECT_TRUE(looksLikePerfetto(perfettoThread(2, 7, 8)));
    EXPECT_TRUE(looksLikePerfetto(slice(1, 2)));
    EXPECT_TRUE(looksLikePerfetto(slice(1, 2).substr(0, 20)));
    const std::string names = wireBytes(1, wireBytes(12, std::string(10'000, 'x')));
    EXPECT_TRUE(looksLikePerfetto(std::string_view(names).substr(0, 4096)));
    for (const char *text : {"", "\n", "\n\n\n", "\n{\"traceEvents\": []}", "\n[]", "\n  [{\"ph\":\"X\"}]",
                             "\nwords of a log\n", "{}", "\x0A\x03\x08"})
        EXPECT_FALSE(looksLikePerfetto(text)) << text;
}

TEST(Perfetto, StagesOfOtherProgramsKeepTheirNames)
{
    const auto specification = [](uint64_t iid, std::string_view name, uint64_t category) {
        return wireBytes(24, wireNumber(1, iid) + wireBytes(2, name) + wireNumber(4, category));
    };
    const auto stage = [](uint64_t time, uint64_t iid) {
        return wireBytes(1, wireNumber(8, time) + wireNumber(10, 1) +
                                wireBytes(53, wireNumber(2, 5) + wireNumber(13, 9) + wireNumber(14, iid)));
    };
    const std::string names = specification(1, "A stage with quite a long name", 0) +
                              specification(2, "Compute dispatch of another program", 2) + specification(9, "queue", 0);
    const auto trace = read(wireBytes(1, wireNumber(10, 1) + wireBytes(12, names)) + stage(100, 1) + stage(200, 2));
    ASSERT_TRUE(trace) << trace.error().text();
    ASSERT_EQ((*trace)->sliceCount(), 2u);
    std::vector<std::string> categories;
    for (uint32_t id = 0; id < 2; ++id)
        categories.emplace_back((*trace)->string((*trace)->slice(SliceId(id))->data.category));
    EXPECT_THAT(categories, testing::UnorderedElementsAre("A stage with quite a long name", "kernel"));
}

TEST(Perfetto, TextsOfEventsComeFromTheStore)
{
    const TemporaryFolder folder;
    const std::string path = folder.file("a.pftrace");
    writeFile(path, gzipped(perfettoThread(2, 7, 8) + slice(1000, 2000) + slice(3000, 4000)));
    EXPECT_EQ(importerOf(path).name, "Perfetto trace");
    const StoreFolder stores(folder.file("stores"), 1 << 30);
    const auto identity = SourceIdentity::of(path);
    ASSERT_TRUE(identity);
    const auto trace = importTrace(path, {}, {});
    ASSERT_TRUE(trace) << trace.error().text();
    ASSERT_TRUE(storeTrace(stores, **trace, path, *identity, {}));
    const auto stored = openStoredTrace(stores, path, *identity);
    ASSERT_TRUE(stored) << stored.error().text();
    ASSERT_EQ(stored->trace->sliceCount(), 2u);
    const Slice slice = *stored->trace->slice(SliceId(1));
    const auto text = stored->trace->source->read(slice.data.sourceOffset, slice.data.sourceLength);
    ASSERT_TRUE(text) << text.error().text();
    EXPECT_EQ(*text, R"({"ph":"X","cat":"","name":"slice","pid":7,"tid":8,"ts":3.000,"dur":1.000})");
}

} // namespace
} // namespace riffle
