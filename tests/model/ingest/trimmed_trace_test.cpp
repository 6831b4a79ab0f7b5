// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/trimmed_trace.h"

#include "model/trace/details.h"
#include "model/trace/store.h"
#include "tests/support/archives.h"
#include "tests/support/text_file.h"
#include "tests/support/trace_difference.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <simdjson.h>

#include <filesystem>

namespace riffle {
namespace {

using namespace test;
using testing::HasSubstr;
using testing::Not;

/// Step 1 launches work that runs in step 2, and k3 has no launch. The trace has all kinds of events, some of them odd.
constexpr std::string_view kOdd = R"({"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "GPU \"x\""}],
"record_shapes": 1, "bad": NaN, "twice": 1, "twice": 2, "baseTimeNanoseconds": 1000, "distributedInfo": {"rank": 2, "world_size": 4}, "traceEvents": [
{"ph":"M","name":"process_name","pid":1,"tid":0,"args":{"name":"python \u00e9"}},
{"ph":"X","cat":"user_annotation","name":"ProfilerStep#1","pid":1,"tid":1,"ts":100,"dur":100},
{"ph":"X","cat":"cuda_runtime","name":"launch 1","pid":1,"tid":1,"ts":150,"dur":5,"args":{"correlation":1}},
{"ph":"s","id":1,"cat":"ac2g","name":"ac2g","pid":1,"tid":1,"ts":150},
{"ph":"M","name":"thread_name","pid":1,"tid":1,"args":{"name":"main\/\ud83d\ude00"}},
  {
    "ph": "X", "cat": "cpu_op", "name": "aten::\"mm\"\\", "pid": 1, "tid": 1,
    "ts": 160.5, "dur": 10.25, "args": {"Input Dims": [[1, 2], []], "big": 18446744073709551615}
  },
{"ph":"X","cat":"cpu_op","name":"raw	tab","pid":1,"tid":1,"ts":175,"dur":1,"args":{"x": N/A}},
{"ph":"X","cat":"cpu_op","name":"cuts "quotes" here","pid":1,"tid":1,"ts":177,"dur":1},
{"ph":"i","s":"t","name":"[memory]","pid":1,"tid":1,"ts":178,"args":{"Device Type":1,"Device Id":0,"Addr":5,"Bytes":-8,"Total Allocated":0}},
{"ph":"i","s":"g","name":"mark","cat":"c","pid":1,"tid":1,"ts":179},
{"ph":"C","name":"count","pid":1,"ts":180,"args":{"a":1.5,"b":2}},
{"ph":"B","name":"into","cat":"h","pid":1,"tid":2,"ts":50,"args":{"k":1}},
{"ph":"B","name":"into","cat":"h","pid":1,"tid":2,"ts":120},
{"ph":"E","name":"into","pid":1,"tid":2,"ts":199,"args":{"at end":1}},
{"ph":"B","name":"zero","cat":"h","pid":1,"tid":2,"ts":199},
{"ph":"E","pid":1,"tid":2,"ts":199},
{"ph":"E","pid":1,"tid":2,"ts":260},
{"ph":"b","cat":"async","name":"req","id":"0x1","pid":1,"ts":110},
{"ph":"n","cat":"async","name":"req","id":"0x1","pid":1,"ts":130},
{"ph":"e","cat":"async","name":"req","id":"0x1","pid":1,"ts":140},
{"ph":"B","name":"open","pid":1,"tid":3,"ts":115},
{"ph":"X","cat":"user_annotation","name":"ProfilerStep#2","pid":1,"tid":1,"ts":200,"dur":100},
{"ph":"X","cat":"cuda_runtime","name":"launch 2","pid":1,"tid":1,"ts":250,"dur":5,"args":{"correlation":2}},
{"ph":"X","cat":"kernel","name":"k1","pid":0,"tid":"stream 7","ts":210,"dur":20,"args":{"correlation":1,"stream":7}},
{"ph":"f","bp":"e","id":1,"cat":"ac2g","name":"ac2g","pid":0,"tid":"stream 7","ts":210},
{"ph":"X","cat":"kernel","name":"k2","pid":0,"tid":"stream 7","ts":400,"dur":20,"args":{"correlation":2,"stream":7}},
{"ph":"X","cat":"kernel","name":"k3","pid":0,"tid":"stream 7","ts":190,"dur":5,"args":{"correlation":3,"stream":7}},
{"ph":"M","name":"thread_name","pid":0,"tid":"stream 7","args":{"name":"stream 7"}},
{"ph":"X","cat":"cpu_op","name":"cut off","pid":1,"tid":1,"ts":181,"dur":2)";

ImportOptions steps(int64_t first, int64_t last)
{
    ImportOptions options;
    options.steps = TimeSpan{first, last};
    return options;
}

ImportOptions range(Ns begin, Ns end)
{
    ImportOptions options;
    options.range = TimeSpan{begin, end};
    return options;
}

class TrimmedTraceTest : public testing::Test {
protected:
    std::string original(std::string_view text)
    {
        writeFile(m_folder.file("original.json"), text);
        return m_folder.file("original.json");
    }
    /// Trims a trace into a file and reads this file.
    std::shared_ptr<const Trace> trimmed(const std::string &path, const ImportOptions &options,
                                         const std::string &name = "small.json")
    {
        const std::string out = m_folder.file(name);
        const auto written = trimTrace(path, options, out, {});
        EXPECT_TRUE(written) << (written ? "" : written.error().text());
        const auto trace = importTrace(out, {}, {});
        EXPECT_TRUE(trace) << (trace ? "" : trace.error().text());
        return trace ? *trace : nullptr;
    }
    std::string text(const std::string &name = "small.json") const
    {
        return readText(m_folder.file(name)).value_or("");
    }

    void expectSame(std::string_view source, const ImportOptions &options)
    {
        const std::string path = original(source);
        const auto part = importTrace(path, options, {});
        ASSERT_TRUE(part) << part.error().text();
        const auto again = trimmed(path, options);
        ASSERT_TRUE(again);
        EXPECT_EQ(contentDifference(**part, *again), "");
        EXPECT_EQ(again->report.total(Severity::Lost), 0u);
        simdjson::dom::parser parser;
        simdjson::dom::element document;
        EXPECT_EQ(parser.parse(text()).get(document), simdjson::SUCCESS) << text();
    }

    TemporaryFolder m_folder;
};

TEST_F(TrimmedTraceTest, ReadsAsThePartOfTheOriginal)
{
    for (const Ns begin : {0, 20, 49, 50, 79, 80, 129, 149})
        for (const Ns end : {51, 80, 81, 150, 151, 211, 351, 10'000}) {
            SCOPED_TRACE(testing::Message() << begin << ':' << end);
            if (end > begin)
                expectSame(kOdd, range(begin * 1000, end * 1000));
        }
    expectSame(kOdd, steps(1, 1));
    expectSame(kOdd, steps(2, 2));
    expectSame(kOdd, steps(1, 9));
}

TEST_F(TrimmedTraceTest, LanesStandInTheOrderOfTheirFirstRows)
{
    // Lanes 4 to 2, and two processes, come first in events that become no row in the part.
    constexpr std::string_view kLate = R"([
{"ph":"X","cat":"user_annotation","name":"ProfilerStep#1","pid":1,"tid":1,"ts":100,"dur":100},
{"ph":"E","pid":9,"tid":1,"ts":110},
{"ph":"E","pid":1,"tid":4,"ts":110},
{"ph":"B","name":"early","pid":1,"tid":3,"ts":10},
{"ph":"E","name":"early","pid":1,"tid":3,"ts":20},
{"ph":"e","cat":"async b","name":"req","id":1,"pid":1,"ts":120},
{"ph":"C","name":"count","pid":8,"ts":120,"args":{}},
{"ph":"b","cat":"async a","name":"req","id":2,"pid":1,"ts":130},
{"ph":"e","cat":"async a","name":"req","id":2,"pid":1,"ts":140},
{"ph":"b","cat":"async b","name":"req","id":2,"pid":1,"ts":130},
{"ph":"X","name":"a","pid":1,"tid":2,"ts":130,"dur":1},
{"ph":"i","s":"t","name":"b","pid":1,"tid":3,"ts":130},
{"ph":"X","name":"c","pid":1,"tid":4,"ts":130,"dur":1},
{"ph":"C","name":"count","pid":8,"ts":130,"args":{"n":1}},
{"ph":"X","name":"d","pid":9,"tid":1,"ts":130,"dur":1}])";
    expectSame(kLate, steps(1, 1));
    expectSame(kLate, range(50'000, 250'000));
    const auto part = importTrace(original(kLate), steps(1, 1), {});
    ASSERT_TRUE(part);
    std::vector<std::string> lanes;
    for (uint32_t id = 0; id < (*part)->lanes.size(); ++id)
        lanes.push_back((*part)->processName((*part)->lanes[id].process) + " / " + (*part)->laneName(LaneId(id)));
    EXPECT_THAT(lanes, testing::ElementsAre("process 1 / thread 1", "process 1 / async a", "process 1 / async b",
                                            "process 1 / thread 2", "process 1 / thread 3", "process 1 / thread 4",
                                            "process 8 / count", "process 9 / thread 1"));
}

