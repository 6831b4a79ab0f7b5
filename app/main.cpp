// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/window/main_window.h"
#include "app/window/picture_taker.h"
#include "model/ingest/importers.h"
#include "views/common/look/theme.h"
#include "views/timeline/navigation.h"
#include "views/timeline/timeline_view.h"

#include <QApplication>
#include <QDir>
#include <QFontDatabase>
#include <QLoggingCategory>
#include <QScreen>
#include <QStyle>
#include <QTemporaryDir>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>

namespace {

using namespace riffle;

void declare(CLI::App &app, RawLaunchOptions &raw)
{
    CLI::Option *files = app.add_option(
        "TRACE", raw.files,
        "Traces to open, one per rank: Chrome trace JSON or Perfetto traces (plain, gzip or zstd); collector logs; "
        "snapshots of PyTorch's CUDA memory (pickle or memory_viz page); memory timelines from "
        "torch.profiler; InternEvo memory logs or their folders; .riffle sessions and .rifflepack packages. "
        "A folder or an archive (zip, tar, tar.gz, tar.zst) stands for all of these in it, a pattern with *, **, ? or "
        "[...] for what it matches, and - for standard input");
    app.add_option_function<std::string>(
           "--logdir", [files](const std::string &folder) { files->add_result(folder); },
           "A folder with the traces of a job, as for TensorBoard")
        ->type_name("FOLDER")
        ->trigger_on_parse();
    app.add_option("--range", raw.range,
                   "Read only the part between two times after the first event, for example 1.5ms:2s");
    app.add_option("--steps", raw.steps, "Read only these steps, for example 3 or 3:5");
    app.add_option("--view", raw.view, "Show this range first, for example 1.5ms:2s");
    app.add_option("--select", raw.select,
                   "Select the first slice with this name; NAME@TIME selects the one that starts at that time");
    app.add_option("--show", raw.show,
                   "Show this page or table: overview, timeline, compare, snapshot, memory-logs, operators, kernels …");
    app.add_flag("--no-store", raw.noStore, "Neither use nor write the cache of opened files");
    app.add_option("--screenshot", raw.screenshot, "Write a picture of the window (PNG) and exit");
    app.add_option("--size", raw.size, "Window size, for example 1920x1080");
    app.add_option("--theme", raw.theme, "light or dark")->check(CLI::IsMember({"light", "dark"}));
    app.set_version_flag("--version", std::string("riffle ") + RIFFLE_VERSION);
}

/// Warns about options that apply to traces when only memory files are opened.
void complainOfTraceOptions(const RawLaunchOptions &raw)
{
    std::string given;
    for (const auto &[text, name] :
         {std::pair(&raw.range, "--range"), {&raw.steps, "--steps"}, {&raw.view, "--view"}, {&raw.select, "--select"}})
        if (!text->empty())
            given += (given.empty() ? "" : ", ") + std::string(name);
    if (!given.empty() && !raw.files.empty() &&
        std::all_of(raw.files.begin(), raw.files.end(),
                    [](const std::string &path) { return importerOf(path).kind != FileKind::Trace; }))
        std::fprintf(stderr, "riffle: Ignored because no trace is opened: %s.\n", given.c_str());
}

/// Adds the fonts in $RIFFLE_FONTS, a folder that the wheel's launcher names if the system has no fonts.
void provideFonts()
{
    if (qEnvironmentVariableIsEmpty("RIFFLE_FONTS"))
        return;
    const QDir folder(qEnvironmentVariable("RIFFLE_FONTS"));
    for (const QFileInfo &font : folder.entryInfoList({QStringLiteral("*.ttf")}))
        QFontDatabase::addApplicationFont(font.filePath());
}

} // namespace

int main(int argc, char **argv)
{
    RawLaunchOptions raw;
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
    complainOfTraceOptions(raw);
    const bool picture = !options->screenshot.isEmpty();
    if (picture && qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM"))
        qputenv("QT_QPA_PLATFORM", "offscreen");

    if (picture &&
        qgetenv("QT_QPA_PLATFORM") == "offscreen") // which warns: "This plugin does not support propagateSizeHints()"
        QLoggingCategory::setFilterRules(QStringLiteral("default.warning=false"));
    QApplication app(argc, argv);
    QApplication::setApplicationName(QStringLiteral("riffle"));
    QApplication::setApplicationVersion(QStringLiteral(RIFFLE_VERSION));
    Q_INIT_RESOURCE(resources);
    provideFonts();
    // A picture must look the same for every user, so it neither uses nor changes the user's settings.
    QTemporaryDir nowhere;
    const auto settings = picture ? std::make_unique<Settings>(nowhere.filePath(QStringLiteral("settings.ini")))
                                  : std::make_unique<Settings>();
    // Before the theme replaces the desktop's style, which animates nothing if the user wants less motion.
    const ThemeKind desktop = systemTheme();
    const bool moves = QApplication::style()->styleHint(QStyle::SH_Widget_Animation_Duration) > 0;
    applyTheme(options->theme.value_or(settings->theme().value_or(desktop)));
    MainWindow window(settings.get());
    if (options->size.isValid())
        window.resize(options->size);
    else if (!picture) { // nothing may be beyond the edge of a small screen
        const QSize frame(0, QApplication::style()->pixelMetric(QStyle::PM_TitleBarHeight));
        window.resize(window.size().boundedTo(window.screen()->availableSize() - frame));
    }
    window.timeline()->navigation().setAnimated(!picture && moves);
    PictureTaker taker(&window, *options);
    QObject::connect(&taker, &PictureTaker::finished, &app, &QApplication::exit, Qt::QueuedConnection);
    window.launch(*options);
    window.show();
    if (picture)
        taker.start();
    return QApplication::exec();
}
