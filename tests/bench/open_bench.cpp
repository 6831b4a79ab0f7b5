// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0

// Measures the time from the start of a process to the window's first picture of a trace, read from its file and from
// its store.

#include "app/session/settings.h"
#include "app/window/main_window.h"
#include "model/ingest/importer.h"
#include "model/ingest/stored_trace.h"
#include "tests/support/frame_times.h"
#include "tests/support/source_path.h"

#include <QApplication>
#include <QTemporaryDir>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <sys/wait.h>
#include <unistd.h>

using namespace riffle;
namespace fs = std::filesystem;

namespace {

/// Ends the process once the lanes have been painted with a trace in them.
class EndAtFirstPicture : public QObject {
public:
    explicit EndAtFirstPicture(MainWindow &window) : m_window(window) {}
    bool eventFilter(QObject *watched, QEvent *event) override
    {
        if (event->type() == QEvent::UpdateRequest && !m_window.session()->traces().empty()) {
            watched->event(event); // paints the window
            std::_Exit(0);
        }
        return false;
    }

private:
    MainWindow &m_window;
};

int showWindow(int argc, char **argv, const std::string &trace, bool useStore)
{
    QApplication app(argc, argv);
    QTemporaryDir folder;
    Settings settings(folder.filePath(QStringLiteral("settings.ini")));
    applyTheme(ThemeKind::Light);
    MainWindow window(&settings);
    window.resize(1920, 1080);
    LaunchOptions options;
    options.open.files = {QString::fromStdString(trace)};
    options.open.useStore = useStore;
    EndAtFirstPicture end(window);
    window.installEventFilter(&end);
    window.launch(options);
    window.show();
    return QApplication::exec();
}

/// Runs this program again as a viewer; false if it did not end properly.
bool runViewer(const char *self, const std::string &trace, bool useStore)
{
    const pid_t child = fork();
    if (child == 0) {
        execl(self, self, "--show", trace.c_str(), useStore ? "--store" : nullptr, nullptr);
        _exit(1);
    }
    int status = 0;
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/// Drops a file from the system's page cache.
void forget(const fs::path &path)
{
    const int file = ::open(path.c_str(), O_RDONLY);
    if (file < 0)
        return;
    ::fsync(file);
    posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
    ::close(file);
}

void report(const char *self, const std::string &trace, const fs::path &stores)
{
    fs::remove_all(stores);
    const auto identity = SourceIdentity::of(trace);
    const auto imported = importTrace(trace, {}, {});
    if (!identity || !imported || !storeTrace(StoreFolder(stores.string()), **imported, trace, *identity, {})) {
        fmt::print("{}: The trace cannot be read, or its store cannot be written.\n", trace);
        return;
    }
    fmt::print("{}, {:.2f} GB, {:.1f} M slices\n", fs::path(trace).filename().string(),
               static_cast<double>(fs::file_size(trace)) / 1e9, static_cast<double>((*imported)->sliceCount()) / 1e6);
    bool good = true;
    const auto measure = [&](const char *name, int runs, bool useStore, bool cold) {
        bench::FrameTimes times;
        for (int i = 0; i < runs; ++i) {
            if (cold)
                for (const auto &entry : fs::directory_iterator(stores))
                    forget(entry.path());
            times.measure([&] { good &= runViewer(self, trace, useStore); });
        }
        fmt::print("  {}", times.row(name));
        std::fflush(stdout);
    };
    measure("from its file", 3, false, false);
    measure("from its store", 9, true, false);
    measure("from its store, cold", 3, true, true);
    if (!good)
        fmt::print("  a viewer failed\n");
}

} // namespace

int main(int argc, char **argv)
{
    CLI::App app("Measures the time from the start of the viewer to its first picture of a trace");
    std::vector<std::string> traces;
    std::string show;
    bool useStore = false;
    std::string folder = (fs::temp_directory_path() / "riffle-bench" / "open").string();
    app.add_option("TRACE", traces, "Traces to open (plain, gzip or zstd)");
    app.add_option("--folder", folder, "Folder for the stores")->capture_default_str();
    app.add_option("--show", show)->group("");
    app.add_flag("--store", useStore)->group("");
    CLI11_PARSE(app, argc, argv);
    Q_INIT_RESOURCE(resources);
    if (!show.empty())
        return showWindow(argc, argv, show, useStore);

    setenv("RIFFLE_CACHE", folder.c_str(), 1);
    if (traces.empty())
        traces.push_back(test::sourcePath("resources/sample/generated_rank0.pt.trace.json.gz"));
    for (const std::string &trace : traces)
        report("/proc/self/exe", trace, folder);
    return 0;
}
