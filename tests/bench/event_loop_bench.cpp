// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0

// Measures for how long the GUI thread is busy with one event, while a large trace is opened, filtered and toured with
// a timeline, the overview and a table beside it. The goal is 50 ms: until then, nothing that the user does is
// answered.

#include "tests/support/frame_times.h"
#include "tests/support/generated_trace.h"
#include "views/common/look/theme.h"
#include "views/common/session/session.h"
#include "views/summary/overview_page.h"
#include "views/summary/summary_pane.h"
#include "views/timeline/timeline_view.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QTimer>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

using namespace riffle;

namespace {

constexpr double kGoal = 50; ///< milliseconds

/// Measures each event of the event loop, with everything that is done while it is handled.
class MeasuredApplication : public QApplication {
public:
    using QApplication::QApplication;

    bool notify(QObject *receiver, QEvent *event) override
    {
        if (m_depth++ > 0) {
            const bool handled = QApplication::notify(receiver, event);
            --m_depth;
            return handled;
        }
        const std::string name =
            fmt::format("{}, event {}", receiver->metaObject()->className(), static_cast<int>(event->type()));
        bool handled = false;
        bench::FrameTimes one;
        one.measure([&] { handled = QApplication::notify(receiver, event); });
        --m_depth;
        if (m_events.count() == 0 || one.quantile(1) > m_events.quantile(1))
            m_slowest = name;
        m_events.add(one);
        return handled;
    }

    /// Prints what has been measured since the last call, and returns the longest time.
    double print(const char *phase)
    {
        const double longest = m_events.quantile(1);
        fmt::print("{:<28} {:>6} events   p99 {:>7.2f} ms   longest {:>7.2f} ms   {}\n", phase, m_events.count(),
                   m_events.quantile(0.99), longest, m_slowest);
        std::fflush(stdout);
        m_events = {};
        return longest;
    }

private:
    int m_depth = 0;
    bench::FrameTimes m_events;
    std::string m_slowest;
};

/// The steps of one phase, each an event of its own.
struct Phase {
    const char *name;
    std::vector<std::function<void()>> steps;
};

std::vector<Phase> phasesOf(Session &session, const std::shared_ptr<const Trace> &trace, TimelineView &timeline)
{
    const auto filter = [&session](auto change) {
        return [&session, change] {
            Filters filters;
            change(filters);
            session.setFilters(filters);
        };
    };
    std::vector<Phase> phases;
    phases.push_back({"open", {[&session, trace] { session.setTraces(TraceSet::of({trace})); }}});
    phases.push_back({"filter by text", {}});
    for (const char *text : {"a", "at", "ate", "aten::m", "aten::mm"})
        phases.back().steps.push_back(filter([text](Filters &filters) { filters.text = text; }));
    phases.push_back(
        {"steps by name",
         {filter([](Filters &filters) { filters.stepMark = "aten::mm"; }),
          filter([](Filters &filters) { filters.stepMark = "ProfilerStep@device"; }), filter([](Filters &) {})}});
    phases.push_back({"follow the visible range", {[&session] { session.setFollowsView(true); }}});
    phases.push_back({"tour", {}});
    for (int step = 0; step < 60; ++step)
        phases.back().steps.emplace_back([&session, step] {
            const TimeSpan whole = session.pane()->wholeRange();
            const Ns length = whole.duration() >> std::min(step % 30, 20);
            const Ns begin = whole.begin + (whole.duration() - length) / 60 * step;
            session.pane()->setVisibleRange({begin, begin + length});
        });
    phases.push_back({"critical path", {[&timeline] { timeline.showCriticalPath(true); }}});
    phases.push_back({"close", {[&session] { session.setTraces({}); }}});
    return phases;
}

} // namespace

int main(int argc, char **argv)
{
    CLI::App app("Measures for how long the GUI thread is busy with one event");
    uint64_t slices = 10'000'000;
    int pause = 100, rest = 3000;
    app.add_option("--slices", slices, "Approximate number of slices in the trace")->capture_default_str();
    app.add_option("--pause", pause, "Milliseconds between two steps of a phase")->capture_default_str();
    app.add_option("--rest", rest, "Milliseconds after each phase, for its answers")->capture_default_str();
    CLI11_PARSE(app, argc, argv);

    qputenv("QT_QPA_PLATFORM", "offscreen");
    int qtArguments = 1;
    MeasuredApplication application(qtArguments, argv);
    applyTheme(ThemeKind::Light);
    const auto trace = bench::generatedTrace(slices);
    fmt::print("{} slices; the goal is {} ms\n", trace->sliceCount(), kGoal);

    Session session;
    TimelineView timeline(session.pane());
    OverviewPage overview(&session);
    SummaryPane operators(&session, {"operators"});
    const auto wait = [&application](int milliseconds) {
        QElapsedTimer passed;
        for (passed.start(); passed.elapsed() < milliseconds;) {
            QTimer::singleShot(5, &application, [] {});
            QApplication::processEvents(QEventLoop::WaitForMoreEvents);
        }
    };
    for (QWidget *widget : std::initializer_list<QWidget *>{&timeline, &overview, &operators}) {
        widget->resize(1600, 800);
        widget->show();
    }
    wait(500);
    application.print("empty window");
    double longest = 0;
    for (const Phase &phase : phasesOf(session, trace, timeline)) {
        for (const auto &step : phase.steps) {
            QTimer::singleShot(0, &application, step);
            wait(pause);
        }
        wait(rest);
        longest = std::max(longest, application.print(phase.name));
    }
    fmt::print("The longest event took {:.2f} ms.\n", longest);
    return longest <= kGoal ? 0 : 1;
}
