// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/importer.h"
#include "model/trace/details.h"
#include "model/trace/json_entries.h"
#include "tests/support/import_text.h"
#include "tests/support/log_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <tuple>

namespace riffle {
namespace {

using namespace test;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsSupersetOf;
using wire::ChunkType;
using wire::Field;

std::shared_ptr<const Trace> importLog(const std::string &path, const ImportOptions &options = {})
{
    const auto trace = importTrace(path, options, {});
    EXPECT_TRUE(trace) << (trace ? "" : trace.error().text());
    return trace ? *trace : nullptr;
}

std::shared_ptr<const Trace> importLogBytes(std::string_view bytes)
{
    const LogFolder folder;
    return importLog(folder.write("000001.part", bytes));
}

std::vector<Slice> allSlices(const Trace &trace)
{
    std::vector<Slice> all;
    for (uint32_t id = 0; id < trace.sliceCount(); ++id)
        all.push_back(*trace.slice(SliceId(id)));
    return all;
}

Slice sliceNamed(const Trace &trace, std::string_view name)
{
    for (const Slice &slice : allSlices(trace))
        if (trace.string(slice.data.name) == name)
            return slice;
    ADD_FAILURE() << "no slice named " << name;
    return {};
}

std::map<std::string, std::string> argumentsOfSlice(const Trace &trace, const Slice &slice)
{
    const TextPlace place{slice.data.sourceOffset, slice.data.sourceLength};
    const auto text = trace.source->read(place.offset, place.length);
    const auto arguments = trace.source->arguments(place);
    const auto object = trace.source->argumentsObject(place);
    EXPECT_TRUE(text && arguments && object) << (text ? "" : text.error().text());
    EXPECT_EQ(object ? *object : std::string(), text ? argsText(*text) : std::string());
    std::map<std::string, std::string> inText, found;
    if (text)
        for (const JsonEntry &argument : entriesOf(argsText(*text)))
            inText[argument.key] = argument.value;
    if (arguments)
        for (const EventArgument &argument : *arguments)
            found[argument.key] = argument.value.json();
    EXPECT_EQ(found, inText);
    return found;
}

class EverythingLog : public testing::TestWithParam<bool> {
protected:
    LogFolder folder;
    std::shared_ptr<const Trace> trace = importLog(folder.write("000001.part", everythingLog(GetParam()).bytes()));
};

INSTANTIATE_TEST_SUITE_P(PlainAndCompressed, EverythingLog, testing::Bool());

TEST_P(EverythingLog, SaysWhatItIs)
{
    EXPECT_EQ(trace->info.format, "Riffle log");
    EXPECT_EQ(trace->info.container, GetParam() ? "zstd" : "plain");
    EXPECT_EQ(trace->info.rank, 3);
    EXPECT_EQ(trace->info.worldSize, 8);
    EXPECT_EQ(trace->info.baseTimeNs, 1'700'000'000'000'000'000);
    const std::map<std::string, std::string> metadata(trace->info.metadata.begin(), trace->info.metadata.end());
    EXPECT_EQ(metadata.at("distributedInfo"), R"({"rank": 3, "world_size": 8})");
    EXPECT_EQ(metadata.at("deviceProperties"), R"([{"id": 0, "name": "NVIDIA H200", "totalGlobalMem": 150000000000}])");
    EXPECT_THAT(metadata.at("process"), HasSubstr(R"("host": "node\"7\"")"));
    EXPECT_EQ(metadata.at("stats"), R"({"events": 18})");
}

TEST_P(EverythingLog, HasRangesWithTheirNesting)
{
    const Slice step = sliceNamed(*trace, "ProfilerStep#4"), mm = sliceNamed(*trace, "aten::mm");
    EXPECT_EQ(mm.data.start, 2'000'100);
    EXPECT_EQ(mm.data.duration, 1'001);
    EXPECT_EQ(mm.parent, step.id);
    EXPECT_EQ(trace->string(mm.data.category), "cpu_op");
    EXPECT_EQ(trace->laneName(mm.lane), "thread 100 (main)");
    EXPECT_EQ(trace->processName(trace->lanes[mm.lane.value].process), "python3 4321");
    EXPECT_EQ(trace->laneName(sliceNamed(*trace, "load \"x\"\n").lane), "thread 101");
    ASSERT_EQ(trace->steps.size(), 1u);
    EXPECT_EQ(trace->steps[0].number, 4);
}

TEST_P(EverythingLog, HasOperatorsWithTheirDetails)
{
    const auto detail = trace->detailOf(&Segment::operators, sliceNamed(*trace, "aten::mm").id);
    ASSERT_TRUE(detail);
    EXPECT_EQ(detail[&OperatorTable::sequence], 12);
    EXPECT_EQ(detail[&OperatorTable::recordFunction], 5);
    EXPECT_NE(detail[&OperatorTable::inputDims], 0u);
    EXPECT_EQ(detailCount(*trace, &Segment::operators), 2u);
}

TEST_P(EverythingLog, LinksDeviceWorkToItsLaunch)
{
    std::map<std::string, std::string> launches;
    for (const Slice &slice : allSlices(*trace))
        if (const auto launch = trace->slice(trace->launchOf(slice.id)))
            launches[std::string(trace->string(slice.data.name)) + " on " + trace->laneName(slice.lane)] =
                trace->string(launch->data.name);
    EXPECT_EQ(launches,
              (std::map<std::string, std::string>{{"gemm<float, 2> on stream 7", "cudaLaunchKernel"},
                                                  {"gemm<float, 2> on stream 20", "cuLaunchKernel"},
                                                  {"Memcpy HtoD (Pinned -> Device) on stream 7", "cudaMemcpyAsync"}}));
    const Slice kernel = sliceNamed(*trace, "gemm<float, 2>");
    EXPECT_EQ(kernel.data.externalId, 5);
    EXPECT_EQ(trace->processName(trace->lanes[kernel.lane.value].process), "GPU 0");
    const auto detail = trace->detailOf(&Segment::device, kernel.id);
    ASSERT_TRUE(detail);
    EXPECT_EQ(detail[&DeviceTable::grid], (std::array<int32_t, 3>{16, 2, 1}));
    EXPECT_EQ(detail[&DeviceTable::registers], 40);
    EXPECT_EQ(trace->string(sliceNamed(*trace, "Memset (Device)").data.category), "gpu_memset");
}

TEST_P(EverythingLog, HasMarksCountersSyncsOverheadAndAllocations)
{
    ASSERT_EQ(trace->counters.value.size(), 2u);
    EXPECT_EQ(trace->counters.value[1], 1e9);
    EXPECT_EQ(trace->string(trace->counters.series[0]), "used");
    EXPECT_EQ(trace->instants.time.size(), 3u); // the mark and two memory events
    ASSERT_EQ(trace->memory.time.size(), 2u);
    EXPECT_EQ(trace->memory.bytes[1], -512);
    EXPECT_EQ(trace->memory.address[0], 0x7F0000001000u);
    EXPECT_EQ(trace->memory.deviceType[0], 1);
    EXPECT_EQ(detailCount(*trace, &Segment::syncs), 1u);
    forEachDetail(*trace, &Segment::syncs, [&](const Segment &segment, uint32_t, uint32_t row) {
        EXPECT_EQ(trace->string(segment.syncs.kind[row]), "Stream Sync");
        EXPECT_EQ(segment.syncs.waitEvent[row], 9);
    });
    const Slice flush = sliceNamed(*trace, "Buffer Flush");
    EXPECT_EQ(trace->processName(trace->lanes[flush.lane.value].process), "Profiler overhead");
}

TEST(ImportLog, HasMemoryWithItsTotals)
{
    const auto trace = importLogBytes(memoryLog().bytes());
    EXPECT_THAT(trace->memory.bytes, ElementsAre(500, 200, -64, 0));
    EXPECT_THAT(trace->memory.totalAllocated, ElementsAre(564, 200, 500, 500));
    EXPECT_THAT(trace->memory.totalReserved, ElementsAre(1524, 200, 1524, 500));
    EXPECT_THAT(trace->memory.deviceType, ElementsAre(1, 0, 1, 1));
    EXPECT_THAT(trace->memory.deviceId, ElementsAre(1, -1, 1, 1));
    EXPECT_EQ(trace->laneName(LaneId(trace->memory.lane[1])), "thread 100 (main)");
    const auto text = trace->source->read(trace->memory.sourceOffset[2], trace->memory.sourceLength[2]);
    ASSERT_TRUE(text);
    EXPECT_THAT(*text, HasSubstr(R"("Total Reserved":1524,"allocator":"Device","pool":45056)"));
    const auto detail = trace->detailOf(&Segment::device, sliceNamed(*trace, "CUDA graph 77").id);
    ASSERT_TRUE(detail);
    EXPECT_EQ(detail[&DeviceTable::graphId], 77);
    EXPECT_THAT(detail[&DeviceTable::grid], ElementsAre(0, 0, 0));
}

TEST_P(EverythingLog, SaysWhatWasLost)
{
    const TroubleCount &dropped = trace->report.of(Trouble::DroppedRecords);
    EXPECT_EQ(dropped.count, 42u);
    ASSERT_EQ(dropped.examples.size(), 1u);
    EXPECT_THAT(dropped.examples[0].text, HasSubstr("ring: 42 records"));
    EXPECT_THAT(dropped.examples[0].text, HasSubstr("2020000 ns"));
    EXPECT_EQ(trace->report.of(Trouble::NotClosed).count, 0u);
    EXPECT_EQ(trace->report.total(Severity::Lost), 42u);
}

TEST_P(EverythingLog, WritesTheTextOfEvents)
{
    EXPECT_EQ(argumentsOfSlice(*trace, sliceNamed(*trace, "aten::mm")),
              (std::map<std::string, std::string>{{"Sequence number", "12"},
                                                  {"Record function id", "5"},
                                                  {"Input Dims", "[[2, 3], [3]]"},
                                                  {"Fwd thread id", "1"},
                                                  {"Input type", R"(["float", "c10::BFloat16"])"},
                                                  {"Input Strides", "[[3, 1], [1]]"},
                                                  {"Concrete Inputs", R"(["", ""])"}}));
    EXPECT_EQ(argumentsOfSlice(*trace, sliceNamed(*trace, "aten::add")),
              (std::map<std::string, std::string>{{"Record function id", "6"},
                                                  {"Collective name", "\"allreduce\""},
                                                  {"dtype", "\"Float\""},
                                                  {"Process Group Name", "\"1\""},
                                                  {"Process Group Description", R"("\"pair\"")"},
                                                  {"In msg nelems", "100"},
                                                  {"Out msg nelems", "0"},
                                                  {"Group size", "2"},
                                                  {"In split size", "\"[]\""},
                                                  {"Out split size", "\"[50, 50]\""},
                                                  {"Process Group Ranks", "\"[0, 4]\""},
                                                  {"Seq", "9"}}));
    EXPECT_EQ(argumentsOfSlice(*trace, sliceNamed(*trace, "load \"x\"\n")),
              (std::map<std::string, std::string>{
                  {"domain", "\"my domain\""}, {"payload", "-7"}, {"color", "\"#ff336699\""}}));
    const auto kernel = argumentsOfSlice(*trace, sliceNamed(*trace, "gemm<float, 2>"));
    EXPECT_EQ(kernel.at("grid"), "[16,2,1]");
    EXPECT_EQ(kernel.at("External id"), "5");
    EXPECT_EQ(kernel.at("registers per thread"), "40");
    const Slice mm = sliceNamed(*trace, "aten::mm");
    const auto text = trace->source->read(mm.data.sourceOffset, mm.data.sourceLength);
    ASSERT_TRUE(text);
    EXPECT_THAT(*text, HasSubstr(R"("ts":2000.100,"dur":1.001,)"));
    EXPECT_FALSE(trace->source->read(mm.data.sourceOffset, UINT32_MAX));
    EXPECT_FALSE(trace->source->read(UINT64_MAX - 10, 5));
}

TEST_P(EverythingLog, ReadsTheSameWithAnyNumberOfWorkers)
{
    const WorkerCount one(1);
    const auto again = importLog(folder.path());
    ASSERT_EQ(again->sliceCount(), trace->sliceCount());
    for (uint32_t id = 0; id < trace->sliceCount(); ++id) {
        const Slice a = *trace->slice(SliceId(id)), b = *again->slice(SliceId(id));
        EXPECT_EQ(a.data.sourceOffset, b.data.sourceOffset);
        EXPECT_EQ(a.data.name, b.data.name);
        EXPECT_EQ(a.lane, b.lane);
    }
}

TEST_P(EverythingLog, KeepsARangeOrSteps)
{
    ImportOptions options;
    options.range = TimeSpan{3'000, 5'000}; // after the first event, which is at 2'000'000
    const auto part = importLog(folder.path(), options);
    EXPECT_THAT(sliceNames(*part), IsSupersetOf({"ProfilerStep#4", "gemm<float, 2>",
                                                 "cudaLaunchKernel"})); // the launch is before the range
    EXPECT_LT(part->sliceCount(), trace->sliceCount());
    options.range.reset();
    options.steps = TimeSpan{4, 4};
    EXPECT_EQ(importLog(folder.path(), options)->sliceCount(),
              trace->sliceCount()); // including work without a recorded launch: it starts in the step
    options.steps = TimeSpan{5, 9};
    EXPECT_FALSE(importTrace(folder.path(), options, {}));
}

// --- Open ranges ---

LogChunkText openRanges(LogFileText &log, const std::vector<int64_t> &starts, const std::vector<std::string> &names)
{
    const std::vector<int64_t> threads(starts.size(), 0), none(starts.size(), 0);
    return LogChunkText(ChunkType::OpenRanges)
        .delta(Field::Thread, threads)
        .delta(Field::Start, starts)
        .delta(Field::Name, log.ids(names))
        .delta(Field::Category, none);
}

LogChunkText range(LogFileText &log, int64_t start, int64_t duration, const std::string &name)
{
    return LogChunkText(ChunkType::Ranges)
        .delta(Field::Thread, {0})
        .delta(Field::Start, {start})
        .plain(Field::Duration, {duration})
        .delta(Field::Name, {log.id(name)})
        .times(start, start + duration);
}

TEST(UnfinishedRanges, EndWhereTheLogEnds)
{
    LogFileText log;
    log.thread(0, 100, "main");
    log.add(openRanges(log, {1'000}, {"stale"}));
    log.add(openRanges(log, {1'000, 2'000, 2'000}, {"outer", "middle", "inner"}));
    log.add(range(log, 2'000, 500, "inner"));
    log.add(range(log, 8'000, 1'000, "last"));
    const auto trace = importLogBytes(log.bytes());
    EXPECT_THAT(sliceNames(*trace), ElementsAre("outer", "middle", "inner", "last"));
    const Slice outer = sliceNamed(*trace, "outer");
    EXPECT_TRUE(outer.data.flags & slice_flag::Unfinished);
    EXPECT_EQ(outer.end(), 9'000);
    EXPECT_FALSE(sliceNamed(*trace, "inner").data.flags & slice_flag::Unfinished);
    EXPECT_EQ(trace->report.of(Trouble::StillOpen).count, 2u);
    EXPECT_EQ(trace->report.total(Severity::Repaired), 0u) << "an open range is not damage";
    EXPECT_EQ(trace->report.of(Trouble::NotClosed).count, 1u);
    EXPECT_EQ(trace->report.total(Severity::Lost), 0u);
}

TEST(UnfinishedRanges, MayBeTheStepsThatAreKept)
{
    for (const std::string step : {"ProfilerStep#", "ProfileStep#"}) {
        const LogFolder folder;
        LogFileText log;
        log.thread(0, 100, "main");
        log.add(range(log, 1'000, 2'000, step + "1")).add(range(log, 1'500, 100, "first"));
        log.add(openRanges(log, {4'000}, {step + "2"})).add(range(log, 5'000, 100, "second"));
        folder.write("000001.part", log.bytes());
        ImportOptions options;
        options.steps = TimeSpan{1, 1};
        EXPECT_THAT(sliceNames(*importLog(folder.path(), options)), ElementsAre(step + "1", "first"));
        options.steps = TimeSpan{2, 2};
        EXPECT_THAT(sliceNames(*importLog(folder.path(), options)), ElementsAre(step + "2", "second"));
    }
}

// --- Files of a log ---

LogFileText smallFile(uint32_t sequence, uint8_t session, const std::string &name)
{
    LogFileText log(sequence, session);
    log.thread(0, 100, "main");
    return log.add(range(log, 1'000 * sequence, 500, name));
}

TEST(LogFiles, OpenTogetherByFolderOrByAnyOfThem)
{
    const LogFolder folder;
    const std::string second = folder.write("000002.part", smallFile(2, 1, "two").end().bytes());
    folder.write("000001.part", smallFile(1, 1, "one").bytes());
    for (const std::string &path : {folder.path(), second}) {
        const auto trace = importLog(path);
        EXPECT_THAT(sliceNames(*trace), ElementsAre("one", "two"));
        EXPECT_TRUE(trace->report.empty());
    }
}

TEST(LogFiles, OfTheFrontMayBeRolledAway)
{
    const LogFolder folder;
    folder.write("000008.part", smallFile(8, 1, "eight").bytes());
    folder.write("000009.part", smallFile(9, 1, "nine").end().bytes());
    const auto trace = importLog(folder.path());
    EXPECT_THAT(sliceNames(*trace), ElementsAre("eight", "nine"));
    EXPECT_TRUE(trace->report.empty());
}

TEST(LogFiles, MissingBetweenOthersAreReported)
{
    const LogFolder folder;
    folder.write("000002.part", smallFile(2, 1, "two").bytes());
    folder.write("000005.part", smallFile(5, 1, "five").end().bytes());
    const auto trace = importLog(folder.path());
    EXPECT_EQ(trace->sliceCount(), 2u);
    EXPECT_EQ(trace->report.of(Trouble::MissingPart).count, 2u);
}

TEST(LogFiles, OfAnotherSessionAreLeftOut)
{
    const LogFolder folder;
    folder.write("000001.part", smallFile(1, 1, "one").bytes());
    folder.write("000002.part", smallFile(2, 1, "two").end().bytes());
    const std::string other = folder.write("other.part", smallFile(1, 9, "foreign").end().bytes());
    const auto trace = importLog(folder.path());
    EXPECT_THAT(sliceNames(*trace), ElementsAre("one", "two"));
    EXPECT_EQ(trace->report.of(Trouble::ForeignPart).count, 1u);
    EXPECT_THAT(sliceNames(*importLog(other)), ElementsAre("foreign"));
}

TEST(LogFiles, MayHaveAnyNameWhenAlone)
{
    const LogFolder folder;
    EXPECT_THAT(sliceNames(*importLog(folder.write("renamed.bin", smallFile(3, 1, "three").bytes()))),
                ElementsAre("three"));
    EXPECT_FALSE(importTrace(folder.path(), {}, {})); // a folder without parts is not a log
}

TEST(LogFiles, MeanTheirOwnStrings)
{
    const LogFolder folder;
    folder.write("000001.part", smallFile(1, 1, "one").bytes());
    LogFileText second(2, 1); // the same id with another name
    second.add(range(second, 9'000, 1, "other"));
    folder.write("000002.part", second.bytes());
    EXPECT_THAT(sliceNames(*importLog(folder.path())), ElementsAre("one", "other"));
}

/// Gaps with a thread (or none), a source, a reason and a start; with durations they have ended.
LogChunkText gapsChunk(LogFileText &log, ChunkType type, int64_t thread, const char *source,
                       const std::vector<int64_t> &starts, const std::vector<int64_t> &durations = {})
{
    const size_t count = starts.size();
    const int64_t category = log.id(source), name = log.id("paused");
    LogChunkText chunk(type);
    chunk.plain(Field::Thread, std::vector<int64_t>(count, thread))
        .delta(Field::Category, std::vector<int64_t>(count, category))
        .delta(Field::Name, std::vector<int64_t>(count, name))
        .delta(Field::Start, starts);
    if (!durations.empty())
        chunk.plain(Field::Duration, durations);
    return chunk;
}

struct GapSeen {
    std::string lane;
    Ns start, duration;
    bool operator==(const GapSeen &) const = default;
};

std::vector<GapSeen> gapsIn(const Trace &trace)
{
    std::vector<GapSeen> seen;
    for (const Slice &slice : allSlices(trace)) {
        if (trace.string(slice.data.category) != kGapCategory)
            continue;
        EXPECT_EQ(trace.string(slice.data.name), "paused");
        EXPECT_EQ(trace.processName(trace.lanes[slice.lane.value].process), kGapProcess);
        seen.push_back({trace.laneName(slice.lane), slice.data.start, slice.data.duration});
    }
    std::sort(seen.begin(), seen.end(),
              [](const GapSeen &a, const GapSeen &b) { return std::tie(a.lane, a.start) < std::tie(b.lane, b.start); });
    return seen;
}

TEST(LogGaps, HaveALanePerSourceAndThread)
{
    LogFileText log;
    log.thread(0, 100, "main");
    // A gap without a length was withdrawn.
    log.add(gapsChunk(log, ChunkType::Gaps, wire::kAbsent, "recording", {2'000, 9'000, 8'000}, {3'000, 500, 0}));
    log.add(gapsChunk(log, ChunkType::Gaps, 0, "operators", {2'500}, {100}));
    const auto trace = importLogBytes(log.end().bytes());
    EXPECT_EQ(gapsIn(*trace),
              (std::vector<GapSeen>{
                  {"operators of thread 100", 2'500, 100}, {"recording", 2'000, 3'000}, {"recording", 9'000, 500}}));
}

TEST(LogGaps, OpenOnesLastUntilTheEndOfTheLogUnlessTheyEndLater)
{
    LogFileText log;
    log.add(gapsChunk(log, ChunkType::OpenGaps, wire::kAbsent, "cuda", {1'000}).times(1'000, 1'500));
    log.add(gapsChunk(log, ChunkType::OpenGaps, wire::kAbsent, "recording", {2'000, 3'000}).times(2'000, 4'000));
    log.add(gapsChunk(log, ChunkType::Gaps, wire::kAbsent, "recording", {3'000}, {2'000}).times(3'000, 5'000));
    log.add(LogChunkText(ChunkType::Clocks).delta(Field::Time, {7'000}).times(7'000, 7'000));
    const auto trace = importLogBytes(log.bytes());
    EXPECT_EQ(gapsIn(*trace), (std::vector<GapSeen>{{"recording", 2'000, 5'000}, {"recording", 3'000, 2'000}}));
}

TEST(LogClocks, EachReadingOfTheWallClockReachesTheTraceOnce)
{
    constexpr int64_t kUnix = 1'700'000'000'000'000'000;
    const LogFolder folder;
    LogFileText first(1), second(2);
    first.clocks(1'000, kUnix + 1'000).clocks(2'000, kUnix + 2'005).end();
    second.clocks(2'000, kUnix + 2'005).clocks(3'000, kUnix + 3'009);
    second.add(LogChunkText(ChunkType::Clocks).delta(Field::Time, {4'000}).delta(Field::Realtime, {wire::kAbsent}))
        .end();
    folder.write("000001.part", first.bytes());
    folder.write("000002.part", second.bytes());
    const auto trace = importTrace(folder.path(), {}, {});
    ASSERT_TRUE(trace);
    EXPECT_EQ((*trace)->info.clocks,
              (std::vector<ClockReading>{{1'000, kUnix + 1'000}, {2'000, kUnix + 2'005}, {3'000, kUnix + 3'009}}));
    EXPECT_EQ((*trace)->info.baseTimeNs, kUnix);
}

TEST(LogSettled, TheLastTimeOfASourceCounts)
{
    LogFileText log;
    const int64_t threads = log.id("threads"), cuda = log.id("cuda");
    log.add(
        LogChunkText(ChunkType::Settled).delta(Field::Category, {threads, cuda}).delta(Field::Time, {3'000, 2'000}));
    log.add(LogChunkText(ChunkType::Settled).delta(Field::Category, {threads}).delta(Field::Time, {5'000}));
    const auto trace = importLogBytes(log.bytes());
    const std::map<std::string, std::string> metadata(trace->info.metadata.begin(), trace->info.metadata.end());
    EXPECT_EQ(metadata.at("settled"), R"({"cuda": 2000, "threads": 5000})");
}

TEST(LogSteps, SummariesOfRolledStepsAreRead)
{
    constexpr int64_t kNone = wire::kAbsent;
    const LogFolder folder;
    LogFileText kept(3), steps(0);
    kept.clocks(1'000'000, 1'700'000'000'001'000'000).end();
    steps.add(LogChunkText(ChunkType::StepSummaries)
                  .delta(Field::Id, {0, 1})
                  .delta(Field::Start, {1'000, 2'000})
                  .plain(Field::Duration, {900, 800})
                  .plain(Field::Device, {kNone, 0})
                  .plain(Field::BusyTime, {kNone, 300})
                  .plain(Field::IdleTime, {kNone, 500}));
    const std::string part = folder.write("000003.part", kept.bytes());
    folder.write(wire::kStepsFile, steps.bytes());
    for (const std::string &path : {part, folder.path()}) {
        const auto trace = importLog(path);
        const std::map<std::string, std::string> metadata(trace->info.metadata.begin(), trace->info.metadata.end());
        EXPECT_EQ(metadata.at("stepSummaries"),
                  R"([{"step": 0, "start_ns": 1000, "duration_ns": 900}, )"
                  R"({"step": 1, "start_ns": 2000, "duration_ns": 800, "device": 0, "busy_ns": 300, "idle_ns": 500}])");
        EXPECT_TRUE(trace->report.empty()); // files that rolled away are not missing
    }
}

} // namespace
} // namespace riffle
