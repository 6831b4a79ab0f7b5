// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/memory_log/memory_log.h"

#include "model/analysis/memory/log/log_tables.h"
#include "model/ingest/memory_log/log_parser.h"
#include "model/ingest/memory_log/sunburst_page.h"
#include "tests/support/archives.h"
#include "tests/support/memory_log_generator.h"

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

std::string state(const std::string &time, const std::string &total, const std::string &activation,
                  const std::string &more = {})
{
    return "Memory State:\ntime: " + time + "\n---summary---\ntotal_memory: " + total +
           " MB\nparams_memory: 1.00 MB, grads_memory: 2.00 MB, os_params_memory: 3.00 MB, os_state_memory: 4.00 MB, "
           "activation_memory: " +
           activation + " MB\n" + more + "\n";
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
    EXPECT_EQ(sum, 3'831'557) << "the parts are a hundredth more than the printed total, which stays as it is";
    const MemoryLogLayout &params = rank.layouts[rank.points[1].layouts[0]];
    ASSERT_EQ(params.count(), 23u);
    EXPECT_EQ(rank.paths[params.paths[7]], "param_mem.blocks.0.mixer.Wqkv.weight");
    EXPECT_EQ(params.own[7], 9600);
    EXPECT_EQ(params.total[6], 9602);
    EXPECT_EQ(params.total[4], 38'605);
    EXPECT_EQ(params.depth,
              (std::vector<uint32_t>{0, 1, 2, 1, 2, 3, 4, 5, 5, 4, 5, 5, 3, 4, 3, 4, 3, 4, 5, 4, 5, 4, 5}));
    EXPECT_EQ(rank.layouts[rank.points[1].layouts[4]].count(), 0u);
    ASSERT_TRUE(trouble(rank, "not the profiler's"));
    EXPECT_EQ(trouble(rank, "not the profiler's")->count, 5u) << "the documentation leaves out lines and writes dots";
    EXPECT_EQ(rank.troubles.size(), 1u);
    EXPECT_FALSE(rank.damage);
    EXPECT_EQ(rank.peak(), 0u);
    EXPECT_EQ(rank.pointNear(37'560'000'000), 0u) << "the time as read off a picture";
    EXPECT_EQ(rank.pointNear(38'000'000'000), 0u);
    EXPECT_EQ(rank.pointNear(38'460'000'000), 1u);
    EXPECT_EQ(rank.pointNear(39'000'000'000), 1u);
}

TEST(MemoryLogs, EqualLayoutsAreReadOnce)
{
    const std::string a = "---Layout---\nparams_layout:\nlayer: p, layer_mem: 0.00 MB, total_mem: 1.00 MB\nlayer: p.w, "
                          "layer_mem: 1.00 MB, total_mem: 1.00 MB\n";
    const std::string longer = a + "layer: p.x, layer_mem: 0.50 MB, total_mem: 0.50 MB\n";
    const MemoryLogRank rank = parsed(state("1", "11.00", "1.00", a) + state("2", "11.00", "1.00", a) +
                                      state("3", "11.00", "1.00", longer) + state("4", "11.00", "1.00", a));
    ASSERT_EQ(rank.points.size(), 4u);
    EXPECT_EQ(rank.points[0].layouts[0], rank.points[1].layouts[0]);
    EXPECT_EQ(rank.layouts.size(), 3u);
    EXPECT_EQ(rank.layouts[rank.points[2].layouts[0]].count(), 3u);
    EXPECT_EQ(rank.layouts[rank.points[3].layouts[0]].count(), 2u);
    EXPECT_EQ(rank.paths.size(), 3u);
    EXPECT_EQ(rank.points[1].line, 11u);
    EXPECT_EQ(rank.points[2].line, 21u) << "skipped lines count";
    EXPECT_TRUE(rank.troubles.empty());
}

TEST(MemoryLogs, WhatIsOddIsCountedWithItsPlace)
{
    const std::string first = state("1", "-5.00", "nan"), second = state("soon", "1e30", "0.125"),
                      third = state("-2", "11.00", "1.00");
    const MemoryLogRank rank = parsed("noise\n" + first + second + third);
    ASSERT_EQ(rank.points.size(), 3u);
    EXPECT_EQ(rank.points[0].total, kNotPrinted);
    EXPECT_EQ(trouble(rank, "before the first")->firstLine, 1u);
    EXPECT_EQ(trouble(rank, "Impossible sizes, left out")->count, 1u);
    EXPECT_EQ(trouble(rank, "Impossible sizes, left out")->firstLine, 5u);
    EXPECT_EQ(trouble(rank, "not a number of MB")->count, 3u)
        << "nan, a size without a number, and three decimals, which would be rounded";
    EXPECT_EQ(trouble(rank, "Times that are not numbers")->firstOffset, 6 + first.size() + 14);
    EXPECT_EQ(trouble(rank, "Negative times")->count, 1u);
    EXPECT_EQ(trouble(rank, "without a time or sizes")->count, 2u);
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
    const test::TemporaryFolder folder;
    const std::filesystem::path trace = std::filesystem::path(folder.path()) / "memory_trace";
    for (const char *name : {"rank10_dp1_tp0", "rank0_dp0_tp0", "rank2_dp2_tp0", "other"})
        std::filesystem::create_directories(trace / name);
    test::writeFile((trace / "rank0_dp0_tp0/memory.log").string(), state("1", "11.00", "1.00"));
    test::writeFile((trace / "rank10_dp1_tp0/memory.log").string(),
                    state("1", "11.00", "1.00") + state("2", "12.00", "2.00"));
    for (const std::string &path : {folder.path(), trace.string(), trace.string() + "/"}) {
        ASSERT_TRUE(isMemoryLog(SniffedFile(path))) << path;
        const auto log = readMemoryLog(path, {}, {});
        ASSERT_TRUE(log) << log.error().text();
        ASSERT_EQ((*log)->ranks.size(), 3u);
        EXPECT_EQ((*log)->ranks[2].name(), "rank10_dp1_tp0") << "ranks are sorted by number, not by name";
        EXPECT_EQ((*log)->missingRanks(), (std::vector<int64_t>{1, 3, 4, 5, 6, 7, 8, 9}));
        const auto remarks = logRemarks(**log);
        EXPECT_EQ(remarks[0], "8 ranks below the highest rank are missing: 1, 3-9.");
        EXPECT_EQ(remarks[1], "rank2_dp2_tp0 has no memory.log.");
        EXPECT_EQ(remarks[2], "The ranks have between 1 and 2 points.");
        EXPECT_EQ(logPoints(**log, SizeCells::Texts).column("total_mb")->texts,
                  (std::vector<std::string>{"11.00 MB", "11.00 MB", "12.00 MB"}));
    }
    const auto one = readMemoryLog((trace / "rank10_dp1_tp0").string(), {}, {});
    ASSERT_TRUE(one);
    EXPECT_EQ((*one)->ranks[0].points.size(), 2u);
    const auto file = readMemoryLog((trace / "rank10_dp1_tp0/memory.log").string(), {}, {});
    ASSERT_TRUE(file);
    EXPECT_EQ((*file)->ranks[0].rank(), 10);
    EXPECT_FALSE(isMemoryLog(SniffedFile((trace / "other").string())));
    EXPECT_FALSE(readMemoryLog((trace / "other").string(), {}, {}));
    EXPECT_FALSE(readMemoryLog((trace / "missing").string(), {}, {}));
}

/// Everything that was read about a rank, as text.
std::string told(const MemoryLogRank &rank)
{
    std::string all;
    for (const MemoryLogPoint &point : rank.points) {
        all += point.timeText + ' ' + std::to_string(point.total) + " line " + std::to_string(point.line);
        for (size_t part = 0; part < kMemoryLogParts; ++part) {
            all += ' ' + std::to_string(point.parts[part]);
            if (point.layouts[part] == MemoryLogPoint::kNone)
                continue;
            const MemoryLogLayout &layout = rank.layouts[point.layouts[part]];
            for (uint32_t row = 0; row < layout.count(); ++row)
                all += ',' + rank.paths[layout.paths[row]] + '=' + std::to_string(layout.own[row]) + '/' +
                       std::to_string(layout.total[row]);
        }
        all += '\n';
    }
    return all;
}

TEST(MemoryLogs, PackedOnesAreReadAsPlainOnes)
{
    const test::TemporaryFolder folder;
    const std::filesystem::path plain = std::filesystem::path(folder.path()) / "plain",
                                packed = std::filesystem::path(folder.path()) / "packed";
    for (uint32_t rank = 0; rank < 3; ++rank) {
        const std::string text = test::generateMemoryLog({40, 4, rank}),
                          name = "rank" + std::to_string(rank) + "_dp0_tp0";
        std::filesystem::create_directories(plain / name);
        std::filesystem::create_directories(packed / name);
        test::writeFile((plain / name / "memory.log").string(), text);
        if (rank == 2)
            test::writeFile((packed / name / "memory.log.zst").string(), test::zstdCompressed(text));
        else // several members, as in a file that was appended to
            test::writeFile((packed / name / "memory.log.gz").string(),
                            test::gzipped(text.substr(0, 5000)) + test::gzipped(text.substr(5000)));
    }
    ASSERT_TRUE(isMemoryLog(SniffedFile(packed.string())));
    const auto a = readMemoryLog(plain.string(), {}, {}), b = readMemoryLog(packed.string(), {}, {});
    ASSERT_TRUE(a && b);
    ASSERT_EQ((*b)->ranks.size(), 3u);
    for (size_t rank = 0; rank < 3; ++rank) {
        EXPECT_EQ((*b)->ranks[rank].points.size(), 40u);
        EXPECT_EQ(told((*b)->ranks[rank]), told((*a)->ranks[rank]));
        EXPECT_FALSE((*b)->ranks[rank].damage);
    }
    // A log alone, under any name.
    const std::string alone = folder.file("log");
    test::writeFile(alone, test::gzipped(test::generateMemoryLog({40, 4, 0})));
    EXPECT_TRUE(isMemoryLog(SniffedFile(alone)));
    const auto one = readMemoryLog(alone, {}, {});
    ASSERT_TRUE(one);
    EXPECT_EQ(told((*one)->ranks[0]), told((*a)->ranks[0]));
    test::writeFile(alone, test::gzipped("no log at all"));
    EXPECT_FALSE(isMemoryLog(SniffedFile(alone)));
    EXPECT_FALSE(readMemoryLog(alone, {}, {}));
}

TEST(MemoryLogs, OfACutArchiveWhatIsThereIsRead)
{
    const test::TemporaryFolder folder;
    const std::filesystem::path place = std::filesystem::path(folder.path()) / "rank0_dp0_tp0";
    std::filesystem::create_directories(place);
    const std::string text = test::generateMemoryLog({400, 4, 0}), whole = test::gzipped(text),
                      path = (place / "memory.log.gz").string();
    const std::string all = told(parsed(text));
    test::writeFile(path, whole.substr(0, whole.size() / 2));
    const auto log = readMemoryLog(place.string(), {}, {});
    ASSERT_TRUE(log) << log.error().text();
    const MemoryLogRank &rank = (*log)->ranks[0];
    ASSERT_TRUE(rank.damage);
    EXPECT_NE(rank.damage->text().find("gzip"), std::string::npos) << rank.damage->text();
    EXPECT_TRUE(rank.damage->offset);
    ASSERT_GT(rank.points.size(), 100u);
    ASSERT_LT(rank.points.size(), 400u);
    const std::string some = told(rank); // except the last point, which is cut off
    const size_t sure = some.rfind('\n', some.size() - 2) + 1;
    EXPECT_EQ(some.substr(0, sure), all.substr(0, sure));
    test::writeFile(path, whole.substr(0, 12));
    const auto nothing = readMemoryLog(place.string(), {}, {});
    ASSERT_FALSE(nothing);
    EXPECT_NE(nothing.error().text().find("gzip"), std::string::npos) << nothing.error().text();
}

TEST(MemoryLogs, AnArchiveTakesNoMoreMemoryThanIsAllowed)
{
    const test::TemporaryFolder folder;
    const std::string path = folder.file("memory.log.gz");
    test::writeFile(path, test::gzipped(test::generateMemoryLog({400, 32, 0})));
    ImportOptions little;
    little.memoryLimit = 3 << 20;
    const auto log = readMemoryLog(path, little, {});
    ASSERT_TRUE(log);
    ASSERT_TRUE((*log)->ranks[0].damage);
    EXPECT_EQ((*log)->ranks[0].damage->kind, ErrorKind::Limit);
    EXPECT_GT((*log)->ranks[0].points.size(), 10u);
    little = {};
    little.inflateLimit = 3 << 20;
    const auto other = readMemoryLog(path, little, {});
    ASSERT_TRUE(other);
    EXPECT_EQ((*other)->ranks[0].damage->kind, ErrorKind::Limit);
    std::stop_source stopped;
    stopped.request_stop();
    const auto cancelled = readMemoryLog(path, {}, {stopped.get_token()});
    ASSERT_FALSE(cancelled);
    EXPECT_EQ(cancelled.error().kind, ErrorKind::Cancelled);
}

TEST(MemoryLogs, ASunburstIsTheTreeOfItsPage)
{
    const std::string data =
        R"([{"name": "os_params", "children": [{"name": "a]\"", "value": 7, "itemStyle": {"color": "red"}}, {"name": "b", "children": [{"name": "c", "value": 5.0}]}]}, {"name": "os_state", "value": 20}])";
    const std::string page = "<html><script src='echarts.js'></script>var option_x = {\"title\": [{\"text\": \"x\", "
                             "\"type\": \"none\"}], \"series\": [{\"type\": \"sunburst\", \"data\": " +
                             data + ", \"f\": function (x) {}}]};";
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