TEST_F(TrimmedTraceTest, DamagedKeysBesideTheEventsSayTheSame)
{
    const auto ranks = [&](const std::string &keys) {
        const std::string source = "{" + keys + R"(, "traceEvents": [
{"ph":"X","cat":"user_annotation","name":"ProfilerStep#1","pid":1,"tid":1,"ts":100,"dur":100}
]})";
        expectSame(source, steps(1, 1));
        const auto trace = importTrace(original(source), {}, {});
        EXPECT_TRUE(trace);
        return trace ? std::pair((*trace)->info.rank, (*trace)->info.worldSize)
                     : std::pair<std::optional<int64_t>, std::optional<int64_t>>();
    };
    EXPECT_EQ(ranks(R"("distributedInfo": {"rank": 4,, "world_size": 8})"),
              std::pair(std::optional<int64_t>(4), std::optional<int64_t>(8)));
    EXPECT_EQ(ranks(R"("distributedInfo": {"rank": 1, "world_size": 2}, "distributedInfo": {"world_size": 3})").first,
              std::nullopt); // the last of equal keys counts
    ranks(R"("distributedInfo": {"": , "world_size": 4})");
    ranks(std::string(R"("distributedInfo": {"rank": )") + '\x1b' + R"("4"})");
    ranks(R"("baseTimeNanoseconds": 1000 "distributedInfo": {"rank": 4})");
    ranks(R"("baseTimeNanoseconds": 10x00)");
}

