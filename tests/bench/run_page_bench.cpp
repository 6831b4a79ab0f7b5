// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0

// Measures how long the page of ranks takes: from the opening of a run with stores to its grid and heat map, with the
// memory that this takes, and how long a large generated run takes to be computed and painted.

#include "app/session/settings.h"
#include "app/window/main_window.h"
#include "model/base/memory_use.h"
#include "views/common/chart/heat_map.h"
#include "views/common/look/theme.h"
#include "views/ranks/rank_grid.h"
#include "views/ranks/ranks_answer.h"
#include "views/ranks/ranks_page.h"

#include <QApplication>
#include <QKeyEvent>
#include <QTemporaryDir>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

using namespace riffle;

namespace {

using Clock = std::chrono::steady_clock;

double msSince(Clock::time_point began)
{
    return std::chrono::duration<double, std::milli>(Clock::now() - began).count();
}

/// The anonymous memory of the process, in MB.
double anonymousMemory()
{
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);)
        if (line.starts_with("RssAnon:"))
            return std::strtod(line.c_str() + 8, nullptr) * 1024 / 1e6;
    return 0;
}

void openRun(const QStringList &files)
{
    QTemporaryDir folder;
    Settings settings(folder.filePath(QStringLiteral("settings.ini")));
    MainWindow window(&settings);
    window.resize(1920, 1080);
    window.show();
    QApplication::processEvents();
    auto *page = qobject_cast<RanksPage *>(window.view(QStringLiteral("ranks")));
    const double before = anonymousMemory();
    const auto began = Clock::now();
    LaunchOptions options;
    options.open.files = files;
    window.launch(options);
    const auto &traces = window.session()->traces();
    const auto isKnown = [&] {
        if (traces.members().empty())
            return false;
        window.showPage(QStringLiteral("ranks"));
        const auto rows = static_cast<size_t>(page->map()->data().rows);
        return rows == traces.members().size() && page->isVisible() &&
               std::ranges::all_of(page->rows(), [](const RankRow &row) { return row.facts != nullptr; }) &&
               page->grid()->data().cells.size() >= rows;
    };
    while (!isKnown())
        QApplication::processEvents(QEventLoop::AllEvents | QEventLoop::WaitForMoreEvents, 20);
    window.picture();
    fmt::print("{} ranks: grid and heat map after {:.0f} ms, {} of them loaded\n", traces.members().size(),
               msSince(began), traces.size());
    while (!window.settled() || !window.controller()->idle())
        QApplication::processEvents(QEventLoop::AllEvents | QEventLoop::WaitForMoreEvents, 20);
    fmt::print("  all at rest after {:.0f} ms; anonymous memory {:.0f} MB, {:.0f} MB more than before; large arrays "
               "{:.0f} MB\n",
               msSince(began), anonymousMemory(), anonymousMemory() - before, static_cast<double>(memoryInUse()) / 1e6);
    window.bringForward(QStringLiteral("operators"));
    while (!window.settled())
        QApplication::processEvents(QEventLoop::AllEvents | QEventLoop::WaitForMoreEvents, 20);
    fmt::print("  with the table of operators of all ranks: {:.0f} MB\n", anonymousMemory());
}

void paintLargeRun(size_t ranks, size_t steps)
{
    std::vector<std::shared_ptr<const RankFacts>> facts;
    for (size_t rank = 0; rank < ranks; ++rank) {
        std::vector<StepFigures> rows;
        for (size_t step = 0; step < steps; ++step) {
            StepFigures row = unknownStepFigures();
            row.number = static_cast<int64_t>(step);
            row.start = static_cast<Ns>(step) * 1'000'000;
            row.duration = 900'000 + static_cast<Ns>((rank * 7919 + step * 104'729) % 100'000);
            row.exposed = 50'000;
            row.missing = 0;
            row.device = 0;
            rows.push_back(row);
        }
        auto one = std::make_shared<RankFacts>();
        one->steps = stepFigureTable(rows);
        facts.push_back(std::move(one));
    }
    const auto began = Clock::now();
    const StepGrid grid(std::move(facts));
    const double gridMs = msSince(began);
    const auto computed = Clock::now();
    const RankFigures figures = rankFigures(grid, *findStepFigure("own_work_ns"), true);
    const double figuresMs = msSince(computed);
    HeatMap map;
    map.resize(1500, 900);
    HeatMapData data;
    data.rows = static_cast<int>(ranks);
    data.columns = static_cast<int>(steps);
    data.values = figures.values;
    data.low = figures.low;
    data.high = figures.high;
    data.rowName = [](int row) { return QStringLiteral("Rank %1").arg(row); };
    data.columnName = [](int column) { return QString::number(column); };
    data.valueText = [](int64_t value) { return QString::number(value); };
    data.describe = [](int, int) { return QStringList{QStringLiteral("cell")}; };
    const auto set = Clock::now();
    map.setData(std::move(data));
    map.show();
    QApplication::processEvents();
    const double firstMs = msSince(set);
    double slowest = 0;
    for (int at = 0; at < 50; ++at) {
        const auto moved = Clock::now();
        QKeyEvent key(QEvent::KeyPress, at % 2 ? Qt::Key_Down : Qt::Key_Right, Qt::NoModifier);
        QApplication::sendEvent(&map, &key);
        map.repaint();
        slowest = std::max(slowest, msSince(moved));
    }
    fmt::print("{} ranks × {} steps: steps {:.0f} ms, one figure {:.0f} ms (both on workers); first picture {:.0f} ms, "
               "slowest of 50 moves of the current cell {:.1f} ms\n",
               ranks, steps, gridMs, figuresMs, firstMs, slowest);
}

} // namespace

int main(int argc, char **argv)
{
    CLI::App app("Measures the page of ranks, with files and with a large generated run");
    std::vector<std::string> files;
    size_t ranks = 4096, steps = 1000;
    app.add_option("FILE", files, "Traces or folders to open; those that were opened before have stores");
    app.add_option("--ranks", ranks, "Ranks of the generated run; 0 for none")->capture_default_str();
    app.add_option("--steps", steps, "Steps of each of them")->capture_default_str();
    CLI11_PARSE(app, argc, argv);
    qputenv("QT_QPA_PLATFORM", "offscreen");
    int qtArguments = 1;
    QApplication application(qtArguments, argv);
    Q_INIT_RESOURCE(resources);
    applyTheme(ThemeKind::Light);
    QStringList paths;
    for (const std::string &file : files)
        paths += QString::fromStdString(file);
    if (!paths.isEmpty())
        openRun(paths);
    if (ranks > 0 && steps > 0)
        paintLargeRun(ranks, steps);
    return EXIT_SUCCESS;
}
