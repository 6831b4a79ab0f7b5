// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0

// Measures the time from an input event to the finished picture of the memory timeline, in a scripted tour of a
// snapshot with a million allocations: zoom in and out, pan, heights, hover, instants, ranges.

#include "model/ingest/cuda_snapshot/cuda_snapshot.h"
#include "tests/bench/instant_pictures.h"
#include "tests/bench/memory_instants.h"
#include "tests/support/frame_times.h"
#include "tests/support/snapshot_generator.h"
#include "views/common/look/theme.h"
#include "views/memory/landscape/landscape_canvas.h"
#include "views/memory/landscape/landscape_state.h"
#include "views/memory/landscape/landscape_view.h"

#include <QApplication>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QWheelEvent>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <utility>

using namespace riffle;
namespace fs = std::filesystem;

namespace {

/// A window-sized view that receives events and paints what they change.
class Tour {
public:
    Tour(std::shared_ptr<const SnapshotFacts> facts, QSize size, int most) : m_view(&m_memory)
    {
        m_view.state()->setMost(most);
        m_view.resize(size);
        m_view.show();
        const auto begin = std::chrono::steady_clock::now();
        m_memory.setSnapshots({std::move(facts)});
        m_view.refreshNow();
        while (!m_view.state()->landscape() || !m_view.settled())
            QApplication::processEvents(QEventLoop::WaitForMoreEvents);
        const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        QApplication::processEvents();
        fmt::print("{} allocations, {} separate bands, at most {} of them at the same time; built in {:.0f} ms\n",
                   m_memory.device()->allocations.count(), m_view.state()->landscape()->bands(), mostAtOnce(),
                   seconds * 1e3);
    }

    void run()
    {
        m_began = processorSeconds();
        const QPointF middle = m_view.canvas()->plot().center() + QPointF(120, 40);
        section("zoom in with the wheel", 60, [&](int) { wheel(middle, 120, Qt::ControlModifier); });
        section("hover, zoomed in", 60, [&](int i) { hover(middle + QPointF(i * 4 - 120, i * 3 - 90)); });
        section("zoom out with the wheel", 60, [&](int) { wheel(middle, -120, Qt::ControlModifier); });
        section("hover, whole history", 100, [&](int i) { hover(middle + QPointF(i * 5 - 250, i * 4 - 200)); });
        section("zoom with w", 12, [&](int) { tap(Qt::Key_W); });
        section("pan with d and a", 60, [&](int i) { tap(i % 20 < 10 ? Qt::Key_D : Qt::Key_A); });
        section("pan fast", 40, [&](int i) { tap(i % 4 < 2 ? Qt::Key_A : Qt::Key_D, Qt::ShiftModifier); });
        section("heights with +", 12, [&](int) { tap(Qt::Key_Plus); });
        section("pan there", 60, [&](int i) { tap(i % 20 < 10 ? Qt::Key_D : Qt::Key_A); });
        section("all again", 4, [&](int) { tap(Qt::Key_0); });
        section("step the instant", 100, [&](int i) { tap(i % 2 ? Qt::Key_Left : Qt::Key_Right, Qt::ShiftModifier); });
        section("select band by band", 60, [&](int i) { tap(i % 20 < 10 ? Qt::Key_Up : Qt::Key_Down); });
        section("drag a range", 60, [&](int i) { drag(i); });
        constexpr double kLimit = 16;
        fmt::print("{}   limit {:.0f} ms at p99{}\n", line(m_all, "all"), kLimit,
                   m_all.quantile(0.99) > kLimit ? "  MISSED" : "");
        fmt::print("processor time per frame {:.2f} ms\n",
                   (processorSeconds() - m_began) * 1e3 / static_cast<double>(m_all.count()));
        meanwhile("other colours", 10,
                  [&](int i) { m_memory.setColour(static_cast<MemorySession::Colour>((i + 1) % 5)); });
        meanwhile("other numbers of bands", 6, [&](int i) { m_view.state()->setMost(i % 2 ? 15'000 : 100'000); });
    }

private:
    /// The processor time of all our threads, which does not depend on the load by other programs.
    static double processorSeconds()
    {
        timespec now{};
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
        return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
    }
    uint32_t mostAtOnce() const
    {
        const Landscape &landscape = *m_view.state()->landscape();
        std::vector<int32_t> change(landscape.slotCount() + 1);
        for (uint32_t band = 0; band < landscape.bands(); ++band) {
            ++change[landscape.begin(band)];
            --change[landscape.end(band)];
        }
        int32_t now = 0, most = 0;
        for (const int32_t by : change)
            most = std::max(most, now += by);
        return static_cast<uint32_t>(most);
    }
    template <typename Body>
    void section(const char *name, int frames, Body body)
    {
        bench::FrameTimes times;
        const double began = processorSeconds();
        for (int i = 0; i < frames; ++i)
            times.measure([&] {
                body(i);
                QApplication::processEvents(); // repaints what has changed
            });
        fmt::print("{}   processor {:>6.2f} ms\n", line(times, name), (processorSeconds() - began) * 1e3 / frames);
        m_all.add(times);
    }
    static std::string line(const bench::FrameTimes &times, const char *name)
    {
        std::string row = times.row(name);
        row.pop_back(); // the line break
        return row;
    }
    /// Measures how long the window freezes while work is done in the background and the picture is moved.
    template <typename Body>
    void meanwhile(const char *name, int rounds, Body body)
    {
        bench::FrameTimes times;
        double seconds = 0;
        for (int round = 0; round < rounds; ++round) {
            const auto begin = std::chrono::steady_clock::now();
            bool asked = false;
            do {
                times.measure([&] {
                    if (!std::exchange(asked, true))
                        body(round);
                    m_view.state()->pan(times.count() % 2 ? 0.01 : -0.01);
                    QApplication::processEvents();
                });
            } while (!m_view.settled());
            seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        }
        fmt::print("{}   done after {:.0f} ms\n", line(times, name), seconds / rounds * 1e3);
    }
    void wheel(QPointF at, int delta, Qt::KeyboardModifiers keys)
    {
        QWheelEvent event(at, at, {}, {0, delta}, Qt::NoButton, keys, Qt::NoScrollPhase, false);
        QApplication::sendEvent(m_view.canvas(), &event);
    }
    void tap(int key, Qt::KeyboardModifiers keys = {})
    {
        for (const QEvent::Type type : {QEvent::KeyPress, QEvent::KeyRelease}) {
            QKeyEvent event(type, key, keys);
            QApplication::sendEvent(m_view.canvas(), &event);
        }
    }
    void mouse(QEvent::Type type, QPointF at, Qt::MouseButton button, Qt::MouseButtons buttons)
    {
        QMouseEvent event(type, at, m_view.canvas()->mapToGlobal(at), button, buttons, {});
        QApplication::sendEvent(m_view.canvas(), &event);
    }
    void hover(QPointF at) { mouse(QEvent::MouseMove, at, Qt::NoButton, Qt::NoButton); }
    void drag(int step)
    {
        const QPointF from(300, 200);
        if (step == 0)
            mouse(QEvent::MouseButtonPress, from, Qt::LeftButton, Qt::LeftButton);
        mouse(QEvent::MouseMove, from + QPointF(step * 10, 0), Qt::NoButton, Qt::LeftButton);
    }