TEST_F(TrimmedTraceTest, OfEveryKindOfDocumentReadsAsThePart)
{
    const std::string_view events = kOdd.substr(kOdd.find('[', kOdd.find("traceEvents")));
    expectSame(events, range(60'000, 150'000));
    const std::string lines = std::string(events.substr(2, events.find("  {") - 2)) +
                              R"({"ph":"X","name":"last","pid":1,"tid":1,"ts":190,"dur":1})";
    expectSame(lines, range(0, 1'000'000));
}

TEST_F(TrimmedTraceTest, EventsStandAsTheyStood)
{
    trimmed(original(kOdd), steps(1, 1));
    const std::string out = text();
    for (
        const char *event :
        {R"({"ph":"M","name":"thread_name","pid":1,"tid":1,"args":{"name":"main\/\ud83d\ude00"}})",
         "\"ts\": 160.5, \"dur\": 10.25, \"args\": {\"Input Dims\": [[1, 2], []], \"big\": 18446744073709551615}\n  }",
         R"({"ph":"E","name":"into","pid":1,"tid":2,"ts":199,"args":{"at end":1}})",
         R"({"ph":"X","cat":"kernel","name":"k1","pid":0,"tid":"stream 7","ts":210,"dur":20,"args":{"correlation":1,"stream":7}})",
         R"("deviceProperties": [{"id": 0, "name": "GPU \"x\""}])", R"("record_shapes": 1)", R"("twice": 2)"})
        EXPECT_THAT(out, HasSubstr(event));
    for (const char *event : {"launch 2", "\"k2\"", "NaN", "N/A", "\"twice\": 1"})
        EXPECT_THAT(out, Not(HasSubstr(event)));
}

