// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
// The end of riffle-cli record, when the job has ended.
#include "app/cli/record_end.h"

#include "app/cli/window.h"
#include "collector/client/detached.h"
#include "collector/client/job.h"
#include "collector/client/log_summary.h"
#include "model/base/format.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

namespace riffle::cli {

namespace fs = std::filesystem;

namespace {

constexpr auto kVerdictTime = std::chrono::seconds(10);
constexpr uint64_t kVerdictEvents = 20'000'000; ///< a verdict on this many events takes some seconds
constexpr uint64_t kVerdictBytes = 1 << 30;     ///< the same for Kineto's traces, which are text
constexpr size_t kNamedExports = 16;
constexpr size_t kNamedPaths = 4; ///< with more paths, commands name all files of the folder

bool isDump(const std::string &log) { return fs::path(log).filename().string().find("_dump") != std::string::npos; }

/// The files that are opened together, one per process. Kineto's traces contain more than the logs beside them. A dump
/// repeats what its log contains, but stands for it if the log is gone.
std::vector<std::string> filesToOpen(const RecordedFiles &files)
{
    if (!files.traces.empty())
        return files.traces;
    std::vector<std::string> logs;
    for (const std::string &log : files.logs)
        if (!isDump(log) && record::summarize(log).events > 0)
            logs.push_back(log);
    return logs.empty() ? files.logs : logs;
}

/// A word of a command as a shell needs it.
std::string shellWord(const std::string &text)
{
    const auto isPlain = [](char letter) {
        return std::isalnum(static_cast<unsigned char>(letter)) ||
               std::string_view("_-./:+,@%=").find(letter) != std::string_view::npos;
    };
    if (std::ranges::all_of(text, isPlain))
        return text;
    std::string quoted = "'";
    for (const char letter : text)
        quoted += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
    return quoted + "'";
}

/// The paths as arguments of a command. Many paths become a pattern if it matches exactly these files.
std::string argumentsFor(const std::vector<std::string> &paths)
{
    const fs::path first(paths.front());
    size_t alike = 0;
    std::error_code error;
    for (const auto &entry : fs::directory_iterator(first.parent_path(), error))
        alike += entry.path().extension() == first.extension();
    if (paths.size() > kNamedPaths && alike == paths.size())
        return shellWord(first.parent_path().string() + "/") + "*" + first.extension().string();
    std::string text;
    for (const std::string &path : paths)
        text += (text.empty() ? "" : " ") + shellWord(path);
    return text;
}

bool isTooLarge(const std::vector<std::string> &paths, bool areLogs)
{
    uint64_t amount = 0;
    std::error_code error;
    for (const std::string &path : paths)
        amount += areLogs ? record::summarize(path).events : fs::file_size(path, error);
    return amount > (areLogs ? kVerdictEvents : kVerdictBytes);
}

/// Runs `riffle verdict`. Returns why there is no verdict; an empty text if it was printed.
std::string runVerdictOn(const std::vector<std::string> &paths)
{
    std::vector<std::string> command{"/proc/self/exe", "verdict", "--stderr", "--no-store"};
    command.insert(command.end(), paths.begin(), paths.end());
    const auto end = std::chrono::steady_clock::now() + kVerdictTime;
    const record::JobEnd ended = record::runJob(
        command, {}, [&] { return std::chrono::steady_clock::now() > end; }, 0);
    if (!ended.error.empty())
        return ended.error;
    if (ended.ended)
        return fmt::format("The verdict was not ready after {} s.", kVerdictTime.count());
    return ended.code == 0 || ended.code == 3 ? std::string() : "There is no verdict."; // 3: some events were lost
}

} // namespace

void sayLine(const std::string &text) { std::fputs((text + "\n").c_str(), stderr); }

void printLogs(const std::vector<std::string> &logs)
{
    sayLine(fmt::format("\n{:>12} {:>12} {:>10}  {}", "SIZE", "EVENTS", "DROPPED", "LOG"));
    for (const std::string &path : logs) {
        const record::LogSummary log = record::summarize(path);
        const char *note = log.damaged    ? "  (cut off: the process was killed)"
                           : log.closed   ? ""
                           : isDump(path) ? "  (dump)"
                                          : "  (not closed: the process was killed or is still running)";
        sayLine(fmt::format("{:>12} {:>12} {:>10}  {}{}", formatBytes(static_cast<int64_t>(log.bytes)),
                            formatCount(static_cast<int64_t>(log.events)),
                            formatCount(static_cast<int64_t>(log.dropped)), path, note));
    }
}

void printExported(const std::vector<std::string> &paths)
{
    if (!paths.empty())
        sayLine(fmt::format("\n{:>12}  {}", "SIZE", "WRITTEN FOR THE PROGRAM"));
    for (size_t at = 0; at < std::min(paths.size(), kNamedExports); ++at) {
        std::error_code error;
        const uint64_t bytes = fs::file_size(paths[at], error);
        sayLine(fmt::format("{:>12}  {}{}", error ? "" : formatBytes(static_cast<int64_t>(bytes)), paths[at],
                            error ? "  (removed or moved since)" : ""));
    }
    if (paths.size() > kNamedExports)
        sayLine(fmt::format("{:>12}  {} more", "", paths.size() - kNamedExports));
}

void printVerdict(const RecordedFiles &files)
{
    const std::vector<std::string> paths = filesToOpen(files);
    if (paths.empty())
        return;
    sayLine("");
    const bool isLarge = isTooLarge(paths, files.traces.empty());
    const std::string missing =
        isLarge ? "The recording is large, so its verdict was not made here." : runVerdictOn(paths);
    const std::string arguments = argumentsFor(paths);
    if (!missing.empty())
        sayLine(missing + " To get it: riffle verdict " + arguments);
    sayLine((windowProgram().empty() ? "To open it: riffle summary " : "To open it: riffle ") + arguments);
}

void openRecording(const RecordedFiles &files)
{
    const std::vector<std::string> paths = filesToOpen(files);
    if (paths.empty())
        return;
    const std::string window = windowProgram();
    if (window.empty()) {
        sayLine("riffle: Riffle's window is not installed, so the recording was not opened.");
        return;
    }
    if (!record::hasDisplay([](const char *name) -> const char * { return std::getenv(name); })) {
        sayLine("riffle: There is no display here, so the recording was not opened.");
        return;
    }
    std::vector<std::string> command{window};
    command.insert(command.end(), paths.begin(), paths.end());
    if (const std::string error = record::startDetached(command); !error.empty())
        sayLine("riffle: " + error);
}

} // namespace riffle::cli