    MemorySession m_memory;
    LandscapeView m_view;
    bench::FrameTimes m_all;
    double m_began = 0;
};

} // namespace

int main(int argc, char **argv)
{
    CLI::App app("Measures how long pictures of the memory timeline and of an instant take");
    double millions = 3.2;
    int most = 15'000;
    std::string folder = (fs::temp_directory_path() / "riffle-bench").string();
    std::vector<std::string> files;
    app.add_option("--entries", millions, "Entries in millions; a third of them are allocations")
        ->capture_default_str();
    app.add_option("--bands", most, "How many allocations have a separate band")->capture_default_str();
    app.add_option("--folder", folder, "Folder for the generated snapshot, which is kept for the next run")
        ->capture_default_str();
    app.add_option("FILES", files, "Snapshots to look at instead of a generated one");
    CLI11_PARSE(app, argc, argv);
    qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication qt(argc, argv);
    applyTheme(ThemeKind::Light);
    constexpr QSize kSize(1920, 1080);
    const auto show = [&](const std::shared_ptr<const MemorySnapshot> &snapshot, const std::string &name) {
        const auto facts = std::make_shared<const SnapshotFacts>(snapshot);
        facts->replay();
        fmt::print("{}:\n", name);
        Tour(facts, kSize, most).run();
        bench::printInstantPictures(facts, "an instant", kSize);
    };
    const bool isGenerated = files.empty();
    if (isGenerated) {
        fs::create_directories(folder);
        files.push_back((fs::path(folder) / fmt::format("landscape-{:g}M.pickle", millions)).string());
        if (!fs::exists(files.front())) {
            test::SnapshotOptions options;
            options.entries = static_cast<uint64_t>(millions * 1e6);
            std::ofstream out(files.front(), std::ios::binary);
            test::generateSnapshot(options, [&](std::string_view part) {
                out.write(part.data(), static_cast<std::streamsize>(part.size()));
            });
        }
    }
    for (const std::string &file : files) {
        const auto snapshot = readMemorySnapshot(file, {}, {});
        if (!snapshot) {
            fmt::print(stderr, "{}\n", snapshot.error().text());
            return EXIT_FAILURE;
        }
        show(*snapshot, fs::path(file).filename().string());
    }
    constexpr uint32_t kAlive = 100'000;
    if (isGenerated)
        show(bench::manyAlive(static_cast<uint32_t>(millions * 1e6), kAlive),
             fmt::format("{} alive at the same time", kAlive));
    return EXIT_SUCCESS;
}