TEST_F(TrimmedTraceTest, DeviceWorkWithoutALaunchBelongsWhereItStarts)
{
    const auto names = [&](int64_t step) {
        std::vector<std::string> kernels;
        const auto trace = trimmed(original(kOdd), steps(step, step));
        forEachDetail(*trace, &Segment::device, [&](const Segment &segment, uint32_t at, uint32_t) {
            kernels.emplace_back(trace->string(segment.slices.name[at]));
        });
        return kernels;
    };
    EXPECT_THAT(names(1), testing::UnorderedElementsAre("k1", "k3"));
    EXPECT_THAT(names(2), testing::UnorderedElementsAre("k1", "k2")); // k1 runs in that time
}

TEST_F(TrimmedTraceTest, AFileOfStepsAnswersAboutWhatItHoldsAlone)
{
    trimmed(original(kOdd), steps(1, 1));
    const auto part = importTrace(m_folder.file("small.json"), range(60'000, 150'000), {});
    ASSERT_TRUE(part) << part.error().text();
    EXPECT_EQ((*part)->info.partSteps, std::nullopt); // the question is about the range, not the step
    EXPECT_EQ((*part)->info.part, (TimeSpan{110'000, 200'000}));
    const auto other =
        importTrace(m_folder.file("small.json"), steps(2, 2), {}); // the mark of step 2 reaches into the file
    ASSERT_FALSE(other);
    EXPECT_THAT(other.error().message, HasSubstr("does not contain all of these steps"));
}

TEST_F(TrimmedTraceTest, SaysWhichPartItIs)
{
    const auto byRange = trimmed(original(kOdd), range(60'000, 150'000)); // the first event is at 50 µs
    EXPECT_EQ(byRange->info.part, (TimeSpan{110'000, 200'000}));
    EXPECT_EQ(byRange->info.partSteps, std::nullopt);
    EXPECT_EQ(byRange->info.recorded, (TimeSpan{50'000, 420'000}));
    EXPECT_TRUE(byRange->info.trimmedFile);
    EXPECT_THAT(text(),
                HasSubstr(R"("riffleTrimmed": {"range_ns": [110000, 200000], "recorded_ns": [50000, 420000]})"));
    const auto byStep = trimmed(original(kOdd), steps(1, 1));
    EXPECT_EQ(byStep->info.part, (TimeSpan{100'000, 230'000}));
    EXPECT_EQ(byStep->info.partSteps, (TimeSpan{1, 1}));
    EXPECT_THAT(
        text(),
        HasSubstr(
            R"("riffleTrimmed": {"range_ns": [100000, 230000], "steps": [1, 1], "recorded_ns": [50000, 420000]})"));
}

TEST_F(TrimmedTraceTest, OfATrimmedFileIsAPartOfTheOriginal)
{
    const std::string path = original(kOdd);
    trimmed(path, range(20'000, 200'000), "first.json");
    const auto again = trimmed(m_folder.file("first.json"), range(60'000, 120'000));
    const auto direct = importTrace(path, range(60'000, 120'000), {});
    ASSERT_TRUE(direct);
    EXPECT_EQ(contentDifference(**direct, *again), "");
    // Everything outside the first part is lost.
    EXPECT_EQ(trimmed(m_folder.file("first.json"), range(150'000, 900'000), "third.json")->info.part,
              (TimeSpan{200'000, 250'000}));
}

TEST_F(TrimmedTraceTest, AsGzipAndZstdIsTheSame)
{
    const std::string path = original(kOdd);
    const auto plain = trimmed(path, steps(1, 2));
    for (const std::string name : {"small.json.gz", "small.json.zst"}) {
        const auto packed = trimmed(path, steps(1, 2), name);
        EXPECT_EQ(packed->info.container, name.ends_with(".gz") ? "gzip" : "zstd");
        EXPECT_EQ(traceDifference(*plain, *packed), "");
    }
    EXPECT_EQ(text("small.json.gz"), text());
}

