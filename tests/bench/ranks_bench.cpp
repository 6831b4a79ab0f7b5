// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0

// Measures the time from an input event to the finished picture of a timeline with many ranks, in the tour of the frame
// benchmark. Each rank has slices of its own; every other rank's clock is shifted, and those between drift. The folded
// ranks are compared with one unfolded rank that fills the same window.

#include "model/trace/store.h"
#include "tests/bench/timeline_tour.h"
#include "tests/support/wide_trace.h"
#include "views/common/look/theme.h"

#include <QApplication>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <string>
#include <vector>

using namespace riffle;
namespace fs = std::filesystem;

namespace {

constexpr double kFrameLimit = 16; ///< milliseconds, for the 99th percentile

/// How many ranks are open, and how many of them are unfolded.
struct Scene {
    size_t ranks;
    size_t unfolded;
};

/// The traces of the ranks as mapped stores, so that all of them fit into memory.
std::vector<std::shared_ptr<const Trace>> storedRanks(const fs::path &folder, size_t count, uint64_t slices, int lanes)
{
    fs::create_directories(folder);
    std::vector<std::shared_ptr<const Trace>> ranks;
    for (uint64_t rank = 0; rank < count; ++rank) {
        const SourceIdentity identity{slices, lanes, rank};
        const std::string path = folder / fmt::format("rank-{}.store", rank);
        auto stored = openStore(path, identity);
        if (!stored) {
            const auto made = test::wideTrace(slices, lanes, rank + 1);
            if (const auto written = writeStore(*made, {}, identity, path, {}); !written) {
                fmt::print(stderr, "{}\n", written.error().message);
                std::exit(EXIT_FAILURE);
            }
            stored = openStore(path, identity);
        }
        if (!stored) {
            fmt::print(stderr, "{}\n", stored.error().message);
            std::exit(EXIT_FAILURE);
        }
        ranks.push_back(stored->trace);
    }
    return ranks;
}

/// The clock of a rank: that of the set for the first one, otherwise shifted or, for every other rank, drifting by up
/// to 50 millionths in either direction.
TimeMap clockOf(size_t rank, TimeSpan span)
{
    constexpr Ns kPieces = 6;
    const Ns shift = static_cast<Ns>(rank) * 137'331;
    if (rank == 0)
        return {};
    std::vector<TimeMap::Knot> knots{{span.begin, span.begin + shift}};
    for (Ns piece = 1; rank % 2 == 0 && piece <= kPieces; ++piece) {
        const Ns length = span.duration() / kPieces;
        const Ns drift = length / 20'000 * (piece % 2 ? 1 : -1);
        knots.push_back({knots.back().trace + length, knots.back().set + length + drift});
    }
    return TimeMap(std::move(knots));
}

struct Figures {
    bench::FrameTimes frames;  ///< of all runs
    bench::FrameTimes fastest; ///< of each frame, the fastest run: what it takes if nothing else delays it
    double processor = 0;      ///< the mean processor time of a frame, over all threads, in milliseconds
};

/// Runs the tour of a scene and prints its figures.
Figures tour(const Scene &scene, const std::vector<std::shared_ptr<const Trace>> &ranks, QSize size, int runs,
             size_t slowest)
{
    TraceSet set;
    for (size_t rank = 0; rank < scene.ranks; ++rank)
        set.add(ranks[rank], clockOf(rank, ranks[rank]->span));
    fmt::print("\n{} ranks, {} of them unfolded\n", scene.ranks, scene.unfolded);
    std::vector<bench::Frame> frames;
    std::vector<bench::FrameTimes> all;
    Figures figures;
    for (int run = 0; run < runs; ++run) {
        bench::Tour one(set, size);
        TimelineState &state = one.view().state();
        LaneState lanes;
        for (const LaneItem &item : state.layout().items())
            if (item.kind == LaneItem::Kind::TraceHeading && item.trace.value >= scene.unfolded)
                lanes.folded.insert(item.key);
        state.pane()->setLanes(std::move(lanes));
        one.settle();
        const std::clock_t before = std::clock();
        all.push_back(one.run(frames));
        figures.processor += static_cast<double>(std::clock() - before) * 1e3 / CLOCKS_PER_SEC;
        figures.frames.add(all.back());
    }
    for (const bench::Frame &frame : frames)
        figures.fastest.add(frame.times.quantile(0));
    bench::printRuns(all, std::move(frames), slowest);
    figures.processor /= static_cast<double>(figures.frames.count());
    return figures;
}

} // namespace

int main(int argc, char **argv)
{
    CLI::App app("Measures the time from an input event to the finished picture with many ranks");
    uint64_t slices = 1'000'000;
    int lanes = 40;
    size_t most = 64;
    std::vector<size_t> unfolded{0, 8, 64};
    int width = 1920;
    int height = 1080;
    int runs = 3;
    size_t slowest = 5;
    std::string folder = (fs::temp_directory_path() / "riffle-bench" / "ranks").string();
    app.add_option("--slices", slices, "Number of slices of each rank")->capture_default_str();
    app.add_option("--lanes", lanes, "Number of lanes of each rank")->capture_default_str();
    app.add_option("--ranks", most, "Largest number of ranks")->check(CLI::Range(8, 1024))->capture_default_str();
    app.add_option("--unfolded", unfolded, "How many of them are unfolded, for one scene each")->capture_default_str();
    app.add_option("--width", width, "Width of the timeline in pixels")->capture_default_str();
    app.add_option("--height", height, "Height of the timeline in pixels")->capture_default_str();
    app.add_option("--runs", runs, "Number of tours")->capture_default_str();
    app.add_option("--slowest", slowest, "Number of frames to name, slowest first")->capture_default_str();
    app.add_option("--folder", folder, "Folder for the generated traces")->capture_default_str();
    CLI11_PARSE(app, argc, argv);

    qputenv("QT_QPA_PLATFORM", "offscreen");
    int qtArguments = 1;
    QApplication application(qtArguments, argv);
    applyTheme(ThemeKind::Light);
    const auto ranks = storedRanks(folder, most, slices, lanes);
    fmt::print("{} slices in {} lanes per rank, {} x {} px\n", ranks.front()->sliceCount(), ranks.front()->lanes.size(),
               width, height);

    const QSize size(width, height);
    const Figures one = tour({1, 1}, ranks, size, runs, slowest);
    std::string table = fmt::format("\n{:<22} {:>9} {:>9} {:>11} {:>8} {:>13}   of one rank's: fastest, processor\n",
                                    "scene", "median", "p99", "fastest p99", "limit", "processor");
    const auto row = [&](const Scene &scene, const Figures &figures) {
        table +=
            fmt::format("{:<22} {:>6.2f} ms {:>6.2f} ms {:>8.2f} ms {:>5.0f} ms {:>10.2f} ms {:>17.2f} {:>6.2f}\n",
                        fmt::format("{} ranks, {} unfolded", scene.ranks, scene.unfolded), figures.frames.quantile(0.5),
                        figures.frames.quantile(0.99), figures.fastest.quantile(0.99), kFrameLimit, figures.processor,
                        figures.fastest.mean() / one.fastest.mean(), figures.processor / one.processor);
    };
    row({1, 1}, one);
    std::vector<Scene> scenes{{8, 8}};
    for (const size_t count : unfolded)
        scenes.push_back({most, std::min(count, most)});
    for (const Scene &scene : scenes)
        row(scene, tour(scene, ranks, size, runs, slowest));
    fmt::print("{}Ranks that are all folded may take 2 times as long as one rank that fills the window.\n", table);
    return EXIT_SUCCESS;
}
