// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0

// Measures the time from an input event to the finished picture of the timeline, in a scripted tour: zoom from the
// whole trace to one slice and back, pan, scroll, hover, select. The tour is repeated with a new timeline each time, so
// that the frames that are slow in every run can be told from those that something else on the machine delays.

#include "model/layout/slice_steps.h"
#include "tests/support/frame_times.h"
#include "tests/support/wide_trace.h"
#include "views/common/look/theme.h"
#include "views/timeline/lanes_canvas.h"
#include "views/timeline/navigation.h"
#include "views/timeline/timeline_state.h"
#include "views/timeline/timeline_view.h"

#include <QApplication>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QWheelEvent>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

using namespace riffle;

namespace {

/// A frame of the tour with its time in every run, in milliseconds.
struct Frame {
    std::string name;
    bench::FrameTimes times;
};

/// A window-sized timeline that receives events and is painted into an image after each of them.
class Tour {
public:
    Tour(std::shared_ptr<const Trace> trace, QSize size, double ratio)
        : m_view(&m_session)
        , m_image(size * ratio, QImage::Format_RGB32)
    {
        m_image.setDevicePixelRatio(ratio);
        TraceSet set;
        set.add(std::move(trace), TimeMap());
        m_session.setTraces(std::move(set));
        m_view.resize(size);
        m_view.show();
        m_view.finishJobs();
        picture();
    }

    /// Adds the time of every frame to `frames`, in the order of the tour.
    bench::FrameTimes run(std::vector<Frame> &frames)
    {
        m_frames = &frames;
        LanesCanvas &canvas = m_view.canvas();
        const QPointF middle(canvas.width() * 0.37, 62);
        section("whole trace to one slice", 75, [&](int) { wheel(middle, 120, Qt::ControlModifier); });
        section("hover, zoomed in", 60, [&](int i) { hover({canvas.width() * (i + 1) / 62.0, 62.0}); });
        section("back to the whole trace", 75, [&](int) { wheel(middle, -120, Qt::ControlModifier); });
        section("hover, whole trace", 80, [&](int i) { hover({canvas.width() * (i + 1) / 82.0, 40.0 + i * 8}); });
        section("zoom with w", 30, [&](int) { key(Qt::Key_W); });
        section("pan with d", 60, [&](int) { key(Qt::Key_D); });
        section("pan with A, fast", 40, [&](int) { key(Qt::Key_A, Qt::ShiftModifier); });
        section("scroll down the deep lane", 60, [&](int) { wheel(middle, -120, Qt::NoModifier); });
        section("pan there", 40, [&](int) { key(Qt::Key_D); });
        section("zoom out there", 40, [&](int) { key(Qt::Key_S); });
        section("scroll back", 60, [&](int) { wheel(middle, 120, Qt::NoModifier); });
        section("select and step", 60, [&](int i) {
            i == 0 ? click({canvas.width() * 0.5, 62}) : key(Qt::Key_Period);
        });
        section("drag an area", 40, [&](int i) { drag(i); });
        fmt::print("{}", m_all.row("all"));
        return m_all;
    }

private:
    template <typename Body>
    void section(const char *name, int frames, Body body)
    {
        bench::FrameTimes times;
        for (int i = 0; i < frames; ++i) {
            bench::FrameTimes one;
            one.measure([&] {
                body(i);
                picture();
            });
            times.add(one);
            if (m_at == m_frames->size())
                m_frames->push_back({fmt::format("{}, frame {}", name, i), {}});
            (*m_frames)[m_at++].times.add(one);
        }
        fmt::print("{}", times.row(name));
        m_all.add(times);
    }

    /// Paints the dirty parts as a window does; the image then shows what a window would show.
    void picture() { m_view.render(&m_image); }

