// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/trace/run/run_layout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <string>
#include <vector>

namespace riffle {
namespace {

constexpr const char *kEndings[] = {"", "log", "snapshot", "timeline", "memory", "flight", "inspector"};

RunFile named(std::string name, RunFileKind kind = RunFileKind::Trace)
{
    RunFile one;
    one.name = std::move(name);
    one.kind = kind;
    return one;
}

RunFile recording(std::string name, std::optional<int64_t> rank, std::optional<int64_t> worldSize = {},
                  std::optional<TimeSpan> span = {})
{
    RunFile one = named(std::move(name));
    one.recorded.rank = rank;
    one.recorded.worldSize = worldSize;
    one.recorded.span = span;
    return one;
}

std::string nameOf(const std::vector<RunFile> &files, FileRef ref)
{
    const RunFile &of = files[ref.file];
    return of.name + (ref.part == FileRef::kWhole ? "" : "#" + of.parts[ref.part]);
}

/// The layout as lines: a run, its cells with their files, what is unplaced, remarks, pairs, what was not read.
std::string layoutLines(const std::vector<RunFile> &files)
{
    const RunLayout layout = layoutOf(files);
    std::string text;
    for (const Run &run : layout.runs) {
        text += "run " + run.title() + " in '" + run.folder + "':";
        if (run.worldSize)
            text += (run.isWorldSizeRecorded ? " of " : " of at least ") + std::to_string(*run.worldSize);
        for (const Run::Axis &axis : run.axes)
            text += " " + axis.name + "=" + std::to_string(axis.size);
        for (const std::string &host : run.hosts)
            text += " @" + host;
        text += "\n";
        for (const RunCell &cell : run.cells) {
            text += "  " + cell.name();
            if (cell.rank && !cell.coordinates.empty())
                text += " (" + coordinatesText(cell.coordinates) + ")";
            if (cell.isMissing())
                text += " missing";
            for (size_t kind = 0; kind < kRunFileKinds; ++kind) {
                for (const FileRef ref : cell.files[kind])
                    text += std::string(" ") + kEndings[kind] + "[" + nameOf(files, ref) + "]";
                if (cell.areDuplicates[kind])
                    text += " twice";
            }
            text += "\n";
        }
        for (const FileRef ref : run.unplaced)
            text += "  unplaced [" + nameOf(files, ref) + "]\n";
        for (const RunRemark &remark : run.remarks)
            text += std::string("  ! ") + remarkName(remark.kind) + ": " + remark.sentence + "\n";
    }
    const auto side = [&](const ComparedPair::Side &one) {
        return one.cell ? nameOf(files, one.file) : "run " + std::to_string(one.run);
    };
    for (const ComparedPair &pair : layout.pairs)
        text += side(pair.a) + " | " + side(pair.b) + "\n";
    for (const uint32_t at : layout.notRead)
        text += "not read [" + files[at].name + "]: " + files[at].why + "\n";
    return text;
}

TEST(RunLayout, LaysOutTheJobFolderOfInternLm)
{
    std::vector<RunFile> files = {named(
        "7b_train/Sep08_11-00-51/traces/rank0_dp0_tp0_pp0/SH-IDC1-10-140-1-78_238619.1694142354680.pt.trace.json")};
    const std::string folder = "7b_train/Sep08_11-00-51/traces/rank0_dp0_tp0_pp0";
    const std::string trace = " [" + files[0].name + "]";
    EXPECT_EQ(layoutLines(files), "run 7b_train, started Sep08_11-00-51 in '" + folder +
                                      "': of at least 1 dp=1 tp=1 pp=1 @SH-IDC1-10-140-1-78\n"
                                      "  rank 0 (dp 0, tp 0, pp 0)" +
                                      trace + "\n");
    // The memory logs of its eight ranks lie beside the job, and their names have no pp.
    RunFile &memory = files.emplace_back(named("memory_trace", RunFileKind::MemoryLog));
    std::string rest;
    for (int rank = 0; rank < 8; ++rank) {
        memory.parts.push_back("rank" + std::to_string(rank) + "_dp" + std::to_string(rank) + "_tp0");
        if (rank > 0)
            rest += "  rank " + std::to_string(rank) + " (dp " + std::to_string(rank) + ", tp 0) memory[memory_trace#" +
                    memory.parts.back() + "]\n";
    }
    EXPECT_EQ(layoutLines(files), "run 7b_train, started Sep08_11-00-51 in '': of at least 8 dp=8 tp=1 pp=1 "
                                  "@SH-IDC1-10-140-1-78\n"
                                  "  rank 0 (dp 0, tp 0, pp 0)" +
                                      trace + " memory[memory_trace#rank0_dp0_tp0]\n" + rest);
}

TEST(RunLayout, KeepsTwoSpansOfFourWorkersApart)
{
    // active=3, repeat=2 on four devices: a name tells the worker and the span, and the file the rank.
    const std::string folder = "output/gpt-125m-4xdp/profiling/";
    std::vector<RunFile> files;
    std::string cells;
    for (int64_t rank = 0; rank < 4; ++rank) {
        cells += "  rank " + std::to_string(rank);
        for (int64_t span = 0; span < 2; ++span) {
            const std::string name = folder + "gpt-125m-worker-0_" + std::to_string(301 + rank) + "." +
                                     std::to_string(1698957822181 + span * 4000 + rank) + ".pt.trace.json";
            files.push_back(recording(name, rank, 4, TimeSpan{span * 1000, span * 1000 + 900 + rank}));
            cells += " [" + name + "]";
        }
        cells += "\n";
    }
    const std::string head = "run profiling in 'output/gpt-125m-4xdp/profiling': of 4 @gpt-125m-worker-0\n";
    EXPECT_EQ(layoutLines(files), head + cells);
    // Times that overlap cannot be of one worker.
    files[1].recorded.span = TimeSpan{500, 1900};
    EXPECT_NE(layoutLines(files).find(files[0].name + " | " + files[1].name), std::string::npos);
    // Without recorded times, the numbers in the names tell the order.
    for (RunFile &one : files)
        one.recorded.span.reset();
    std::swap(files[0].name, files[1].name);
    EXPECT_EQ(layoutLines(files), head + cells);
}

TEST(RunLayout, TakesTheBestEvidenceForARank)
{
    EXPECT_EQ(layoutLines({recording("job/rank_1/rank2.json", 3, 4), named("job/rank_2/worker5.1.pt.trace.json"),
                           named("job/rank0.json"), named("job/nvidia.json")}),
              "run job in 'job': of 4\n"
              "  rank 0 [job/rank0.json]\n"
              "  rank 1 missing\n"
              "  rank 2 [job/rank_2/worker5.1.pt.trace.json]\n"
              "  rank 3 [job/rank_1/rank2.json]\n"
              "  unplaced [job/nvidia.json]\n"
              "  ! other_rank_in_name: job/rank_1/rank2.json: It records rank 3, and its path tells rank 1.\n"
              "  ! other_rank_in_name: job/rank_2/worker5.1.pt.trace.json: Its folder tells rank 2, and its name rank "
              "5.\n"
              "  ! unplaced: 1 file has no place in the run: nothing tells the rank.\n");
    // A folder that has the files of several ranks is none of a rank.
    EXPECT_EQ(
        layoutLines({named("rank5/rank0.json"), named("rank5/rank1.json")}),
        "run rank5 in 'rank5': of at least 2\n"
        "  rank 0 [rank5/rank0.json]\n"
        "  rank 1 [rank5/rank1.json]\n"
        "  ! folder_of_many_ranks: rank5: The folder is named like that of one rank, and has files of several.\n");
    // A number at the end of a dump's name is a guess.
    RunFile dump = named("dumps/nccl_trace_1", RunFileKind::FlightDump);
    dump.guessedRank = 1;
    EXPECT_EQ(layoutLines({dump, named("dumps/rank0.json")}),
              "run dumps in 'dumps': of at least 2\n"
              "  rank 0 [dumps/rank0.json]\n"
              "  rank 1 flight[dumps/nccl_trace_1]\n"
              "  ! guessed_rank: dumps/nccl_trace_1: It is rank 1 by guess, from the number in its name.\n");
}

TEST(RunLayout, IdentifiesRanksByCoordinatesIfNothingTellsThem)
{
    EXPECT_EQ(
        layoutLines({named("p/1750000000.5-TP-1-DP-0.trace.json.gz"), named("p/1750000000.5-TP-0-DP-0.trace.json.gz")}),
        "run p, started 1750000000.5 in 'p': tp=2 dp=1\n"
        "  tp 0, dp 0 [p/1750000000.5-TP-0-DP-0.trace.json.gz]\n"
        "  tp 1, dp 0 [p/1750000000.5-TP-1-DP-0.trace.json.gz]\n");
    // Two recordings of one server are two runs.
    EXPECT_EQ(layoutLines({named("p/1750000000.5-TP-0.trace.json.gz"), named("p/1750000900.5-TP-0.trace.json.gz")}),
              "run p, started 1750000000.5 in 'p': tp=1\n"
              "  tp 0 [p/1750000000.5-TP-0.trace.json.gz]\n"
              "run p, started 1750000900.5 in 'p': tp=1\n"
              "  tp 0 [p/1750000900.5-TP-0.trace.json.gz]\n"
              "run 0 | run 1\n");
    // A file with coordinates alone belongs to the rank that has the same ones.
    EXPECT_EQ(layoutLines({named("j/rank3_dp1_tp1/a.json"), named("j/TP-1_DP-1.pickle", RunFileKind::Snapshot)}),
              "run j in 'j': of at least 4 dp=2 tp=2\n"
              "  rank 0 missing\n"
              "  rank 1 missing\n"
              "  rank 2 missing\n"
              "  rank 3 (dp 1, tp 1) [j/rank3_dp1_tp1/a.json] snapshot[j/TP-1_DP-1.pickle]\n"
              "  ! guessed_rank: j/TP-1_DP-1.pickle: It is rank 3 by guess, from the coordinates in its name.\n");
    // Numbers that may be sizes are coordinates if each axis begins with 0.
    EXPECT_EQ(layoutLines({named("j/tp0_pp0/a.json"), named("j/tp1_pp0/a.json")}), "run j in 'j': tp=2 pp=1\n"
                                                                                   "  tp 0, pp 0 [j/tp0_pp0/a.json]\n"
                                                                                   "  tp 1, pp 0 [j/tp1_pp0/a.json]\n");
    EXPECT_EQ(layoutLines({named("j/tp8_pp2/rank0.json"), named("j/tp8_pp2/rank1.json")}),
              "run tp8_pp2 in 'j/tp8_pp2': of at least 2\n"
              "  rank 0 [j/tp8_pp2/rank0.json]\n"
              "  rank 1 [j/tp8_pp2/rank1.json]\n");
}

TEST(RunLayout, DividesFilesIntoRuns)
{
    // Two start times under one job's folder.
    EXPECT_EQ(layoutLines({named("7b/Sep08_11-00-51/rank0.json"), named("7b/Sep08_11-00-51/rank1.json"),
                           named("7b/Sep09_08-30-00/rank0.json")}),
              "run 7b, started Sep08_11-00-51 in '7b/Sep08_11-00-51': of at least 2\n"
              "  rank 0 [7b/Sep08_11-00-51/rank0.json]\n"
              "  rank 1 [7b/Sep08_11-00-51/rank1.json]\n"
              "run 7b, started Sep09_08-30-00 in '7b/Sep09_08-30-00': of at least 1\n"
              "  rank 0 [7b/Sep09_08-30-00/rank0.json]\n"
              "run 0 | run 1\n");
    // Folders that repeat ranks: the outermost ones.
    EXPECT_EQ(layoutLines({named("x/base/node0/rank0.json"), named("x/base/node1/rank1.json"),
                           named("x/new/node0/rank0.json"), named("x/new/node1/rank1.json")}),
              "run base in 'x/base': of at least 2 @node0 @node1\n"
              "  rank 0 [x/base/node0/rank0.json]\n"
              "  rank 1 [x/base/node1/rank1.json]\n"
              "run new in 'x/new': of at least 2 @node0 @node1\n"
              "  rank 0 [x/new/node0/rank0.json]\n"
              "  rank 1 [x/new/node1/rank1.json]\n"
              "run 0 | run 1\n");
    // Folders of ranks and of steps are none.
    EXPECT_EQ(layoutLines({named("t/iteration_10/rank0.json"), named("t/iteration_10/rank1.json"),
                           named("t/iteration_20/rank0.json"), named("t/iteration_20/rank1.json")}),
              "run t in 't': of at least 2\n"
              "  rank 0 [t/iteration_10/rank0.json] [t/iteration_20/rank0.json]\n"
              "  rank 1 [t/iteration_10/rank1.json] [t/iteration_20/rank1.json]\n");
    // Two world sizes are two runs if folders separate them, else one run with a remark.
    EXPECT_EQ(layoutLines({recording("w/four/rank0.json", 0, 4), recording("w/two/rank1.json", 1, 2)}),
              "run four in 'w/four': of 4\n"
              "  rank 0 [w/four/rank0.json]\n"
              "  rank 1 missing\n"
              "  rank 2 missing\n"
              "  rank 3 missing\n"
              "run two in 'w/two': of 2\n"
              "  rank 0 missing\n"
              "  rank 1 [w/two/rank1.json]\n");
    EXPECT_EQ(
        layoutLines({recording("w/rank0.json", 0, 4), recording("w/rank1.json", 1, 2), recording("w/rank7.json", 7)}),
        "run w in 'w': of 4\n"
        "  rank 0 [w/rank0.json]\n"
        "  rank 1 [w/rank1.json]\n"
        "  rank 2 missing\n"
        "  rank 3 missing\n"
        "  rank 7 [w/rank7.json]\n"
        "  ! mixed_world_sizes: The files record different world sizes: 2 (1 file), 4 (1 file).\n"
        "  ! beyond_world_size: There is a rank 7, but the recorded world size is 4.\n");
}

TEST(RunLayout, OffersTwoFilesOfOneRank)
{
    EXPECT_EQ(
        layoutLines({named("d/rank0.json"), named("d/rank0_again.json"), named("d/rank0.pickle", RunFileKind::Snapshot),
                     named("d/rank0_oom.pickle", RunFileKind::Snapshot), named("d/rank0_log", RunFileKind::Log)}),
        "run d in 'd': of at least 1\n"
        "  rank 0 [d/rank0.json] [d/rank0_again.json] twice log[d/rank0_log] snapshot[d/rank0.pickle] "
        "snapshot[d/rank0_oom.pickle]\n"
        "  ! duplicate_rank: There are 2 traces of rank 0, which are not recordings of one worker one after the "
        "other.\n"
        "d/rank0.json | d/rank0_again.json\n");
}

TEST(RunLayout, HasACellForEachRankUpToALimit)
{
    for (const int64_t world : {int64_t{4096}, int64_t{4097}, int64_t{1} << 24}) {
        const riffle::Run run = layoutOf(std::vector<RunFile>{recording("r/rank7.json", 7, world)}).runs.at(0);
        EXPECT_EQ(run.missing, world - 1);
        ASSERT_EQ(run.cells.size(), world <= riffle::Run::kMostDense ? 4096u : 1u);
        for (size_t at = 0; at < run.cells.size() && run.cells.size() > 1; ++at) {
            ASSERT_EQ(run.cells[at].rank, static_cast<int64_t>(at));
            ASSERT_EQ(run.cells[at].isMissing(), at != 7);
        }
    }
    // Many runs with few ranks of many each do not fill the memory.
    std::vector<RunFile> many;
    for (int job = 0; job < 100; ++job)
        many.push_back(recording("j/" + std::to_string(job) + "/rank0.json", 0, 4096));
    int64_t dense = 0;
    for (const riffle::Run &run : layoutOf(many).runs) {
        EXPECT_EQ(run.missing, 4095);
        EXPECT_EQ(run.cells.front().rank, 0);
        dense += static_cast<int64_t>(run.cells.size()) - 1;
    }
    EXPECT_EQ(dense, riffle::RunLayout::kMostMissing / 4095 * 4095);
    // Absurd numbers in a file are no ranks and no sizes.
    EXPECT_EQ(layoutLines({recording("r/a.json", -3, -8), recording("r/b.json", INT64_MAX, INT64_MAX)}),
              "run r in 'r':\n"
              "  unplaced [r/a.json]\n"
              "  unplaced [r/b.json]\n"
              "  ! unplaced: 2 files have no place in the run: nothing tells the rank.\n");
}

TEST(RunLayout, UnderstandsNamesInAnyScript)
{
    EXPECT_EQ(layoutLines({named("训练/七月_Sep08_11-00-51/主机_12.7.pt.trace.json"), named("訓練/rank0.json"),
                           named("訓練/rank1/トレース.json")}),
              "run 訓練 in '訓練': of at least 2\n"
              "  rank 0 [訓練/rank0.json]\n"
              "  rank 1 [訓練/rank1/トレース.json]\n"
              "run 训练, started Sep08_11-00-51 in '训练/七月_Sep08_11-00-51': @主机\n"
              "  unplaced [训练/七月_Sep08_11-00-51/主机_12.7.pt.trace.json]\n"
              "  ! unplaced: 1 file has no place in the run: nothing tells the rank.\n");
}

/// Builds the files of several jobs in a form that is known, and lays them out under other names and in another order.
TEST(RunLayout, DoesNotDependOnOrderOrOnOtherWords)
{
    std::mt19937 random(20261127);
    const auto below = [&](uint32_t end) { return static_cast<uint32_t>(random() % end); };
    const std::vector<std::string> words = {"alpha", "job x", "训练", "llama", "final.v2", "トレース"};
    for (int round = 0; round < 60; ++round) {
        // Each run has a folder, some ranks of which some have a second file.
        const uint32_t runs = 1 + below(3), world = 1 + below(12);
        struct Planned {
            uint32_t run, rank, copy;
        };
        std::vector<Planned> plan;
        for (uint32_t run = 0; run < runs; ++run)
            for (uint32_t rank = 0; rank < world; ++rank)
                for (uint32_t copy = 0; copy < (rank == 0 ? 1 : below(3)); ++copy)
                    plan.push_back({run, rank, copy});
        const auto laidOut = [&](bool areRecorded) {
            std::vector<std::string> jobs;
            for (uint32_t run = 0; run < runs; ++run)
                jobs.push_back(words[below(6)] + " " + std::to_string(run));
            const uint32_t form = below(4);
            std::vector<size_t> order(plan.size());
            std::iota(order.begin(), order.end(), 0);
            std::shuffle(order.begin(), order.end(), random);
            std::vector<RunFile> files;
            for (const size_t at : order) {
                const auto &[run, rank, copy] = plan[at];
                const std::string r = std::to_string(rank), c = copy ? " copy" : "";
                std::string name = jobs[run] + "/";
                name += areRecorded ? "trace " + std::to_string(at) + ".json"
                        : form == 0 ? "rank" + r + c + ".json"
                        : form == 1 ? "rank_" + r + "/x" + c + ".json"
                        : form == 2 ? "traces/rank-" + r + "_dp" + r + "/host_7" + c + ".1.pt.trace.json"
                                    : "Rank=" + r + c + ".pt.trace.json.gz";
                files.push_back(areRecorded ? recording(name, rank, world) : named(name));
            }
            // Per run that was planned: per rank, which copies are there, and whether they count as duplicates.
            const RunLayout layout = layoutOf(files);
            std::vector<std::string> lines;
            for (const riffle::Run &run : layout.runs) {
                std::string text;
                for (const RunCell &cell : run.cells) {
                    std::vector<size_t> planned;
                    for (const FileRef ref : cell.of(RunFileKind::Trace))
                        planned.push_back(order[ref.file]);
                    std::ranges::sort(planned);
                    for (const size_t at : planned)
                        text += std::to_string(at) + " ";
                    if (!cell.isMissing())
                        text += cell.isDuplicate(RunFileKind::Trace) ? "twice; " : "once; ";
                }
                EXPECT_TRUE(run.unplaced.empty());
                lines.push_back(text);
            }
            std::ranges::sort(lines);
            return lines;
        };
        std::vector<std::string> truth;
        for (uint32_t run = 0; run < runs; ++run) {
            std::string text;
            for (uint32_t rank = 0; rank < world; ++rank) {
                int count = 0;
                for (size_t at = 0; at < plan.size(); ++at)
                    if (plan[at].run == run && plan[at].rank == rank) {
                        text += std::to_string(at) + " ";
                        ++count;
                    }
                text += count == 0 ? "" : count == 1 ? "once; " : "twice; ";
            }
            truth.push_back(text);
        }
        std::ranges::sort(truth);
        for (const bool areRecorded : {false, true, false})
            ASSERT_EQ(laidOut(areRecorded), truth) << "round " << round;
    }
}

TEST(RunLayout, ListsWhatWasNotRead)
{
    RunFile bad = named("n/rank1.json");
    bad.why = "It is cut off.";
    EXPECT_EQ(layoutLines({bad, named("n/rank0.json")}), "run n in 'n': of at least 1\n"
                                                         "  rank 0 [n/rank0.json]\n"
                                                         "not read [n/rank1.json]: It is cut off.\n");
    EXPECT_EQ(layoutLines({}), "");
}

} // namespace
} // namespace riffle
