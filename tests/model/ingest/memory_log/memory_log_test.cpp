// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/memory_log/memory_log.h"

#include "model/analysis/memory/log_tables.h"
#include "model/ingest/memory_log/log_parser.h"
#include "model/ingest/memory_log/sunburst_page.h"
#include "tests/support/archives.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace riffle {
namespace {

/// The figures of the sample in InternLM's documentation.
constexpr std::string_view kSample = R"(    Memory State:
    time: 37.56313228607178
    ---summary---
    total_memory: 55953.56 MB
    params_memory: 13965.51 MB, grads_memory: 13965.51 MB, os_params_memory: 3461.52 MB, os_state_memory: 6923.03 MB, activation_memory: 17638.00 MB

    Memory State:
    time: 38.46969723701477
    ---summary---
    total_memory: 38315.56 MB
    params_memory: 13965.51 MB, grads_memory: 13965.51 MB, os_params_memory: 3461.52 MB, os_state_memory: 6923.03 MB, activation_memory: 0.00 MB
    ---Layout---
    params_layout:
    layer: param_mem, layer_mem: 0.00 MB, total_mem: 13965.51 MB
    layer: param_mem.embedding, layer_mem: 0.00 MB, total_mem: 806.00 MB
    layer: param_mem.embedding.weight, layer_mem: 806.00 MB, total_mem: 806.00 MB
    layer: param_mem.blocks, layer_mem: 0.00 MB, total_mem: 12353.50 MB
    layer: param_mem.blocks.0, layer_mem: 0.00 MB, total_mem: 386.05 MB
    layer: param_mem.blocks.0.mixer, layer_mem: 0.00 MB, total_mem: 128.03 MB
    layer: param_mem.blocks.0.mixer.Wqkv, layer_mem: 0.00 MB, total_mem: 96.02 MB
    layer: param_mem.blocks.0.mixer.Wqkv.weight, layer_mem: 96.00 MB, total_mem: 96.00 MB
    layer: param_mem.blocks.0.mixer.Wqkv.bias, layer_mem: 0.02 MB, total_mem: 0.02 MB
    layer: param_mem.blocks.0.mixer.out_proj, layer_mem: 0.00 MB, total_mem: 32.01 MB
    layer: param_mem.blocks.0.mixer.out_proj.weight, layer_mem: 32.00 MB, total_mem: 32.00 MB
    layer: param_mem.blocks.0.mixer.out_proj.bias, layer_mem: 0.01 MB, total_mem: 0.01 MB
    layer: param_mem.blocks.0.norm1, layer_mem: 0.00 MB, total_mem: 0.01 MB
    layer: param_mem.blocks.0.norm1.weight, layer_mem: 0.01 MB, total_mem: 0.01 MB
    layer: param_mem.blocks.0.norm2, layer_mem: 0.00 MB, total_mem: 0.01 MB
    layer: param_mem.blocks.0.norm2.weight, layer_mem: 0.01 MB, total_mem: 0.01 MB
    layer: param_mem.blocks.0.mlp, layer_mem: 0.00 MB, total_mem: 258.00 MB
    layer: param_mem.blocks.0.mlp.w1, layer_mem: 0.00 MB, total_mem: 86.00 MB
    layer: param_mem.blocks.0.mlp.w1.weight, layer_mem: 86.00 MB, total_mem: 86.00 MB
    layer: param_mem.blocks.0.mlp.w2, layer_mem: 0.00 MB, total_mem: 86.00 MB
    layer: param_mem.blocks.0.mlp.w2.weight, layer_mem: 86.00 MB, total_mem: 86.00 MB
    layer: param_mem.blocks.0.mlp.w3, layer_mem: 0.00 MB, total_mem: 86.00 MB
    layer: param_mem.blocks.0.mlp.w3.weight, layer_mem: 86.00 MB, total_mem: 86.00 MB
    ......
    grads_layout:
    ......
    os_params_layout:
    ......
    os_state_layout:
    ......
    activation_base_layout:
    ......
)";