    void key(int code, Qt::KeyboardModifiers modifiers = Qt::NoModifier)
    {
        QKeyEvent press(QEvent::KeyPress, code, modifiers);
        QApplication::sendEvent(&m_view, &press);
        QKeyEvent release(QEvent::KeyRelease, code, modifiers);
        QApplication::sendEvent(&m_view, &release);
    }
    void wheel(QPointF at, int angle, Qt::KeyboardModifiers modifiers)
    {
        QWheelEvent event(at, m_view.canvas().mapToGlobal(at), {}, {0, angle}, Qt::NoButton, modifiers,
                          Qt::NoScrollPhase, false);
        QApplication::sendEvent(&m_view.canvas(), &event);
    }
    void mouse(QEvent::Type type, QPointF at, Qt::MouseButton button, Qt::MouseButtons buttons)
    {
        QMouseEvent event(type, at, m_view.canvas().mapToGlobal(at), button, buttons, Qt::NoModifier);
        QApplication::sendEvent(&m_view.canvas(), &event);
    }
    void hover(QPointF at) { mouse(QEvent::MouseMove, at, Qt::NoButton, Qt::NoButton); }
    void click(QPointF at)
    {
        mouse(QEvent::MouseButtonPress, at, Qt::LeftButton, Qt::LeftButton);
        mouse(QEvent::MouseButtonRelease, at, Qt::LeftButton, Qt::NoButton);
    }
    void drag(int step)
    {
        const QPointF at(300 + step * 20.0, 60 + step * 9.0);
        if (step == 0)
            mouse(QEvent::MouseButtonPress, at, Qt::LeftButton, Qt::LeftButton);
        else
            mouse(QEvent::MouseMove, at, Qt::NoButton, Qt::LeftButton);
        if (step == 39)
            mouse(QEvent::MouseButtonRelease, at, Qt::LeftButton, Qt::NoButton);
    }

    Session m_session;
    TimelineView m_view;
    QImage m_image;
    bench::FrameTimes m_all;
    std::vector<Frame> *m_frames = nullptr;
    size_t m_at = 0; ///< the index of the next frame
};

/// Prints the medians over all runs, and the frames with the largest median.
void printRuns(const std::vector<bench::FrameTimes> &runs, std::vector<Frame> frames, size_t slowest)
{
    bench::FrameTimes middles, highs;
    for (const bench::FrameTimes &run : runs) {
        middles.add(run.quantile(0.5));
        highs.add(run.quantile(0.99));
    }
    fmt::print("median of {} runs: median {:.2f} ms, p99 {:.2f} ms\n", runs.size(), middles.quantile(0.5),
               highs.quantile(0.5));
    bench::FrameTimes typical;
    for (const Frame &frame : frames)
        typical.add(frame.times.quantile(0.5));
    fmt::print("{}", typical.row("each frame's median"));
    std::stable_sort(frames.begin(), frames.end(),
                     [](const Frame &a, const Frame &b) { return a.times.quantile(0.5) > b.times.quantile(0.5); });
    for (size_t at = 0; at < std::min(slowest, frames.size()); ++at)
        fmt::print("{:7.2f} ms (fastest {:.2f})  {}\n", frames[at].times.quantile(0.5), frames[at].times.quantile(0),
                   frames[at].name);
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
    bool dark = false;
    app.add_option("--slices", slices, "Number of slices in the trace")->capture_default_str();
    app.add_option("--lanes", lanes, "Number of lanes")->capture_default_str();
    app.add_option("--width", width, "Width of the timeline in pixels")->capture_default_str();
    app.add_option("--height", height, "Height of the timeline in pixels")->capture_default_str();
    app.add_option("--runs", runs, "Number of tours")->capture_default_str();
    app.add_option("--slowest", slowest, "Number of frames to name, slowest first")->capture_default_str();
    app.add_flag("--dark", dark, "Use the dark theme");
    CLI11_PARSE(app, argc, argv);

    qputenv("QT_QPA_PLATFORM", "offscreen");
    int qtArguments = 1;
    QApplication application(qtArguments, argv);
    applyTheme(dark ? ThemeKind::Dark : ThemeKind::Light);
    const auto trace = test::wideTrace(slices, lanes);
    fmt::print("{} slices in {} lanes, {} x {} px\n", trace->sliceCount(), trace->lanes.size(), width, height);
    std::vector<Frame> frames;
    std::vector<bench::FrameTimes> all;
    for (int run = 0; run < runs; ++run)
        all.push_back(Tour(trace, QSize(width, height), 1).run(frames));
    printRuns(all, std::move(frames), slowest);
    return EXIT_SUCCESS;
}
