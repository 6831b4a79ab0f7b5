// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0

// Measures the time from an input event to the finished picture of the timeline, in a scripted tour: zoom from the
// whole trace to one slice and back, pan, scroll, hover, select. The tour is repeated with a new timeline each time, so
// that the frames that are slow in every run can be told from those that something else on the machine delays.

#include "model/analysis/facts/lane_squeezing.h"
#include "tests/bench/timeline_tour.h"
#include "tests/support/wide_trace.h"
#include "views/common/look/theme.h"

#include <QApplication>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cstdlib>
#include <vector>

using namespace riffle;

namespace {

/// Prints how long it takes to find and leave out the plumbing, and how much is left.
void printSqueezing(const Trace &trace)
{
    bench::FrameTimes times;
    std::shared_ptr<const SqueezedLanes> squeezed;
    times.measure([&] { squeezed = squeezedLanes(trace); });
    size_t shown = 0, all = 0;
    for (uint32_t lane = 0; lane < trace.lanes.size(); ++lane)
        if (const SqueezedLane *one = squeezed->of(LaneId(lane))) {
            shown += one->slices.size();
            all += trace.lanes[lane].slices;
        }
    fmt::print("{}{} of {} slices are shown in squeezed lanes\n", times.row("squeezing the lanes"), shown, all);
}

} // namespace

int main(int argc, char **argv)
{
    CLI::App app("Measures the time from an input event to the finished picture");
    uint64_t slices = 10'000'000;
    int lanes = 40;
    int width = 1920;
    int height = 1080;
    int runs = 5;
    size_t slowest = 10;
    bool dark = false, hasFrames = false, hasTwoPanes = false;
    app.add_option("--slices", slices, "Number of slices in the trace")->capture_default_str();
    app.add_option("--lanes", lanes, "Number of lanes")->capture_default_str();
    app.add_option("--width", width, "Width of the timeline in pixels")->capture_default_str();
    app.add_option("--height", height, "Height of the timeline in pixels")->capture_default_str();
    app.add_option("--runs", runs, "Number of tours")->capture_default_str();
    app.add_option("--slowest", slowest, "Number of frames to name, slowest first")->capture_default_str();
    app.add_flag("--frames", hasFrames, "Make the calls of the threads Python frames, so that lanes hide plumbing");
    app.add_flag("--two-panes", hasTwoPanes, "Show two such traces above each other, in panes that move together");
    app.add_flag("--dark", dark, "Use the dark theme");
    CLI11_PARSE(app, argc, argv);

    qputenv("QT_QPA_PLATFORM", "offscreen");
    int qtArguments = 1;
    QApplication application(qtArguments, argv);
    applyTheme(dark ? ThemeKind::Dark : ThemeKind::Light);
    const auto trace = test::wideTrace(slices, lanes, 7, hasFrames);
    std::vector<std::shared_ptr<const Trace>> traces{trace};
    if (hasTwoPanes)
        traces.push_back(test::wideTrace(slices, lanes, 8, hasFrames));
    if (hasFrames)
        printSqueezing(*trace);
    fmt::print("{} slices in {} lanes{}, {} x {} px\n", trace->sliceCount(), trace->lanes.size(),
               hasTwoPanes ? " in each of two panes" : "", width, height);
    std::vector<bench::Frame> frames;
    std::vector<bench::FrameTimes> all;
    for (int run = 0; run < runs; ++run)
        all.push_back(bench::Tour(TraceSet::of(traces), QSize(width, height), hasTwoPanes).run(frames));
    bench::printRuns(all, std::move(frames), slowest);
    return EXIT_SUCCESS;
}
