// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/gathering/run_files.h"

#include "model/ingest/chrome_json/peeked_place.h"
#include "model/ingest/importers.h"
#include "model/trace/run/known_place.h"
#include "tests/support/archives.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace riffle {
namespace {

using namespace test;

constexpr const char *kEventsText = R"("traceEvents": [{"ph": "X", "name": "k", "ts": 1, "dur": 1}])";

std::string placeText(const RecordedPlace &place)
{
    const auto number = [](const std::optional<int64_t> &one) { return one ? std::to_string(*one) : "-"; };
    return number(place.rank) + "/" + number(place.worldSize) + " " + coordinatesText(place.coordinates);
}

TEST(PeekedPlace, IsThatOfTheLastDistributedInfo)
{
    EXPECT_EQ(placeText(placeInText(R"({"distributedInfo": {"backend": "nccl", "rank": 3, "world_size": 8}, )")),
              "3/8 ");
    EXPECT_EQ(placeText(placeInText("{\"distributedInfo\" :\n {\"rank\":0},\"distributedInfo\":{\"rank\":1}}")),
              "1/- ");
    EXPECT_EQ(placeText(placeInText(R"({"name": "\"distributedInfo\": {\"rank\": 5}"})")), "-/- ");
    EXPECT_EQ(placeText(placeInText(R"({"distributedInfo": [1]})")), "-/- ");
    EXPECT_EQ(placeText(placeInText(R"({"distributedInfo": {"rank": "7", "world_size": 1.5}})")), "-/- ");
    EXPECT_EQ(placeText(placeInText(R"({"distributedInfo": {"rank": 99999999999999999999}})")), "-/- ");
    EXPECT_EQ(placeText(placeInText(R"({"distributedInfo": {"rank": 2, "world_si)")), "2/- ");
    EXPECT_EQ(placeText(placeInText("")), "-/- ");
}

TEST(PeekedPlace, HasTheCoordinatesOfNamedGroups)
{
    const auto inGroups = [](const std::string &groups) {
        return placeText(placeInText(R"({"distributedInfo": {"rank": 5, "world_size": 8, "pg_config": )" + groups +
                                     "}, \"traceEvents\": ["));
    };
    EXPECT_EQ(inGroups(R"([{"pg_name": "0", "pg_desc": "default_pg", "pg_size": 8, "ranks": [0,1,2,3,4,5,6,7]},
                           {"pg_name": "1", "pg_desc": "TENSOR_MODEL_PARALLEL_GROUP", "pg_size": 2, "ranks": [4, 5]},
                           {"pg_name": "2", "pg_desc": "DATA_PARALLEL_GROUP", "pg_size": 4, "ranks": [1, 3, 5, 7]}])"),
              "5/8 tp 1, dp 2");
    // Lists that are cut, or without this rank, tell nothing, and of two groups of an axis none counts.
    EXPECT_EQ(inGroups(R"([{"pg_desc": "mesh_tp", "pg_size": 2, "ranks": [4]}])"), "5/8 ");
    EXPECT_EQ(inGroups(R"([{"pg_desc": "mesh_tp", "pg_size": 3, "ranks": [4, 5, "..."]}])"), "5/8 ");
    EXPECT_EQ(inGroups(R"([{"pg_desc": "mesh_tp", "pg_size": 2, "ranks": [0, 1]}])"), "5/8 ");
    EXPECT_EQ(inGroups(R"([{"pg_desc": "mesh_tp", "ranks": [4, 5]}, {"pg_desc": "mesh_tp", "ranks": [5, 6]}])"),
              "5/8 ");
    EXPECT_EQ(inGroups(R"("[{\"pg_desc\": \"mesh_pp\", \"ranks\": [5, 6]}]")"), "5/8 pp 0");
    EXPECT_EQ(inGroups(R"({"pg_desc": 1})"), "5/8 ");
    EXPECT_EQ(inGroups(R"([1, {}, {"pg_desc": [], "ranks": 1}, [)"), "5/8 ");
}

class RunFilesTest : public testing::Test {
protected:
    RunFile peeked(const std::string &name, const std::string &text)
    {
        writeFile(m_folder.file(name), text);
        return peekedRecord(m_folder.file(name), name);
    }
    TemporaryFolder m_folder;
};

TEST_F(RunFilesTest, LookAtBothEndsOfATrace)
{
    const std::string info = R"("distributedInfo": {"rank": 3, "world_size": 8})", events = kEventsText,
                      blanks(70'000, ' ');
    EXPECT_EQ(placeText(peeked("before", "{" + info + ", " + events + "}").recorded), "3/8 ");
    EXPECT_EQ(placeText(peeked("behind", "{" + events + blanks + ", " + info + "}").recorded), "3/8 ");
    EXPECT_EQ(placeText(peeked("between", "{" + events + blanks + ", " + info + blanks + "}").recorded), "-/- ");
    EXPECT_EQ(placeText(peeked("packed", gzipped("{" + info + ", " + events + "}")).recorded), "3/8 ");
    EXPECT_EQ(placeText(peeked("late", gzipped("{" + blanks + info + ", " + events + "}")).recorded), "3/8 ");
    std::string noise;
    for (uint32_t at = 0, state = 1; at < 50'000; ++at)
        noise += static_cast<char>('a' + ((state = state * 1664525 + 1013904223) >> 28));
    const std::string packed = gzipped("{" + info + ", \"noise\": \"" + noise + "\", " + events + "}");
    EXPECT_EQ(placeText(peeked("cut", packed.substr(0, packed.size() / 2)).recorded), "3/8 ");
    // A list of ranks may reach beyond the first 64 KiB.
    std::string ranks = "0";
    for (int rank = 1; rank < 20'000; ++rank)
        ranks += ", " + std::to_string(rank);
    const std::string many =
        R"({"distributedInfo": {"pg_config": [{"pg_desc": "mesh_dp", "pg_size": 20000, "ranks": [)" + ranks +
        R"(]}], "rank": 19, "world_size": 20000}, )" + events + "}";
    EXPECT_EQ(placeText(peeked("many", many).recorded), "19/20000 dp 19");
    EXPECT_EQ(placeText(peeked("many.gz", gzipped(many)).recorded), "19/20000 dp 19");
}

TEST_F(RunFilesTest, SayWhyAFileIsNotThere)
{
    const RunFile missing = peekedRecord(m_folder.file("missing"), "missing");
    EXPECT_EQ(missing.name, "missing");
    EXPECT_FALSE(missing.why.empty());
    EXPECT_TRUE(peeked("there.json", std::string("{") + kEventsText + "}").why.empty());
}

TEST_F(RunFilesTest, SayWhyAFileIsNoTrace)
{
    const std::string foreign = "It is no trace, memory snapshot, memory timeline or log.";
    EXPECT_EQ(peeked("rank0.json", "").why, "It is empty.");
    EXPECT_EQ(peeked("rank0.json", "hello\n").why, foreign);
    EXPECT_EQ(peeked("rank0.json.gz", gzipped("hello\n")).why, foreign);
    EXPECT_EQ(peeked("rank0.json", "{\"model\": 1}").why, "It is JSON, but not that of a trace.");
    EXPECT_FALSE(peeked("cut.json.gz", gzipped("{}").substr(0, 9)).why.empty());
    // A rank far behind the begin shows that it is a trace.
    const std::string blanks(5'000, ' ');
    EXPECT_TRUE(peeked("0.json", "{" + blanks + R"("distributedInfo": {"rank": 3})" + blanks + "}").why.empty());
    // So do events that begin far behind the settings of a tool.
    const std::string settings = "{\"settings\": {" + std::string(100'000, ' ') + "}, ";
    EXPECT_TRUE(peeked("0.json", settings + kEventsText + "}").why.empty());
    EXPECT_TRUE(peeked("0.json.gz", gzipped(settings + kEventsText + "}")).why.empty());
    EXPECT_EQ(peeked("0.json.gz", gzipped(settings + "\"ph\": 1}")).why, "It is JSON, but not that of a trace.");
}

/// The hint of a peek agrees with what reading the whole file tells.
TEST_F(RunFilesTest, AgreeWithTheImport)
{
    const std::string text = std::string(R"({"schemaVersion": 1, "baseTimeNanoseconds": 1700000000000000000,
        "distributedInfo": {"backend": "nccl", "rank": 6, "world_size": 16}, )") +
                             kEventsText + "}";
    RunFile file = peeked("rank6.json", text);
    const auto trace = importTrace(m_folder.file("rank6.json"), {}, {});
    ASSERT_TRUE(trace);
    EXPECT_EQ(file.recorded.rank, (*trace)->info.rank);
    EXPECT_EQ(file.recorded.worldSize, (*trace)->info.worldSize);
    RankFacts facts;
    facts.rank = 7;
    facts.baseTimeNs = 1'000;
    facts.recorded = {10, 30};
    file.recorded.coordinates = {{"dp", 2}};
    knowPlace(file.recorded, facts);
    EXPECT_EQ(file.recorded, (RecordedPlace{7, std::nullopt, {{"dp", 2}}, "", TimeSpan{1'010, 1'030}}));
}

} // namespace
} // namespace riffle
