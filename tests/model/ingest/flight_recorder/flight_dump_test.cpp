// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/flight_recorder/flight_recorder.h"

#include "model/ingest/flight_marks.h"
#include "model/ingest/importers.h"
#include "tests/support/archives.h"
#include "tests/support/chunked_source.h"
#include "tests/support/flight_job.h"
#include "tests/support/pickle_writer.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace riffle {
namespace {

using namespace std::string_view_literals;
using test::ChunkedSource;
using test::FlightJob;
using Dump = std::shared_ptr<const FlightDump>;

Result<Dump> read(std::string_view text, size_t chunk = 0, const std::string &name = "nccl_trace_rank_3")
{
    ChunkedSource source(text, chunk);
    return readFlightDumpText(source, text.substr(0, 4096), name, {});
}

std::string faultOf(std::string_view text)
{
    const auto dump = read(text);
    if (!dump)
        return dump.error().text();
    return (*dump)->damage ? (*dump)->damage->text() : "";
}

FlightJob job()
{
    FlightJob made({{"0", "default_pg", {0, 1, 2, 3}}, {"1", "data", {2, 3}}});
    for (int at = 0; at < 3; ++at) {
        made.all(0, "all_reduce", 16);
        made.all(1, "all_gather", 7);
    }
    made.calls[3][1].inputs = {4, 5};
    FlightJob::wait(made.call(3, 1, "broadcast"), true, false);
    return made;
}

TEST(FlightDumps, PicklesAndJsonHaveTheFieldsOfTheJob)
{
    const FlightJob made = job();
    for (const bool isJson : {false, true})
        for (const int protocol : {2, 4, 5})
            for (const size_t ring : {0, 4})
                for (const size_t chunk : {0, 1, 50}) {
                    const auto dump = read(isJson ? made.json(3, ring) : made.pickle(3, ring, protocol), chunk);
                    ASSERT_TRUE(dump) << dump.error().text();
                    const FlightDump &own = **dump;
                    const auto &all = made.calls.at(3);
                    const size_t count = ring ? ring : all.size();
                    ASSERT_EQ(own.entries.size(), count);
                    ASSERT_EQ(own.discovered.size(), count);
                    EXPECT_EQ(own.version, "2.10");
                    EXPECT_EQ(own.rank, 3);
                    EXPECT_FALSE(own.isRankGuessed);
                    EXPECT_EQ(own.worldSize(), 4);
                    EXPECT_EQ(own.isWrapped(), ring > 0);
                    EXPECT_TRUE(own.tracksState());
                    EXPECT_EQ(own.unreadable, 0u);
                    EXPECT_FALSE(own.damage);
                    for (size_t at = 0; at < count; ++at) {
                        const test::JobCall &call = all[all.size() - count + at];
                        const FlightEntry &entry = own.entries[at];
                        const FlightGroup &group = own.groups[entry.group];
                        EXPECT_EQ(entry.record, call.record);
                        EXPECT_EQ(entry.sequence, call.sequence);
                        EXPECT_EQ(entry.p2pSequence, call.p2pSequence);
                        EXPECT_EQ(own.text(entry.name), call.name);
                        EXPECT_EQ(group.name, made.groups[call.group].name);
                        EXPECT_EQ(group.description, made.groups[call.group].description);
                        EXPECT_EQ(group.ranks, made.groups[call.group].ranks);
                        EXPECT_TRUE(group.isListed);
                        EXPECT_EQ(entry.inputs.elements, call.inputs.size() > 1 ? 20 : call.inputs[0]);
                        EXPECT_EQ(own.text(entry.inputs.dtypes), "Float");
                        EXPECT_EQ(entry.created, call.created);
                        EXPECT_EQ(flightStateName(entry.state), call.state);
                        EXPECT_EQ(entry.isRetired, call.isRetired);
                        EXPECT_EQ(entry.timeoutMs, 600'000);
                        EXPECT_EQ(own.discovered[at].started, call.created + 5'000'000'000);
                        EXPECT_EQ(own.discovered[at].completed,
                                  call.state == "completed" ? call.created + 6'000'000'000 : FlightEntry::kNone);
                        const auto stack = own.stack(entry.stack);
                        ASSERT_EQ(stack.size(), isJson ? 0u : 2u);
                        if (!isJson) {
                            EXPECT_EQ(own.text(own.frames[stack[0]].name), call.function);
                            EXPECT_EQ(own.frames[stack[0]].line, call.line);
                            EXPECT_EQ(own.text(own.frames[stack[1]].name), "main");
                        }
                    }
                    if (isJson) {
                        EXPECT_EQ(own.library, "2.21.5");
                        EXPECT_EQ(own.groups[own.entries[0].group].lastEnqueued,
                                  own.groups[own.entries[0].group].id == 0 ? 4 : FlightEntry::kNone);
                    }
                }
    EXPECT_EQ((*read(made.pickle(3)))->text((*read(made.pickle(3)))->entries[1].inputs.sizes), "[[4, 5]]");
}

TEST(FlightDumps, NamesTellTheRank)
{
    struct Case {
        const char *name;
        int64_t rank;
        bool isGuessed;
    };
    for (const Case &one : std::vector<Case>{{"/tmp/nccl_trace_rank_0", 0, false},
                                             {"/a/rank_7/comm_lib_trace_rank_12", 12, false},
                                             {"fr_rank3.pickle.gz", 3, false},
                                             {"RANK-15.json", 15, false},
                                             {"C:\\dumps\\trace_rank_4.json", 4, false},
                                             {"トレース_rank_2", 2, false},
                                             {"my_dump_5", 5, true},
                                             {"trace17.pkl", 17, true},
                                             {"run.v2_0", 0, true},
                                             {"run.v2_1.json.gz", 1, true},
                                             {"a.b_3.pickle", 3, true},
                                             {"dump_4.dump.zst", 4, true},
                                             {"v1.5.log", -1, false},
                                             {"nccl_trace_rank_1048576", -1, false},
                                             {"rank.json", -1, false},
                                             {"dump", -1, false},
                                             {"rank_99999999999999999999", -1, false},
                                             {"", -1, false}}) {
        const RankOfName rank = rankOfDumpName(one.name);
        EXPECT_EQ(rank.rank.value_or(-1), one.rank) << one.name;
        EXPECT_EQ(rank.isGuessed, one.isGuessed) << one.name;
    }
}

TEST(FlightDumps, VersionsAndGroupsInOtherForms)
{
    // Early versions have the name of the group alone, no list of types, and ranks as a list.
    const std::string early = R"({"entries":[{"profiling_name":"nccl:all_reduce","process_group":"7","pg_id":2,)"
                              R"("collective_seq_id":4,"input_sizes":[[2,3],[4]],"state":"started"}],)"
                              R"("pg_config":{"7":{"desc":"","name":"7","ranks":[1,0]},)"
                              R"("8":{"desc":"","name":"8","ranks":"[0, 1, ..., ...]"}},"version":"2.4"})";
    auto dump = read(early);
    ASSERT_TRUE(dump) << dump.error().text();
    EXPECT_EQ((*dump)->version, "2.4");
    EXPECT_EQ((*dump)->entries[0].inputs.elements, 10);
    EXPECT_EQ((*dump)->entries[0].record, FlightEntry::kNone);
    EXPECT_EQ((*dump)->groups[0].ranks, (std::vector<int64_t>{0, 1}));
    ASSERT_EQ((*dump)->groups.size(), 2u);
    EXPECT_FALSE((*dump)->groups[1].isListed) << "a list that was cut says not how many ranks there are";
    // A dump without entries is one, too.
    dump = read(R"({"pg_config":{},"pg_status":{},"version":"2.10"})");
    ASSERT_TRUE(dump);
    EXPECT_TRUE((*dump)->entries.empty());
    // Fields of other types are left out and counted.
    dump = read(R"({"version":2,"entries":[{"profiling_name":[],"collective_seq_id":"x","state":"odd","pg_id":1e9,)"
                R"("input_sizes":7,"retired":"yes"},5],"pg_config":{"1":{"ranks":"[0, -1]"}}})");
    ASSERT_TRUE(dump);
    EXPECT_EQ((*dump)->entries.size(), 1u);
    EXPECT_EQ((*dump)->unreadable, 8u);
    // Sizes whose product is no number of elements are shown and not compared.
    dump = read(R"({"entries":[{"profiling_name":"a","input_sizes":[[4611686018427387904,4611686018427387904]]}]})");
    ASSERT_TRUE(dump);
    EXPECT_EQ((*dump)->entries[0].inputs.elements, -1);
}

TEST(FlightDumps, TruncatedMalformedAndHugeOnesSayWhatIsWrong)
{
    const FlightJob made = job();
    const std::string pickle = made.pickle(3), json = made.json(3);
    size_t most = 0;
    for (size_t size = 1; size < pickle.size(); size += 7) {
        const auto dump = read(std::string_view(pickle).substr(0, size));
        if (!dump) {
            EXPECT_FALSE(dump.error().message.empty());
            continue;
        }
        ASSERT_TRUE((*dump)->damage) << size;
        EXPECT_GE((*dump)->entries.size(), most);
        most = (*dump)->entries.size();
    }
    EXPECT_GE(most, 5u) << "entries before the cut are kept";
    for (size_t size = 1; size < json.size(); size += 11)
        EXPECT_FALSE(read(std::string_view(json).substr(0, size)));
    EXPECT_NE(faultOf(json.substr(0, json.size() - 5)).find("cut off"), std::string::npos);
    EXPECT_NE(faultOf(R"({"entries": [nonsense], "pg_config": {}})").find("not valid JSON"), std::string::npos);
    EXPECT_NE(faultOf("").find("empty"), std::string::npos);
    // A pickle that would run something stops there.
    constexpr std::string_view hostile = "\x80\x02}(X\x07\x00\x00\x00versionX\x03\x00\x00\x00"
                                         "2.4X\x09\x00\x00\x00pg_config"
                                         "cos\nsystem\nX\x02\x00\x00\x00ls\x85Ru."sv;
    EXPECT_NE(faultOf(hostile).find("Nothing is executed"), std::string::npos) << faultOf(hostile);
    // One list of sizes a million times: the memo makes a small file huge.
    std::string bomb;
    test::PickleWriter out([&](std::string_view piece) { bomb += piece; }, 2);
    out.emptyDict();
    out.mark();
    out.text("pg_config");
    out.emptyDict();
    out.text("entries");
    out.emptyList();
    const uint32_t first = [&] {
        out.emptyList();
        out.mark();
        for (int at = 0; at < 1000; ++at)
            out.integer(at);
        out.appends();
        return out.lastMemo();
    }();
    uint32_t inner = first;
    for (int level = 0; level < 3; ++level) {
        out.emptyList();
        out.mark();
        for (int at = 0; at < 1000; ++at)
            out.get(inner);
        out.appends();
        inner = out.lastMemo();
    }
    out.raw('a').raw('a').raw('a').raw('a');
    out.setItems();
    out.stop();
    EXPECT_FALSE(faultOf(bomb).empty());
}

TEST(FlightDumps, OtherFilesAreToldApart)
{
    const auto says = [](std::string_view text, std::string_view part) {
        EXPECT_FALSE(looksLikeFlightDump(text.substr(0, 4096)));
        const test::TemporaryFolder folder;
        test::writeFile(folder.file("dump"), text);
        const auto dump = readFlightDump(folder.file("dump"), {}, {});
        ASSERT_FALSE(dump);
        EXPECT_NE(dump.error().message.find(part), std::string::npos) << dump.error().text();
    };
    says("PK\x03\x04....", "zip archive");
    says("\x80\x02\x8a\nl\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19."sv, "checkpoint");
    says("\x80\x02}(X\x08\x00\x00\x00segments]X\x0d\x00\x00\x00"
         "device_traces]u."sv,
         "memory snapshot");
    says(std::string("\x80\x04}."), "pickle does not start like a dump");
    says(R"({"schemaVersion":1,"distributedInfo":{"pg_config":[]},"traceEvents":[]})", "trace");
    says(R"({"distributedInfo":{"rank":0,"pg_config":[{"pg_name":"0"}]}})", "JSON does not start");
    says(R"({"a":1})", "JSON does not start");
    says("words", "neither a pickle nor JSON");
}

TEST(FlightDumps, TheTableOfFormatsKnowsThem)
{
    const FlightJob made = job();
    for (const std::string &text :
         {made.pickle(3), made.json(3), test::gzipped(made.pickle(3)), test::gzipped(made.json(3))}) {
        const test::TemporaryFolder folder;
        const std::string path = folder.file("trace_rank_3");
        test::writeFile(path, text);
        const Importer &importer = importerOf(path);
        EXPECT_EQ(importer.kind, FileKind::FlightDump);
        const auto read = importer.open(path, {}, {});
        ASSERT_TRUE(read) << read.error().text();
        EXPECT_EQ(std::get<Dump>(*read)->entries.size(), made.calls.at(3).size());
        const auto trace = importTrace(path, {}, {});
        ASSERT_FALSE(trace);
        EXPECT_NE(trace.error().message.find("Flight Recorder"), std::string::npos) << trace.error().text();
        EXPECT_EQ(whyNoPage(importer.kind), nullptr);
    }
}

} // namespace
} // namespace riffle
