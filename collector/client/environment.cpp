// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/client/environment.h"

#include "collector/client/kineto_daemon.h"

#include <algorithm>
#include <filesystem>

namespace riffle::record {

namespace fs = std::filesystem;

namespace {

constexpr const char *kLibrary = "libriffle_collector.so";
constexpr const char *kKinetoSystemConfig = "/etc/libkineto.conf";

/// The numbers as "0,1,8-15": consecutive numbers become a range because the environment has little room.
std::string join(const std::vector<int> &numbers)
{
    std::string text;
    for (size_t first = 0, end = 0; first < numbers.size(); first = end) {
        for (end = first + 1; end < numbers.size() && numbers[end] == numbers[end - 1] + 1;)
            ++end;
        text.append(text.empty() ? "" : ",").append(std::to_string(numbers[first]));
        if (end - first > 1)
            text.append("-").append(std::to_string(numbers[end - 1]));
    }
    return text;
}

/// The options for riffle_start(), as lines.
std::string libraryOptions(const Settings &settings)
{
    std::string text = "dir=" + settings.folder + "\npreset=" + settings.preset;
    if (settings.keepSeconds)
        text += "\nkeep_seconds=" + std::to_string(settings.keepSeconds);
    if (settings.maxBytes)
        text += "\nmax_bytes=" + std::to_string(settings.maxBytes);
    if (!settings.ranks.empty())
        text += "\nranks=" + join(settings.ranks);
    if (settings.schedule)
        text += "\nschedule=" + settings.schedule->text();
    if (!settings.stepMark.empty())
        text += "\nstep_mark=" + settings.stepMark;
    if (settings.timeLimit)
        text += "\nmax_seconds=" + std::to_string(settings.timeLimit);
    if (!settings.dumpSignal.empty())
        text += "\ndump_signal=" + settings.dumpSignal;
    if (const auto &slow = settings.dumpSlowStep)
        text += slow->milliseconds ? "\ndump_slow_step_ms=" + std::to_string(slow->milliseconds)
                                   : "\ndump_slow_step_factor=" + slow->timesMedian;
    if (settings.kineto)
        text += "\ncupti=0";
    if (settings.shapes)
        text += "\nshapes=1";
    if (settings.modules)
        text += "\nmodules=1";
    if (settings.memoryHistory)
        text += "\nmemory_history=" + std::to_string(settings.memoryHistory);
    if (settings.stacks != StacksWay::None)
        text += "\nstacks=" + std::string(nameOf(settings.stacks));
    if (settings.quiet)
        text += "\nquiet=1";
    return text;
}

/// The options for the Python agent, as lines.
std::string agentOptions(const Settings &settings)
{
    std::string text = "operators=" + std::string(settings.preset == "light" ? "0" : "1");
    text += "\nshapes=" + std::string(settings.shapes ? "1" : "0");
    if (settings.schedule &&
        settings.stepMark.empty()) // otherwise PyTorch's ranges may be the marks, so operators must always be on
        text += "\nschedule=" + settings.schedule->text();
    if (!settings.ranks.empty())
        text += "\nranks=" + join(settings.ranks);
    if (settings.modules)
        text += "\nmodules=1";
    if (settings.stacks != StacksWay::None)
        text += "\nstacks=" + std::string(nameOf(settings.stacks));
    if (settings.memoryHistory)
        text += "\nmemory_history=" + std::to_string(settings.memoryHistory);
    if (settings.onOom)
        text += "\non_oom=1";
    if (settings.memoryHistory || settings.onOom)
        text += "\ndir=" + settings.folder;
    if (settings.insteadOfTorchProfiler) {
        std::string library = libraryOptions(settings);
        std::replace(library.begin(), library.end(), '\n', ';');
        text += "\ninstead=" + library;
    }
    return text;
}

/// Sets an injection variable to our library unless another tool has set it: only one library can be injected.
void inject(const char *name, const char *what, const std::string &library, const Lookup &lookup,
            Environment &environment)
{
    const char *other = lookup(name);
    if (!other || !*other || fs::path(other).filename() == kLibrary)
        environment.set[name] = library;
    else
        environment.notes.push_back(std::string(name) + " is already set to " + other + " and is left alone: " + what +
                                    ".");
}

/// Directs Kineto's polls to the folder `recorder`; the rest of its configuration stays.
void setKineto(const Settings &settings, const std::string &recorder, const Lookup &lookup, Environment &environment)
{
    if (const char *other = lookup("KINETO_IPC_SOCKET_DIR"); other && *other)
        environment.notes.push_back("KINETO_IPC_SOCKET_DIR was set to " + std::string(other) +
                                    ": the daemon there cannot reach this job.");
    environment.set["KINETO_USE_DAEMON"] = "1";
    environment.set["KINETO_IPC_SOCKET_DIR"] = recorder;
    environment.set["KINETO_ONDEMAND_TRACE_DIR"] = settings.folder;
    std::error_code failure;
    if (const char *config = lookup("KINETO_CONFIG");
        (!config || !*config) && !fs::exists(kKinetoSystemConfig, failure))
        environment.set["KINETO_CONFIG"] = recorder + "/" + kKinetoConfigFile;
}

} // namespace

std::string programFolder()
{
    std::error_code error;
    return fs::read_symlink("/proc/self/exe", error).parent_path().string();
}

bool findParts(const std::string &programFolder, const Lookup &lookup, Parts &parts, std::string &error)
{
    std::error_code failure;
    const fs::path folder(programFolder);
    std::vector<fs::path> places{folder / ".." / "lib", folder / ".." / "lib64", folder};
    for (fs::path &place : places)
        place /= kLibrary;
    if (const char *asked = lookup("RIFFLE_COLLECTOR"); asked && *asked)
        places = {fs::path(asked)};
    for (const fs::path &place : places)
        if (parts.library.empty() && fs::is_regular_file(place, failure))
            parts.library = fs::canonical(place, failure).string();
    if (parts.library.empty()) {
        error = "The collector " + std::string(kLibrary) + " was not found at " +
                places.front().lexically_normal().string() + ". Set RIFFLE_COLLECTOR to its path.";
        return false;
    }
    // An installed program is in bin/ beside share/; that of a wheel is in the package's own bin/.
    for (const fs::path &python : {folder / ".." / "share" / "riffle" / "python" / "riffle_profiler", folder / ".."})
        if (parts.python.empty() && fs::is_regular_file(python / "startup" / "sitecustomize.py", failure))
            parts.python = fs::canonical(python, failure).string();
    return true;
}

Environment jobEnvironment(const Settings &settings, const Parts &parts, const std::string &recorder,
                           const Lookup &lookup)
{
    Environment environment;
    if (settings.kineto)
        setKineto(settings, recorder, lookup, environment);
    else
        inject("CUDA_INJECTION64_PATH", "GPU work is not recorded", parts.library, lookup, environment);
    inject("NVTX_INJECTION64_PATH", "ranges and operators are not recorded", parts.library, lookup, environment);
    environment.set["RIFFLE_COLLECTOR"] = parts.library;
    if (!settings.insteadOfTorchProfiler) // otherwise each profile of the program starts a recording
        environment.set["RIFFLE_OPTIONS"] = libraryOptions(settings);
    environment.set["RIFFLE_RECORDER"] = recorder;
    if (parts.python.empty()) {
        environment.notes.push_back(
            "Riffle's Python part is not installed: PyTorch's operators, modules and memory are not recorded, and "
            "neither are steps unless the program marks them itself.");
        return environment;
    }
    environment.set["RIFFLE_AGENT"] = agentOptions(settings);
    if (!settings.compiledObserver.empty())
        environment.set["RIFFLE_COMPILED_OBSERVER"] = settings.compiledObserver;
    const char *path = lookup("PYTHONPATH");
    environment.set["PYTHONPATH"] = parts.python + "/startup" + (path && *path ? ":" + std::string(path) : "");
    return environment;
}

std::vector<std::string> observerCommand(const Settings &settings, const Parts &parts)
{
    if (settings.compiledObserver.empty() || settings.preset == "light" || parts.python.empty() ||
        settings.command.empty() || !fs::path(settings.command.front()).filename().string().starts_with("python"))
        return {};
    return {"/usr/bin/env", settings.command.front(), parts.python + "/_observer_build.py"};
}

} // namespace riffle::record