using Sizes = std::array<PrintedSize, kMemoryLogParts>;

MemoryLogRank parsed(std::string_view text)
{
    MemoryLogRank rank;
    parseMemoryLog(text, rank, {});
    return rank;
}

const FileTrouble *trouble(const MemoryLogRank &rank, std::string_view what)
{
    for (const FileTrouble &one : rank.troubles)
        if (one.what.find(what) != std::string::npos)
            return &one;
    return nullptr;
}

std::string state(const std::string &time, const std::string &total, const std::string &activation, const std::string &more = {})
{
    return "Memory State:\ntime: " + time + "\n---summary---\ntotal_memory: " + total +
           " MB\nparams_memory: 1.00 MB, grads_memory: 2.00 MB, os_params_memory: 3.00 MB, os_state_memory: 4.00 MB, activation_memory: " + activation + " MB\n" +
           more + "\n";
}

TEST(MemoryLogs, TheSampleHasItsExactNumbers)
{
    const MemoryLogRank rank = parsed(kSample);
    ASSERT_EQ(rank.points.size(), 2u);
    EXPECT_EQ(rank.points[0].time, 37'563'132'286);
    EXPECT_EQ(rank.points[0].timeText, "37.56313228607178");
    EXPECT_EQ(rank.points[0].total, 5'595'356);
    EXPECT_EQ(rank.points[0].parts, (Sizes{1'396'551, 1'396'551, 346'152, 692'303, 1'763'800}));
    EXPECT_FALSE(rank.points[0].hasLayout());
    EXPECT_EQ(rank.points[1].time, 38'469'697'237);
    EXPECT_EQ(rank.points[1].total, 3'831'556);
    EXPECT_EQ(rank.points[1].parts, (Sizes{1'396'551, 1'396'551, 346'152, 692'303, 0}));
    PrintedSize sum = 0;
    for (const PrintedSize part : rank.points[1].parts)
        sum += part;
    EXPECT_EQ(sum, 3'831'557) << "parts are a hundredth more than the total that is printed, which stays as it is";
    const MemoryLogLayout &params = rank.layouts[rank.points[1].layouts[0]];
    ASSERT_EQ(params.count(), 23u);
    EXPECT_EQ(rank.paths[params.paths[7]], "param_mem.blocks.0.mixer.Wqkv.weight");
    EXPECT_EQ(params.own[7], 9600);
    EXPECT_EQ(params.total[6], 9602);
    EXPECT_EQ(params.total[4], 38'605);
    EXPECT_EQ(params.depth, (std::vector<uint32_t>{0, 1, 2, 1, 2, 3, 4, 5, 5, 4, 5, 5, 3, 4, 3, 4, 3, 4, 5, 4, 5, 4, 5}));
    EXPECT_EQ(rank.layouts[rank.points[1].layouts[4]].count(), 0u);
    ASSERT_TRUE(trouble(rank, "nothing that"));
    EXPECT_EQ(trouble(rank, "nothing that")->count, 5u) << "dots stand for what the documentation leaves out";
    EXPECT_EQ(rank.troubles.size(), 1u);
    EXPECT_FALSE(rank.damage);
    EXPECT_EQ(rank.peak(), 0u);
    EXPECT_EQ(rank.pointAt(38'000'000'000), 0u);
    EXPECT_EQ(rank.pointAt(39'000'000'000), 1u);
}

TEST(MemoryLogs, EqualLayoutsAreReadOnce)
{
    const std::string a = "---Layout---\nparams_layout:\nlayer: p, layer_mem: 0.00 MB, total_mem: 1.00 MB\nlayer: p.w, layer_mem: 1.00 MB, total_mem: 1.00 MB\n";
    const std::string longer = a + "layer: p.x, layer_mem: 0.50 MB, total_mem: 0.50 MB\n";
    const MemoryLogRank rank = parsed(state("1", "11.00", "1.00", a) + state("2", "11.00", "1.00", a) + state("3", "11.00", "1.00", longer) + state("4", "11.00", "1.00", a));
    ASSERT_EQ(rank.points.size(), 4u);
    EXPECT_EQ(rank.points[0].layouts[0], rank.points[1].layouts[0]);
    EXPECT_EQ(rank.layouts.size(), 3u);
    EXPECT_EQ(rank.layouts[rank.points[2].layouts[0]].count(), 3u);
    EXPECT_EQ(rank.layouts[rank.points[3].layouts[0]].count(), 2u);
    EXPECT_EQ(rank.paths.size(), 3u);
    EXPECT_EQ(rank.points[1].line, 11u);
    EXPECT_EQ(rank.points[2].line, 21u) << "lines that are skipped count";
    EXPECT_TRUE(rank.troubles.empty());
}

TEST(MemoryLogs, WhatIsOddIsCountedWithItsPlace)
{
    const std::string first = state("1", "-5.00", "nan"), second = state("soon", "1e30", "0.125"), third = state("-2", "11.00", "1.00");
    const MemoryLogRank rank = parsed("noise\n" + first + second + third);
    ASSERT_EQ(rank.points.size(), 3u);
    EXPECT_EQ(rank.points[0].total, kNotPrinted);
    EXPECT_EQ(trouble(rank, "before the first")->firstLine, 1u);
    EXPECT_EQ(trouble(rank, "sizes are impossible")->count, 1u);
    EXPECT_EQ(trouble(rank, "sizes are impossible")->firstLine, 5u);
    EXPECT_EQ(trouble(rank, "no number of MB")->count, 3u) << "nan, what has no number, and three decimals, which would be rounded";
    EXPECT_EQ(trouble(rank, "times are no numbers")->firstOffset, 6 + first.size() + 14);
    EXPECT_EQ(trouble(rank, "times are negative")->count, 1u);
    EXPECT_EQ(trouble(rank, "lack their time or sizes")->count, 2u);
    EXPECT_FALSE(rank.damage);
}

TEST(MemoryLogs, OfACutLogWhatIsThereIsRead)
{
    for (size_t size = 0; size < kSample.size(); ++size) {
        const MemoryLogRank rank = parsed(kSample.substr(0, size));
        EXPECT_LE(rank.points.size(), 2u);
        for (const MemoryLogLayout &layout : rank.layouts)
            EXPECT_EQ(layout.total.size(), layout.count());
    }
    const size_t cut = kSample.find("13965.51 MB, grads", 300) + 5;
    const MemoryLogRank rank = parsed(kSample.substr(0, cut));
    ASSERT_TRUE(rank.damage);
    EXPECT_EQ(rank.damage->offset, cut);
    EXPECT_EQ(rank.points[1].total, 3'831'556);
    EXPECT_TRUE(parsed("Memory State:\ntime: 1\n").damage);
}

TEST(MemoryLogs, FoldersOfRanksAreReadTogether)
{
    EXPECT_EQ(rankCoordinates("rank12_dp3_wp0_tp1")->front().second, 12);
    EXPECT_EQ(rankCoordinates("rank0_dp0_wp0_tp0")->size(), 4u);
    for (const char *no : {"", "rank", "rank_0", "0rank", "rank0_", "_rank0", "rank0x", "rank99999999999999999999"})
        EXPECT_FALSE(rankCoordinates(no)) << no;
    const test::TemporaryFolder folder;
    const std::filesystem::path trace = std::filesystem::path(folder.path()) / "memory_trace";
    for (const char *name : {"rank10_dp1_tp0", "rank0_dp0_tp0", "rank2_dp2_tp0", "other"})
        std::filesystem::create_directories(trace / name);
    test::writeFile((trace / "rank0_dp0_tp0/memory.log").string(), state("1", "11.00", "1.00"));
    test::writeFile((trace / "rank10_dp1_tp0/memory.log").string(), state("1", "11.00", "1.00") + state("2", "12.00", "2.00"));
    for (const std::string &path : {folder.path(), trace.string(), trace.string() + "/"}) {
        ASSERT_TRUE(isMemoryLog(path)) << path;
        const auto log = readMemoryLog(path, {}, {});
        ASSERT_TRUE(log) << log.error().text();
        ASSERT_EQ((*log)->ranks.size(), 3u);
        EXPECT_EQ((*log)->ranks[2].name(), "rank10_dp1_tp0") << "by number, not by name";
        EXPECT_EQ((*log)->missingRanks(), (std::vector<int64_t>{1, 3, 4, 5, 6, 7, 8, 9}));
        const auto remarks = logRemarks(**log);
        EXPECT_EQ(remarks[0], "8 ranks below the largest are missing: 1, 3-9.");
        EXPECT_EQ(remarks[1], "rank2_dp2_tp0 has no memory.log.");
        EXPECT_EQ(remarks[2], "Ranks have between 1 and 2 points.");
        EXPECT_EQ(logPoints(**log, SizeCells::Texts).column("total_mb")->texts, (std::vector<std::string>{"11.00 MB", "11.00 MB", "12.00 MB"}));
    }
    const auto one = readMemoryLog((trace / "rank10_dp1_tp0").string(), {}, {});
    ASSERT_TRUE(one);
    EXPECT_EQ((*one)->ranks[0].points.size(), 2u);
    const auto file = readMemoryLog((trace / "rank10_dp1_tp0/memory.log").string(), {}, {});
    ASSERT_TRUE(file);
    EXPECT_EQ((*file)->ranks[0].rank(), 10);
    EXPECT_FALSE(isMemoryLog((trace / "other").string()));
    EXPECT_FALSE(readMemoryLog((trace / "other").string(), {}, {}));
    EXPECT_FALSE(readMemoryLog((trace / "missing").string(), {}, {}));
}

TEST(MemoryLogs, ASunburstIsTheTreeOfItsPage)
{
    const std::string data = R"([{"name": "os_params", "children": [{"name": "a]\"", "value": 7, "itemStyle": {"color": "red"}}, {"name": "b", "children": [{"name": "c", "value": 5.0}]}]}, {"name": "os_state", "value": 20}])";
    const std::string page = "<html><script src='echarts.js'></script>var option_x = {\"title\": [{\"text\": \"x\", \"type\": \"none\"}], \"series\": [{\"type\": \"sunburst\", \"data\": " + data + ", \"f\": function (x) {}}]};";
    EXPECT_TRUE(looksLikeSunburstPage(page));
    EXPECT_FALSE(looksLikeSunburstPage("<html>echarts \"type\": \"pie\", \"data\": []"));
    const auto read = readSunburstPage(page, "folder/os_memory_sunburst.html");
    ASSERT_TRUE(read) << read.error().text();
    EXPECT_EQ(read->title, "os_memory");
    EXPECT_EQ(read->names, (std::vector<std::string>{"os_params", "a]\"", "b", "c", "os_state"}));
    EXPECT_EQ(read->depth, (std::vector<uint32_t>{0, 1, 1, 2, 0}));
    EXPECT_EQ(read->megabytes, (std::vector<int64_t>{12, 7, 5, 5, 20}));
    EXPECT_FALSE(readSunburstPage(page.substr(0, page.size() - 60), "cut"));
    EXPECT_FALSE(readSunburstPage("\"type\": \"sunburst\", \"data\": [{\"name\": 1}]", "odd"));
    EXPECT_FALSE(readSunburstPage("\"type\": \"sunburst\", \"data\": [{\"name\": \"a\", \"value\": -1}]", "odd"));
    std::string deep;
    for (int level = 0; level < 2000; ++level)
        deep += "[{\"name\": \"a\", \"children\": ";
    EXPECT_FALSE(readSunburstPage("\"type\": \"sunburst\", \"data\": " + deep, "deep"));
}

} // namespace
} // namespace riffle
