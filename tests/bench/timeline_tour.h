// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// A scripted tour of a timeline, with the time from each input event to the finished picture.

#include "tests/support/frame_times.h"
#include "views/common/session/pane_link.h"
#include "views/timeline/lanes_canvas.h"
#include "views/timeline/timeline_state.h"
#include "views/timeline/timeline_view.h"

#include <QApplication>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QWheelEvent>

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace riffle::bench {

/// A frame of the tour with its time in every run, in milliseconds.
struct Frame {
    std::string name;
    FrameTimes times;
};

/// A window-sized timeline that receives events and is painted into an image after each of them. The script: zoom from
/// the whole trace to one slice and back, pan, scroll, hover, select, and fold and unfold a rank if there are several.
class Tour {
public:
    /// A tour of all traces of a set; or, with a second pane, of the first trace above the second one, as a comparison
    /// shows them: both panes move together, and both are painted.
    Tour(TraceSet set, QSize size, bool hasSecondPane = false)
        : m_view(hasSecondPane ? new Pane(&m_session) : m_session.pane())
        , m_image(size, QImage::Format_RGB32)
    {
        m_session.setTraces(std::move(set));
        if (hasSecondPane) {
            Pane *first = m_view.state().pane(), *second = new Pane(&m_session);
            m_second = std::make_unique<TimelineView>(second);
            first->showOnly({m_session.traces().loaded()[0].id});
            second->showOnly({m_session.traces().loaded()[1].id});
            m_link = std::make_unique<PaneLink>(first, second, nullptr);
            size.setHeight(size.height() / 2);
            m_second->resize(size);
            m_second->show();
        }
        m_view.resize(size);
        m_view.show();
        settle();
        m_view.unfoldAll(); // lanes of threads with all their rows
        if (m_second)
            m_second->unfoldAll();
        settle();
    }

    TimelineView &view() { return m_view; }
    Session &session() { return m_session; }

    /// Waits until the lanes are complete.
    void settle()
    {
        picture(); // lays out, so that it is known which lanes are seen
        m_view.finishJobs();
        if (m_second)
            m_second->finishJobs();
        picture();
    }
    /// Adds the time of every frame to `frames`, in the order of the tour.
    FrameTimes run(std::vector<Frame> &frames)
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
        if (m_session.traces().size() > 1 && !m_second)
            section("fold and unfold a rank", 40, [&](int i) { foldRank(static_cast<size_t>(i) / 2); });
        fmt::print("{}", m_all.row("all"));
        return m_all;
    }

private:
    template <typename Body>
    void section(const char *name, int frames, Body body)
    {
        FrameTimes times;
        for (int i = 0; i < frames; ++i) {
            FrameTimes one;
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
    void picture()
    {
        m_view.render(&m_image);
        if (m_second)
            m_second->render(&m_image, QPoint(0, m_view.height()));
    }

    void foldRank(size_t number)
    {
        const TraceId rank = m_session.traces().loaded()[number % m_session.traces().size()].id;
        const auto &items = m_view.state().layout().items();
        const auto heading = std::ranges::find_if(items, [rank](const LaneItem &item) {
            return item.kind == LaneItem::Kind::TraceHeading && item.trace == rank;
        });
        if (heading != items.end())
            m_view.state().toggleFold(LaneItem(*heading));
    }
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
    std::unique_ptr<TimelineView> m_second;
    std::unique_ptr<PaneLink> m_link;
    QImage m_image;
    FrameTimes m_all;
    std::vector<Frame> *m_frames = nullptr;
    size_t m_at = 0; ///< the index of the next frame
};

/// Prints the medians over all runs, and the frames with the largest median.
inline void printRuns(const std::vector<FrameTimes> &runs, std::vector<Frame> frames, size_t slowest)
{
    FrameTimes middles, highs;
    for (const FrameTimes &run : runs) {
        middles.add(run.quantile(0.5));
        highs.add(run.quantile(0.99));
    }
    fmt::print("median of {} runs: median {:.2f} ms, p99 {:.2f} ms\n", runs.size(), middles.quantile(0.5),
               highs.quantile(0.5));
    FrameTimes typical, fastest;
    for (const Frame &frame : frames) {
        typical.add(frame.times.quantile(0.5));
        fastest.add(frame.times.quantile(0));
    }
    fmt::print("{}{}", typical.row("each frame's median"), fastest.row("each frame's fastest"));
    std::stable_sort(frames.begin(), frames.end(),
                     [](const Frame &a, const Frame &b) { return a.times.quantile(0.5) > b.times.quantile(0.5); });
    for (size_t at = 0; at < std::min(slowest, frames.size()); ++at)
        fmt::print("{:7.2f} ms (fastest {:.2f})  {}\n", frames[at].times.quantile(0.5), frames[at].times.quantile(0),
                   frames[at].name);
}

} // namespace riffle::bench
