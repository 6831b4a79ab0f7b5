// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/main_window.h"
#include "model/analysis/step_lookup.h"
#include "views/common/theme.h"
#include "views/timeline/navigation.h"
#include "views/timeline/timeline_view.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QTemporaryDir>
#include <QTimer>

#include <CLI/CLI.hpp>

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

namespace {

using namespace riffle;

constexpr int kPictureLimitMs = 120'000;

struct RawOptions {
    std::vector<std::string> files;
    std::string range, steps, view, select, screenshot, size, theme;
    bool noStore = false;
};

void declare(CLI::App &app, RawOptions &raw)
{
    app.add_option("TRACE", raw.files, "Traces to open, one per rank: Chrome trace JSON, plain, gzip or zstd; or a .riffle session");
    app.add_option("--range", raw.range, "Read only what lies between two times after the first event, as in 1.5ms:2s");
    app.add_option("--steps", raw.steps, "Read only these steps, as in 3 or 3:5");
    app.add_option("--view", raw.view, "Show this range at first, as in 1.5ms:2s");
    app.add_option("--select", raw.select, "Select the first slice of that name, or NAME@TIME: the one that starts then");
    app.add_flag("--no-store", raw.noStore, "Neither use nor write the stored copies of traces");
    app.add_option("--screenshot", raw.screenshot, "Write a picture of the window (PNG) and end");
    app.add_option("--size", raw.size, "Size of the window, as in 1920x1080");
    app.add_option("--theme", raw.theme, "light or dark")->check(CLI::IsMember({"light", "dark"}));
    app.set_version_flag("--version", std::string("riffle ") + RIFFLE_VERSION);
}

Result<LaunchOptions> understood(const RawOptions &raw)
{
    LaunchOptions options;
    for (const std::string &file : raw.files)
        options.open.files += QString::fromStdString(file);
    options.open.useStore = !raw.noStore;
    options.place.select = QString::fromStdString(raw.select);
    options.screenshot = QString::fromStdString(raw.screenshot);
    for (const auto &[text, target] : {std::pair(&raw.range, &options.open.range), std::pair(&raw.view, &options.place.view)}) {
        if (text->empty())
            continue;
        const Result<TimeSpan> span = parseRange(*text);
        if (!span)
            return span.error();
        *target = *span;
    }
    if (!raw.steps.empty()) {
        const Result<TimeSpan> steps = parseSteps(raw.steps);
        if (!steps)
            return steps.error();
        options.open.steps = *steps;
    }
    if (!raw.size.empty()) {
        int width = 0, height = 0;
        char rest = 0;
        if (std::sscanf(raw.size.c_str(), "%dx%d%c", &width, &height, &rest) != 2 || width < 200 || height < 150
            || width > 16384 || height > 16384)
            return Error{"'" + raw.size + "' is no size: write it as in 1920x1080", {}, {}};
        options.size = QSize(width, height);
    }
    if (!raw.theme.empty())
        options.theme = raw.theme == "dark" ? ThemeKind::Dark : ThemeKind::Light;
    return options;
}

/// Waits until everything is drawn, then saves the picture and ends.
void takePicture(MainWindow &window, const QString &path, bool expectsTrace)
{
    auto *timer = new QTimer(&window);
    auto clock = QElapsedTimer();
    clock.start();
    QObject::connect(timer, &QTimer::timeout, &window, [&window, path, expectsTrace, clock, calm = 0]() mutable {
        calm = window.settled() ? calm + 1 : 0;
        if (calm < 4 && clock.elapsed() < kPictureLimitMs)
            return;
        const bool opened = !expectsTrace || !window.session()->traces().empty();
        if (!opened)
            std::fprintf(stderr, "riffle: %s\n", qUtf8Printable(window.noticeText()));
        const bool saved = window.picture().save(path, "PNG");
        if (!saved)
            std::fprintf(stderr, "riffle: %s could not be written\n", qUtf8Printable(path));
        QApplication::exit(opened && saved ? 0 : 1);
    });
    timer->start(30);
}

} // namespace

int main(int argc, char **argv)
{
    RawOptions raw;
    CLI::App cli("Riffle: a viewer for traces of GPU training", "riffle");
    declare(cli, raw);
    try {
        cli.parse(argc, argv);
    } catch (const CLI::ParseError &problem) {
        return cli.exit(problem) == 0 ? 0 : 2;
    }
    const Result<LaunchOptions> options = understood(raw);
    if (!options) {
        std::fprintf(stderr, "riffle: %s\n", options.error().text().c_str());
        return 2;
    }
    const bool picture = !options->screenshot.isEmpty();
    if (picture && qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM"))
        qputenv("QT_QPA_PLATFORM", "offscreen");

    QApplication app(argc, argv);
    QApplication::setApplicationName(QStringLiteral("riffle"));
    QApplication::setApplicationVersion(QStringLiteral(RIFFLE_VERSION));
    Q_INIT_RESOURCE(resources);
    // A picture looks the same for everybody: nobody's settings, and none are left behind.
    QTemporaryDir nowhere;
    const auto settings = picture ? std::make_unique<Settings>(nowhere.filePath(QStringLiteral("settings.ini")))
                                  : std::make_unique<Settings>();
    const ThemeKind desktop = systemTheme();
    applyTheme(options->theme.value_or(settings->theme().value_or(desktop)));
    MainWindow window(settings.get());
    if (options->size.isValid())
        window.resize(options->size);
    window.timeline()->navigation().setAnimated(!picture);
    window.launch(*options);
    window.show();
    if (picture)
        takePicture(window, options->screenshot, !options->open.files.isEmpty());
    return QApplication::exec();
}