TEST_F(TrimmedTraceTest, OfManyEventsReadsAsThePart)
{
    // More text than is read at a time, with gaps of all sizes, also in gzip.
    std::string source = "{\"traceEvents\": [";
    for (int at = 0; at < 40'000; ++at)
        source += "\n{\"ph\":\"X\",\"name\":\"e" + std::to_string(at % 97) +
                  "\",\"pid\":1,\"tid\":" + std::to_string(at % 3) + ",\"ts\":" + std::to_string((at * 7919) % 40'000) +
                  ",\"dur\":3,\"args\":{\"pad\":\"" + std::string(static_cast<size_t>(at % 211), 'x') + "\"}},";
    source.back() = ']';
    source += '}';
    expectSame(source, range(3'000'000, 31'000'000));
    writeFile(m_folder.file("original.gz"), gzipped(source));
    const auto packed = trimmed(m_folder.file("original.gz"), range(3'000'000, 31'000'000), "from_gzip.json");
    EXPECT_EQ(text("from_gzip.json"), text());
}

TEST_F(TrimmedTraceTest, IsStoredAndFoundAgain)
{
    const std::string path = original(kOdd);
    const auto trace = trimmed(path, steps(1, 1));
    const SourceIdentity identity{1, 2, 3};
    ASSERT_TRUE(writeStore(*trace, {}, identity, m_folder.file("store"), {}));
    const auto stored = openStore(m_folder.file("store"), identity);
    ASSERT_TRUE(stored) << stored.error().text();
    EXPECT_EQ(contentDifference(*trace, *stored->trace), "");
    EXPECT_TRUE(stored->trace->info.trimmedFile);
    const auto part = importTrace(path, steps(1, 1), {});
    EXPECT_FALSE(writeStore(**part, {}, identity, m_folder.file("other"), {}));
}

TEST_F(TrimmedTraceTest, LeavesNothingBehindWhenItFails)
{
    const std::string path = original(kOdd);
    const auto fails = [&](const ImportOptions &options, const std::string &output, const Task &task = {}) {
        const auto written = trimTrace(path, options, output, task);
        return written ? std::string() : written.error().message;
    };
    EXPECT_THAT(fails(steps(7, 8), m_folder.file("out.json")), HasSubstr("none of these steps"));
    EXPECT_THAT(fails(range(900'000'000, 901'000'000), m_folder.file("out.json")), HasSubstr("nothing in this range"));
    EXPECT_THAT(fails(steps(1, 1), path), HasSubstr("is being read"));
    std::stop_source stop;
    stop.request_stop();
    EXPECT_EQ(fails(steps(1, 1), m_folder.file("out.json"), {stop.get_token(), nullptr}), "The import was cancelled.");
    EXPECT_EQ(readFile(path), kOdd);
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(m_folder.path()), {}), 1);
}

TEST_F(TrimmedTraceTest, TellsHowFarItIs)
{
    Progress progress;
    ASSERT_TRUE(trimTrace(original(kOdd), steps(1, 2), m_folder.file("out.json"), {{}, &progress}));
    EXPECT_EQ(progress.stage, Progress::Stage::Writing);
    EXPECT_GT(progress.bytesDone, 1'000u);
    EXPECT_EQ(progress.bytesDone, progress.bytesTotal);
}

TEST_F(TrimmedTraceTest, NonsenseAboutThePartIsNoPart)
{
    for (const char *value : {"1", "{}", R"({"range_ns": [2, 1], "recorded_ns": [0, 9]})", R"({"range_ns": [1, 2]})",
                              R"({"range_ns": [1], "recorded_ns": [0, 9]})",
                              R"({"range_ns": [1, 2], "recorded_ns": [-9223372036854775807, 9]})"}) {
        const auto trace = importTrace(
            original(
                std::string(
                    R"({"traceEvents": [{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":1}], "riffleTrimmed": )") +
                value + "}"),
            {}, {});
        ASSERT_TRUE(trace);
        EXPECT_EQ((*trace)->info.part, std::nullopt) << value;
        EXPECT_EQ((*trace)->info.recorded, (TimeSpan{1'000, 2'000})) << value;
    }
}

} // namespace
} // namespace riffle
