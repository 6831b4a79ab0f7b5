// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/collector_log/kineto_export.h"

#include "model/ingest/gzip_writer.h"
#include "model/ingest/importer.h"
#include "model/ingest/trimmed_trace.h"
#include "model/trace/details.h"
#include "tests/support/import_text.h"
#include "tests/support/log_writer.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

namespace riffle {
namespace {

using namespace test;
using testing::HasSubstr;
using wire::ChunkType;
using wire::Field;

std::string exported(const std::string &path)
{
    std::string text;
    const auto report =
        exportKinetoJson(path, [&](std::string_view bytes) { return text += bytes, Result<void>(); }, {});
    EXPECT_TRUE(report) << (report ? "" : report.error().text());
    return text;
}

/// Category and flags of a slice; those of a step are as in JSON, where a step is an annotation.
std::pair<std::string_view, uint16_t> kindOf(const Trace &trace, const Slice &slice)
{
    const std::string_view category = trace.string(slice.data.category);
    if (category == wire::kStepCategory)
        return {"user_annotation", slice.data.flags | slice_flag::Annotation};
    return {category, slice.data.flags};
}

/// All facts about slices, instants, samples and memory, one line each, in a canonical order.
std::vector<std::string> contents(const Trace &trace)
{
    std::vector<std::string> lines;
    const auto where = [&](LaneId lane) {
        return trace.processName(trace.lanes[lane.value].process) + "/" + trace.laneName(lane);
    };
    for (uint32_t id = 0; id < trace.sliceCount(); ++id) {
        const Slice slice = *trace.slice(SliceId(id));
        const auto parent = trace.slice(slice.parent), launch = trace.slice(trace.launchOf(SliceId(id)));
        const auto op = trace.detailOf(&Segment::operators, SliceId(id));
        const auto device = trace.detailOf(&Segment::device, SliceId(id));
        const auto [category, flags] = kindOf(trace, slice);
        lines.push_back(fmt::format(
            "{} {} {} {} {} {} {} {} {} {} {} {} {}", where(slice.lane), slice.depth, slice.data.phase, category,
            trace.string(slice.data.name), slice.data.start, slice.data.duration, slice.data.correlation,
            slice.data.externalId, flags, parent ? parent->data.start : -1, launch ? launch->data.start : -1,
            op       ? fmt::format("{} {} {}", op[&OperatorTable::sequence], op[&OperatorTable::recordFunction],
                                   op[&OperatorTable::inputDims])
            : device ? fmt::format("{} {} {} {} {}", device[&DeviceTable::stream], device[&DeviceTable::bytes],
                                   device[&DeviceTable::grid][0], device[&DeviceTable::registers],
                                   device[&DeviceTable::sharedMemory])
                     : ""));
    }
    for (uint32_t row = 0; row < trace.instants.time.size(); ++row)
        lines.push_back(fmt::format("{} i {} {} {} {}", where(LaneId(trace.instants.lane[row])),
                                    trace.string(trace.instants.category[row]), trace.string(trace.instants.name[row]),
                                    trace.instants.time[row], trace.instants.scope[row]));
    for (uint32_t row = 0; row < trace.counters.time.size(); ++row)
        lines.push_back(fmt::format("{} C {} {} {}", where(LaneId(trace.counters.lane[row])),
                                    trace.string(trace.counters.series[row]), trace.counters.time[row],
                                    trace.counters.value[row]));
    for (uint32_t row = 0; row < trace.memory.time.size(); ++row)
        lines.push_back(fmt::format(
            "memory {} {} {} {} {} {} {} on {}", trace.memory.time[row], trace.memory.address[row],
            trace.memory.bytes[row], trace.memory.totalAllocated[row], trace.memory.totalReserved[row],
            trace.memory.deviceType[row], trace.memory.deviceId[row], trace.laneName(LaneId(trace.memory.lane[row]))));
    forEachDetail(trace, &Segment::collectives, [&](const Segment &segment, uint32_t, uint32_t row) {
        const CollectiveTable &table = segment.collectives;
        lines.push_back(fmt::format("{} {} of {} {} {} {}: {} {} {} {} {}", trace.string(table.operation[row]),
                                    trace.string(table.dataType[row]), trace.string(table.group[row]),
                                    trace.string(table.groupDescription[row]), trace.string(table.groupRanks[row]),
                                    table.groupSize[row], table.inElements[row], table.outElements[row],
                                    table.sequence[row], table.inSplit[row], table.outSplit[row]));
    });
    std::sort(lines.begin(), lines.end());
    return lines;
}

void expectSame(std::string_view log)
{
    const LogFolder folder;
    const std::string path = folder.write("000001.part", log);
    const auto direct = importTrace(path, {}, {});
    const auto converted = importText(exported(path));
    ASSERT_TRUE(direct);
    ASSERT_TRUE(converted) << converted.error().text();
    EXPECT_EQ(contents(**converted), contents(**direct));
    EXPECT_EQ((*converted)->info.baseTimeNs, (*direct)->info.baseTimeNs);
    EXPECT_EQ((*converted)->info.rank, (*direct)->info.rank);
    EXPECT_EQ((*converted)->info.recorded, (*direct)->info.recorded);
    EXPECT_EQ((*converted)->steps.size(), (*direct)->steps.size());
    // In JSON, a begin event without an end is a fault; in a log, it is an open range.
    EXPECT_EQ((*converted)->report.total(Severity::Repaired),
              (*direct)->report.total(Severity::Repaired) + (*direct)->report.of(Trouble::StillOpen).count);
}

TEST(KinetoExport, OfEverythingReadsAsTheLogDoes) { expectSame(everythingLog(true).bytes()); }

TEST(KinetoExport, OfMemoryAndWholeGraphsReadsAsTheLogDoes) { expectSame(memoryLog().bytes()); }

TEST(KinetoExport, OfRangesThatNeverEndedReadsAsTheLogDoes)
{
    LogFileText log;
    log.thread(0, 100, "main");
    const std::vector<int64_t> names = log.ids({"outer", "inner", "done"});
    log.add(LogChunkText(ChunkType::OpenRanges)
                .delta(Field::Thread, {0, 0})
                .delta(Field::Start, {1'000, 2'000})
                .delta(Field::Name, {names[0], names[1]}));
    log.add(LogChunkText(ChunkType::Ranges)
                .delta(Field::Thread, {0})
                .delta(Field::Start, {5'000})
                .plain(Field::Duration, {7})
                .delta(Field::Name, {names[2]}));
    expectSame(log.bytes());
}

TEST(KinetoExport, OfHardTextsReadsAsTheLogDoes)
{
    LogFileText log;
    const std::vector<int64_t> names =
        log.ids({"\xFF\xFEno UTF-8 \xED\xA0\x80", std::string("zero\0byte", 9), "tab\tquote\"back\\slash\x01",
                 "\u00e9\U0001F600", std::string(70'000, 'x')});
    const std::vector<int64_t> more =
        log.ids({"[[1, 2], [not json", "[1,, 2]", "[[], [[-4]]]", "kernel", "gpu_memcpy"});
    log.thread(0, 100, "thr\"ead");
    log.add(LogChunkText(ChunkType::Ranges)
                .delta(Field::Thread, {0, 0, 0, 0, 0})
                .delta(Field::Start, {-5, 10, 20, 999, 1'000'001})
                .plain(Field::Duration, {1, 2, 3, wire::kAbsent, -9})
                .delta(Field::Name, names)
                .delta(Field::Category, {more[3], more[4], 0, names[0], names[2]})
                .delta(Field::Shapes, {more[0], more[1], more[2], 0, names[0]}));
    log.add(LogChunkText(ChunkType::Counters)
                .delta(Field::Time, {5, 6})
                .delta(Field::Name, {names[2], names[3]})
                .delta(Field::Series, {names[2], 0})
                .doubles(Field::Number, {0.1, -1e300}));
    expectSame(log.bytes());
}

TEST(KinetoExport, InputsThatAreNoListsReadAsTheLogDoes)
{
    LogFileText log;
    const std::vector<int64_t> texts =
        log.ids({R"(["float", ""])", "[]", R"(["a" "b"])", R"(["a",)", R"(["\"])", "[\"\x01\"]", "[[1]]", R"(["x"] )"});
    const std::vector<int64_t> zeros(texts.size(), 0);
    const int64_t category = log.id("cpu_op");
    log.thread(0, 100, "main");
    log.add(LogChunkText(ChunkType::Ranges)
                .delta(Field::Thread, zeros)
                .delta(Field::Start, {0, 10, 20, 30, 40, 50, 60, 70})
                .plain(Field::Duration, {1, 2, 3, 4, 5, 6, 7, 8})
                .delta(Field::Name, texts)
                .delta(Field::Category, std::vector<int64_t>(texts.size(), category))
                .delta(Field::Types, texts)
                .delta(Field::Strides, texts)
                .delta(Field::Values, texts));
    expectSame(log.bytes());
    const LogFolder folder;
    const std::string text = exported(folder.write("000001.part", log.bytes()));
    EXPECT_THAT(text, HasSubstr(R"("Input type":["float", ""],)"));
    EXPECT_THAT(text, HasSubstr(R"("Concrete Inputs":"[\"a\",")"));
}

TEST(KinetoExport, HasWhatPerfettoDraws)
{
    const LogFolder folder;
    const std::string text = exported(folder.write("000001.part", everythingLog().bytes()));
    EXPECT_THAT(text, HasSubstr(R"({"ph":"s","id":77,"pid":4321,"tid":100,"ts":2000.200,"cat":"ac2g","name":"ac2g"})"));
    EXPECT_THAT(text,
                HasSubstr(R"({"ph":"f","id":77,"pid":0,"tid":7,"ts":2003.000,"cat":"ac2g","name":"ac2g","bp":"e"})"));
    EXPECT_THAT(
        text,
        HasSubstr(R"_({"ph":"M","name":"thread_name","pid":4321,"tid":100,"args":{"name":"thread 100 (main)"}})_"));
    EXPECT_THAT(text, HasSubstr(R"({"ph":"M","name":"process_labels","pid":1,"tid":0,"args":{"labels":"GPU 1"}})"));
    EXPECT_THAT(text, HasSubstr(R"("distributedInfo": {"rank": 3, "world_size": 8})"));
}

TEST(KinetoExport, HasWhatOtherToolsExpectOfKineto)
{
    LogFileText log = everythingLog();
    const std::vector<int64_t> names = log.ids({"cuda", "yielded"});
    log.add(LogChunkText(ChunkType::Gaps)
                .delta(Field::Start, {2'009'000})
                .plain(Field::Duration, {100})
                .delta(Field::Thread, {wire::kAbsent})
                .delta(Field::Category, {names[0]})
                .delta(Field::Name, {names[1]}));
    const LogFolder folder;
    const std::string path = folder.write("000001.part", log.bytes());
    const std::string text = exported(path);
    EXPECT_THAT(text, HasSubstr(R"({"ph":"X","cat":"user_annotation","name":"ProfilerStep#4",)"));
    EXPECT_THAT(text, HasSubstr(R"_("bytes":1048576,"memory bandwidth (GB/s)":2097.152)_")); // 1 MiB in 500 ns
    EXPECT_THAT(text, HasSubstr(R"_("bytes":64,"memory bandwidth (GB/s)":3.2)_"));
    EXPECT_THAT(text, HasSubstr(R"({"ph":"X","cat":"Trace","name":"yielded","pid":"Not recorded","tid":"cuda",)"));
    std::string trimmed;
    ASSERT_TRUE(
        writeTrimmedTrace(path, {}, [&](std::string_view bytes) { return trimmed += bytes, Result<void>(); }, {}));
    EXPECT_THAT(trimmed, HasSubstr(R"("tid":"cuda")"));
    EXPECT_EQ(trimmed.find(R"("args":{"name":"cuda"})"), trimmed.npos); // a text is a name, so it needs no other one
}

TEST(KinetoExport, ArrowsGoFromOperatorsToTheirBackwardNodes)
{
    // The row of a range follows those inside it. The backward pass may run in another thread, whose rows may come
    // first.
    for (const bool isBackwardFirst : {false, true}) {
        LogFileText log;
        log.thread(0, 100, "main");
        log.thread(1, 101, "backward");
        const std::vector<int64_t> names = log.ids(
            {"aten::t", "aten::linear", "TBackward0", "autograd::engine::evaluate_function: TBackward0", "cpu_op"});
        const auto forward = [&] {
            log.add(LogChunkText(ChunkType::Ranges)
                        .delta(Field::Thread, {0, 0, 0})
                        .delta(Field::Start, {2'000, 1'000, 4'000})
                        .plain(Field::Duration, {10, 1'900, 10})
                        .delta(Field::Name, {names[0], names[1], names[0]})
                        .delta(Field::Category, {names[4], names[4], names[4]})
                        .delta(Field::Sequence, {5, 5, 6})); // 6 has no backward node
        };
        const auto backward = [&] {
            log.add(LogChunkText(ChunkType::Ranges)
                        .delta(Field::Thread, {1, 1, 1})
                        .delta(Field::Start, {9'050, 9'100, 9'000})
                        .plain(Field::Duration, {10, 10, 200})
                        .delta(Field::Name, {names[0], names[2], names[3]})
                        .delta(Field::Category, {names[4], names[4], names[4]})
                        .delta(Field::Sequence, {0, 5, 5}));
        };
        isBackwardFirst ? backward() : forward();
        isBackwardFirst ? forward() : backward();
        const LogFolder folder;
        const std::string text = exported(folder.write("000001.part", log.bytes()));
        EXPECT_THAT(text, HasSubstr(R"({"ph":"s","id":1,"pid":4321,"tid":100,"ts":2.000,"cat":"fwdbwd","name":"fwdbwd"},
{"ph":"f","id":1,"pid":4321,"tid":101,"ts":9.100,"cat":"fwdbwd","name":"fwdbwd","bp":"e"})"));
        EXPECT_EQ(text.find("\"fwdbwd\"", text.find("\"bp\":\"e\"")), text.npos);
    }
}

TEST(KinetoExport, OfAPartReadsAsThePartDoes)
{
    const LogFolder folder;
    const std::string path = folder.write("000001.part", everythingLog(true).bytes());
    const auto whole = importTrace(path, {}, {});
    ASSERT_TRUE(whole);
    const Ns length = (*whole)->info.recorded.duration();
    ImportOptions first, most, steps;
    first.range = TimeSpan{0, length / 2};
    most.range = TimeSpan{length / 3, length};
    ASSERT_FALSE((*whole)->steps.empty());
    steps.steps = TimeSpan{(*whole)->steps.front().number, (*whole)->steps.front().number};
    for (const ImportOptions &options : {first, most, steps}) {
        std::string text;
        const auto written =
            writeTrimmedTrace(path, options, [&](std::string_view bytes) { return text += bytes, Result<void>(); }, {});
        ASSERT_TRUE(written) << written.error().text();
        const auto direct = importTrace(path, options, {});
        const auto trimmed = importText(text);
        ASSERT_TRUE(direct);
        ASSERT_TRUE(trimmed) << trimmed.error().text();
        EXPECT_GT((*direct)->sliceCount(), 0u);
        EXPECT_EQ(contents(**trimmed), contents(**direct));
        EXPECT_EQ((*trimmed)->info.recorded, (*direct)->info.recorded);
        EXPECT_EQ((*trimmed)->info.part, (*direct)->info.part);
        EXPECT_EQ((*trimmed)->info.partSteps, (*direct)->info.partSteps);
        EXPECT_EQ((*trimmed)->info.rank, (*direct)->info.rank);
        EXPECT_EQ((*trimmed)->info.baseTimeNs, (*direct)->info.baseTimeNs);
        // A log has no arrows, because launches follow from its correlation ids. Other tools draw arrows.
        EXPECT_EQ((*trimmed)->flowsBySlice.size(), 2 * (*direct)->launches.size());
    }
}

TEST(KinetoExport, OfALogWithoutEventsIsATraceWithoutSlices)
{
    const LogFolder folder;
    const auto trace = importText(exported(folder.write("000001.part", LogFileText().bytes())));
    ASSERT_TRUE(trace) << trace.error().text();
    EXPECT_EQ((*trace)->sliceCount(), 0u);
}

TEST(KinetoExport, MetadataOfTheProgramIsAtTheTop)
{
    const LogFolder folder;
    const std::string text = exported(folder.write(
        "000001.part", LogFileText()
                           .process({{"rank", "3"},
                                     {"metadata:settings", R"({"layers": [1, 2]})"},
                                     {"metadata:broken", R"({"layers": [1)"},
                                     {"metadata:distributedInfo", R"({"backend": "gloo", "rank": 5, "world_size": 8})"},
                                     {"metadata:traceEvents", "[]"}})
                           .bytes()));
    EXPECT_THAT(text, HasSubstr(R"("settings": {"layers": [1, 2]})"));
    EXPECT_THAT(text, HasSubstr(R"("broken": "{\"layers\": [1")"));
    EXPECT_THAT(text, HasSubstr(R"("distributedInfo": {"backend": "gloo", "rank": 5, "world_size": 8})"));
    EXPECT_THAT(text, HasSubstr(R"("process": {"rank": 3})"));
    EXPECT_EQ(text.find("traceEvents"), text.rfind("traceEvents"));
    EXPECT_TRUE(importText(text));
}

TEST(KinetoExport, EndsWithTheErrorOfItsSink)
{
    const LogFolder folder;
    const auto report = exportKinetoJson(folder.write("000001.part", everythingLog().bytes()),
                                         [](std::string_view) {
                                             return Result<void>(Error{"full", {}, std::nullopt});
                                         },
                                         {});
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().message, "full");
}

TEST(KinetoExport, TakesNothingButLogs)
{
    const LogFolder folder;
    EXPECT_FALSE(
        exportKinetoJson(folder.write("trace.json", "[]"), [](std::string_view) { return Result<void>(); }, {}));
}

TEST(GzipWriter, WritesWhatOpensAgain)
{
    const LogFolder folder;
    const std::string path = folder.write("trace.json.gz", "");
    {
        std::ofstream file(path, std::ios::binary);
        GzipWriter writer([&](std::string_view bytes) { return file << bytes, Result<void>(); });
        const std::string text = exported(folder.write("000001.part", everythingLog().bytes()));
        for (size_t at = 0; at < text.size(); at += 100)
            ASSERT_TRUE(writer.write(std::string_view(text).substr(at, 100)));
        ASSERT_TRUE(writer.finish());
    }
    const auto trace = importTrace(path, {}, {});
    ASSERT_TRUE(trace);
    EXPECT_EQ((*trace)->info.container, "gzip");
    EXPECT_EQ((*trace)->report.total(Severity::Lost), 0u);
    EXPECT_EQ((*trace)->sliceCount(), 13u);
}

} // namespace
} // namespace riffle
