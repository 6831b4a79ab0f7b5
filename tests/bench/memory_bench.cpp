// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0

// Measures how fast a memory snapshot becomes columns and allocations, and how much memory that takes, compared with
// Python's own unpickling.

#include "model/analysis/memory/allocator/fragmentation.h"
#include "model/analysis/memory/memory_replay.h"
#include "model/analysis/memory/stored_snapshot.h"
#include "model/ingest/cuda_snapshot/cuda_snapshot.h"
#include "tests/bench/memory_instants.h"
#include "tests/support/measured_child.h"
#include "tests/support/snapshot_generator.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <sys/resource.h>
#include <unistd.h>
#include <vector>

using namespace riffle;
using namespace riffle::bench;
namespace fs = std::filesystem;

namespace {

Measured load(const fs::path &path)
{
    Measured measured;
    const auto begin = std::chrono::steady_clock::now();
    const auto snapshot = readMemorySnapshot(path.string(), {}, {});
    if (!snapshot)
        return measured;
    measured.seconds2 = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    const MemoryReplay replay = replayMemory(**snapshot, {});
    measured.good = !(*snapshot)->damage && replay.devices.size() == 1;
    measured.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    measured.number = (*snapshot)->events.count();
    measured.endBytes = heldMemory();
    return measured;
}

double secondsOf(const std::function<void()> &body)
{
    const auto begin = std::chrono::steady_clock::now();
    body();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// Prints how long the allocator's state after random events and its figures over the whole history take.
void printAllocator(const fs::path &path)
{
    const auto snapshot = readMemorySnapshot(path.string(), {}, {});
    if (!snapshot)
        return;
    const SnapshotFacts facts(*snapshot);
    facts.alive(0);
    std::optional<AllocatorMap> map;
    const double made = secondsOf([&] { map.emplace(facts, 0, Task()); });
    std::mt19937_64 random(1);
    std::vector<double> times;
    size_t blocks = 0;
    for (int round = 0; round < 200; ++round)
        times.push_back(secondsOf(
            [&] { blocks += map->after(static_cast<uint32_t>(random() % map->device().events)).pieces.size(); }));
    std::sort(times.begin(), times.end());
    size_t samples = 0;
    const double series = secondsOf([&] { samples = allocatorSeries(*map, 4000, {}).samples.size(); });
    fmt::print("  allocator: prepared in {:.1f} ms; state after a random event {:.2f} ms, at most {:.2f} ms, {} blocks "
               "and holes; series of {} samples in {:.3f} s\n",
               made * 1e3, times[times.size() / 2] * 1e3, times.back() * 1e3, blocks / times.size(), samples, series);
}

/// Measures the second open, from the store that the first one has left.
Measured reopen(const StoreFolder &stores, const fs::path &path)
{
    Measured measured;
    const auto begin = std::chrono::steady_clock::now();
    const auto identity = SourceIdentity::of(path.string());
    const auto stored = identity ? openStoredSnapshot(stores, path.string(), *identity, {})
                                 : Result<std::shared_ptr<const SnapshotFacts>>(identity.error());
    measured.good = static_cast<bool>(stored);
    measured.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return measured;
}

void printReopened(const fs::path &path, int runs)
{
    const fs::path folder = fs::path(path).parent_path() / "stores";
    const StoreFolder stores(folder.string());
    const auto wrote = measureInChild(
        [&] {
            Measured measured;
            const auto identity = SourceIdentity::of(path.string());
            const auto snapshot = readMemorySnapshot(path.string(), {}, {});
            if (!identity || !snapshot)
                return measured;
            const SnapshotFacts facts(*snapshot);
            facts.replay();
            measured.seconds =
                secondsOf([&] { measured.good = static_cast<bool>(storeSnapshot(stores, facts, *identity, {})); });
            return measured;
        },
        Watch::Time);
    std::vector<double> times;
    for (int run = 0; run < runs; ++run)
        if (const auto one = measureInChild([&] { return reopen(stores, path); }, Watch::Time); one && one->good)
            times.push_back(one->seconds);
    std::sort(times.begin(), times.end());
    if (wrote && wrote->good && !times.empty())
        fmt::print("  store: written in {:.3f} s; opened again and fully checked in {:.1f} ms\n", wrote->seconds,
                   times[times.size() / 2] * 1e3);
    fs::remove_all(folder);
}

/// The processor time in seconds that child processes have used so far, which does not depend on the load by other
/// programs.
double processorSeconds()
{
    rusage usage{};
    getrusage(RUSAGE_CHILDREN, &usage);
    const auto seconds = [](const timeval &time) {
        return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
    };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

} // namespace

int main(int argc, char **argv)
{
    CLI::App app("Measures how fast memory snapshots are read");
    std::vector<double> millions{5, 16};
    std::vector<int> protocols{4, 5};
    std::string folder = (fs::temp_directory_path() / "riffle-bench").string();
    int runs = 3;
    bool python = false, annotated = false, instants = false;
    app.add_option("--entries", millions, "Entries in millions")->delimiter(',')->capture_default_str();
    app.add_option("--protocol", protocols, "Pickle protocols")->delimiter(',')->capture_default_str();
    app.add_option("--folder", folder, "Folder for the generated snapshots, which are kept for the next run")
        ->capture_default_str();
    app.add_option("--runs", runs, "Number of runs, of which the middle one counts")->capture_default_str();
    app.add_flag("--annotated", annotated, "Add compile context and user metadata, as later recorders write them");
    app.add_flag("--python", python, "Also measure Python's pickle.load");
    app.add_flag("--instants", instants,
                 "Also measure what is alive at an instant, and a history that ends with a million allocations");
    CLI11_PARSE(app, argc, argv);
    fs::create_directories(folder);
    for (const double count : millions) {
        for (const int protocol : protocols) {
            const fs::path path = fs::path(folder) / fmt::format("snapshot-{:g}M-{}{}.pickle", count, protocol,
                                                                 annotated ? "-annotated" : "");
            if (!fs::exists(path)) {
                std::FILE *file = std::fopen(path.c_str(), "wb");
                if (!file)
                    return EXIT_FAILURE;
                test::SnapshotOptions options;
                options.entries = static_cast<uint64_t>(count * 1e6);
                options.protocol = protocol;
                options.annotated = annotated;
                test::generateSnapshot(
                    options, [&](std::string_view bytes) { std::fwrite(bytes.data(), 1, bytes.size(), file); });
                std::fflush(file);
                ::fsync(::fileno(file));
                std::fclose(file);
            }
            const auto bytes = static_cast<double>(fs::file_size(path));
            std::vector<Measured> measured;
            const double before = processorSeconds();
            for (int run = 0; run < runs; ++run)
                if (const auto one = measureInChild([&] { return load(path); }, Watch::Time); one && one->good)
                    measured.push_back(*one);
            const double processor = (processorSeconds() - before) / runs;
            const auto watched = measureInChild([&] { return load(path); }, Watch::Memory);
            if (measured.empty() || !watched || !watched->good) {
                fmt::print("{} failed\n", path.string());
                return EXIT_FAILURE;
            }
            std::sort(measured.begin(), measured.end(),
                      [](const Measured &a, const Measured &b) { return a.seconds < b.seconds; });
            const Measured &middle = measured[measured.size() / 2];
            fmt::print("{:g} M entries, protocol {}: {:.0f} MB in {:.3f} s ({:.3f} s of them reading), {:.0f} MB/s; "
                       "processor {:.3f} s; peak {:.0f} MB, {:.2f} x, held {:.0f} MB\n",
                       count, protocol, bytes / 1e6, middle.seconds, middle.seconds2, bytes / 1e6 / middle.seconds,
                       processor, static_cast<double>(watched->peakBytes) / 1e6,
                       static_cast<double>(watched->peakBytes) / bytes, static_cast<double>(watched->endBytes) / 1e6);
            printReopened(path, runs);
            printAllocator(path);
            if (instants)
                if (const auto snapshot = readMemorySnapshot(path.string(), {}, {}))
                    printInstants(*snapshot, path.filename().string());
            std::fflush(stdout);
            if (python) {
                const std::string script = "import pickle,time,resource,sys; b=time.time(); "
                                           "pickle.load(open(sys.argv[1],'rb')); t=time.time()-b; "
                                           "print('  pickle.load: %.1f s, peak %.0f MB' % (t, "
                                           "resource.getrusage(resource.RUSAGE_SELF).ru_maxrss/1e3))";
                if (std::system(fmt::format("python3 -c \"{}\" '{}'", script, path.string()).c_str()) != 0)
                    fmt::print("  Python could not be run\n");
            }
        }
    }
    if (instants)
        for (const double count : millions)
            printInstants(manyAlive(static_cast<uint32_t>(count * 1e6), 1'000'000),
                          fmt::format("{:g} M entries, a million alive", count));
    return EXIT_SUCCESS;
}
