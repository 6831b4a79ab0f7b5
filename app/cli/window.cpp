// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/window.h"

#include "app/cli/command.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sstream>
#include <unistd.h>

namespace riffle::cli {

namespace fs = std::filesystem;

namespace {

constexpr const char *kWindow = "riffle-window";

/// Where the window may be: $RIFFLE_WINDOW alone if it is set, otherwise beside this program, in the package
/// riffle_profiler_window beside the package that contains this program, or in PATH.
std::vector<fs::path> windowPlaces()
{
    if (const char *asked = std::getenv("RIFFLE_WINDOW"); asked && *asked)
        return {asked};
    std::error_code error;
    const fs::path folder = fs::read_symlink("/proc/self/exe", error).parent_path();
    std::vector<fs::path> places;
    if (!folder.empty())
        places.push_back(folder / kWindow);
    if (const fs::path package = folder.parent_path(); package.filename() == "riffle_profiler")
        places.push_back(package.parent_path() / "riffle_profiler_window" / "bin" / kWindow);
    const char *path = std::getenv("PATH");
    std::istringstream folders(path ? path : "");
    for (std::string entry; std::getline(folders, entry, ':');)
        if (!entry.empty())
            places.push_back(fs::path(entry) / kWindow);
    return places;
}

/// True for a program other than this one, which would start itself for ever.
bool isOtherProgram(const fs::path &path)
{
    std::error_code error;
    return fs::is_regular_file(path, error) && access(path.c_str(), X_OK) == 0 &&
           !fs::equivalent(path, "/proc/self/exe", error);
}

} // namespace

Call Call::of(int argc, char **argv)
{
    const std::string name = argc > 0 ? fs::path(argv[0]).filename().string() : std::string();
    return {name == "riffle" ? name : "riffle-cli", std::vector<std::string>(argv + std::min(argc, 1), argv + argc)};
}

bool isForWindow(const Call &call, const std::vector<std::string> &commands)
{
    const bool isRiffle = call.name == "riffle";
    if (call.words.empty())
        return isRiffle;
    const std::string &first = call.words.front();
    if (std::find(commands.begin(), commands.end(), first) != commands.end())
        return false;
    if (first.starts_with('-'))
        return isRiffle && first != "-h" && first != "--help" && first != "--version";
    std::error_code error;
    return first.find_first_of("./:*?[") != std::string::npos || fs::exists(first, error);
}

std::string windowProgram()
{
    for (const fs::path &place : windowPlaces())
        if (isOtherProgram(place))
            return place.string();
    return {};
}

int becomeWindow(const Call &call, char **argv)
{
    if (const std::string window = windowProgram(); !window.empty()) {
        execv(window.c_str(), argv); // returns only if it failed
        fmt::print(stderr, "{}: The window {} cannot be started: {}.\n", call.name, window, std::strerror(errno));
        return Unreadable;
    }
    const char *asked = std::getenv("RIFFLE_WINDOW");
    if (asked && *asked) {
        fmt::print(stderr, "{}: RIFFLE_WINDOW names {}, which is not the window's program.\n", call.name, asked);
        return Unreadable;
    }
    fmt::print(
        stderr,
        "{}: The window, which opens traces, is not installed. Install the wheel riffle-profiler-window with pip, or "
        "build it with './dev open' in Riffle's source and put the folder of {} into PATH. '{} --help' lists what "
        "works without it.\n",
        call.name, kWindow, call.name);
    return Unreadable;
}

} // namespace riffle::cli
