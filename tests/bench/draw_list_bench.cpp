// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0

// Measures how long it takes to determine what is drawn, without drawing it, in a tour of a trace from the builder.

#include "model/layout/draw_list.h"
#include "tests/support/frame_times.h"
#include "tests/support/wide_trace.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cstdint>
#include <cstdlib>

using namespace riffle;

int main(int argc, char **argv)
{
    CLI::App app("Measures the time to build the draw list of one picture");
    uint64_t slices = 100'000'000;
    int lanes = 40;
    int width = 1700;
    int height = 980;
    app.add_option("--slices", slices, "Number of slices in the trace")->capture_default_str();
    app.add_option("--lanes", lanes, "Number of lanes")->capture_default_str();
    app.add_option("--width", width, "Width of the lanes in pixels")->capture_default_str();
    app.add_option("--height", height, "Height of the lanes in pixels")->capture_default_str();
    CLI11_PARSE(app, argc, argv);

    bench::FrameTimes making;
    std::shared_ptr<const Trace> trace;
    making.measure([&] { trace = test::wideTrace(slices, lanes); });
    TraceSet set;
    set.add(trace, TimeMap());
    const LaneLayout layout(set, {}, {});
    fmt::print("{} slices in {} lanes, {} px high, made in {:.1f} s\n", trace->sliceCount(), layout.laneCount(),
               layout.height(), making.quantile(1) / 1000);

    DrawList list;
    size_t boxes = 0;
    const auto draw = [&](TimeSpan range, int y) {
        DrawList::Request request;
        request.set = &set;
        request.section = &layout.items();
        request.scale = TimeScale(range, width);
        request.yBegin = y;
        request.yEnd = y + height;
        list.build(request);
        boxes = 0;
        for (const DrawnItem &item : list.items())
            for (const auto &row : item.rows)
                boxes += row.size();
    };
    bench::FrameTimes all;
    size_t most = 0;
    for (const int y : {0, layout.height() / 4, layout.height() / 2, std::max(0, layout.height() - height)}) {
        bench::FrameTimes part;
        TimeSpan range = set.span();
        const Ns anchor = range.begin + range.duration() / 3;
        for (int i = 0; i < 120; ++i) {
            part.measure([&] { draw(range, y); });
            most = std::max(most, boxes);
            range = zoomed(range, anchor, 0.87);
        }
        range = set.span();
        range.end = range.begin + range.duration() / 3;
        for (int i = 0; i < 40; ++i) {
            range = shifted(range, 0.04);
            part.measure([&] { draw(range, y); });
        }
        fmt::print("{}", part.row(fmt::format("scrolled to {} px", y)));
        all.add(part);
    }
    fmt::print("{}most boxes in a picture: {}\n", all.row("all"), most);
    return EXIT_SUCCESS;
}
