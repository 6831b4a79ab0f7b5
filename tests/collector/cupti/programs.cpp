// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0

// Runs one random program under the collector, with the stand-in for CUPTI, and writes what it did.
//
// Usage: cupti_programs SEED FOLDER
// The logs are in FOLDER/1 (and FOLDER/2, if the program records twice), the truth is in FOLDER/truth.tsv.
#include "riffle/collector.h"
#include "tests/collector/cupti/standin.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <random>
#include <thread>

using namespace riffle::standin;

extern "C" int cuInit(unsigned);

namespace {

using Random = std::mt19937_64;

bool chance(Random &random, int percent) { return static_cast<int>(random() % 100) < percent; }
int64_t between(Random &random, int64_t least, int64_t most)
{
    return least + static_cast<int64_t>(random() % static_cast<uint64_t>(most - least + 1));
}
void rest(int64_t microseconds) { std::this_thread::sleep_for(std::chrono::microseconds(microseconds)); }

std::FILE *g_truth = nullptr;
std::atomic<bool> g_over{false};

std::mutex g_mutex; ///< guards the members below
std::vector<Stream> g_streams;
std::vector<uint32_t> g_contexts, g_graphs;
bool g_isHeld = false;

/// Calls a function of the collector and notes when; `what` is its name.
void control(const char *what, int (*call)())
{
    const int64_t before = now();
    const int code = call();
    if (code != RIFFLE_OK) {
        std::fprintf(stderr, "%s: %s\n", what, riffle_last_error());
        std::exit(1);
    }
    std::fprintf(g_truth, "control\t%s\t%lld\t%lld\n", what, static_cast<long long>(before),
                 static_cast<long long>(now()));
}

void create(Random &random)
{
    std::scoped_lock lock(g_mutex);
    if (g_contexts.empty() || (g_contexts.size() < 5 && chance(random, 20)))
        g_contexts.push_back(makeContext(static_cast<uint32_t>(random() % 2)));
    if (g_streams.size() < 15)
        g_streams.push_back(makeStream(g_contexts[random() % g_contexts.size()]));
    if (g_graphs.size() < 4)
        g_graphs.push_back(capture(static_cast<uint32_t>(between(random, 1, 12))));
}

/// A thread of the program.
void act(uint64_t seed)
{
    Random random(seed);
    while (!g_over) {
        Stream on{};
        uint32_t graph = 0;
        {
            std::scoped_lock lock(g_mutex);
            on = g_streams[random() % g_streams.size()];
            graph = g_graphs[random() % g_graphs.size()];
        }
        const int64_t duration =
            random() % 200 == 0 ? between(random, 1'000'000, 40'000'000) : between(random, 500, 30'000);
        switch (random() % 10) {
        case 0: copy(on, duration); break;
        case 1: set(on, duration); break;
        case 2: copyToPeer(on, duration); break;
        case 3: replay(graph, on, duration); break;
        case 4: synchronize(on, 3'000'000); break;
        case 5:
            if (chance(random, 20))
                create(random);
            else if (chance(random, 20))
                failToLaunch();
            else
                launchKernel(on, duration);
            break;
        default: launchKernel(on, duration); break;
        }
        if (chance(random, 80))
            rest(between(random, 20, 1'000));
    }
}

Setup setupOf(uint64_t seed, Random &random)
{
    constexpr uint32_t versions[] = {22, 26, 28, 130001, 130101, 130500};
    Setup setup;
    setup.seed = seed;
    setup.version = versions[random() % std::size(versions)];
    setup.perThread = setup.version >= 130000 || chance(random, 20);
    setup.takesClock = !chance(random, 30);
    setup.slew = chance(random, 50) ? 0 : static_cast<double>(between(random, -5, 5)) / 1000;
    if (chance(random, 30)) {
        setup.setAfter = between(random, 0, 150'000'000);
        setup.setBy = between(random, 2, 3'600) * 1'000'000'000;
        setup.slew = 0; // how fast it runs just before it is set cannot be known
    }
    setup.deviceError = between(random, 0, 20'000);
    setup.lateness = chance(random, 30) ? 0 : between(random, 1'000'000, 30'000'000);
    setup.capacity = size_t{1} << between(random, 10, 16);
    setup.firstCorrelation = chance(random, 40) ? UINT32_MAX - static_cast<uint32_t>(random() % 300) : 1;
    setup.earlierDrops = chance(random, 30) ? random() % 50 : 0;
    setup.timeless = chance(random, 20) ? 0.02 : 0;
    setup.kept = chance(random, 5) ? 0.2 : 0;
    setup.nested = chance(random, 30);
    setup.apart = chance(random, 50);
    return setup;
}

/// Records for a while and switches the recording at random points.
void record(const std::string &folder, Random &random, bool wholeGraphs, bool scarce)
{
    std::filesystem::create_directories(folder);
    bool paused = chance(random, 20);
    static std::string options;
    hold(g_isHeld);
    const size_t kept = keptBuffers();
    options = "dir=" + folder + "\nsample_ms=0\ncontrol=0\ngraphs=" + (wholeGraphs ? "whole" : "nodes") +
              "\npaused=" + (paused ? "1" : "0") + (scarce ? "\nmemory_limit=33554432" : "");
    control(paused ? "start paused" : "start", [] { return riffle_start(options.c_str()); });
    control("flush", riffle_flush); // looks for CUPTI
    for (int64_t left = between(random, 4, 25); left > 0; --left) {
        rest(between(random, 100, 8'000));
        switch (random() % 8) {
        case 0:
        case 1:
        case 2:
            control(paused ? "resume" : "pause", paused ? riffle_resume : riffle_pause);
            paused = !paused;
            break;
        case 3: control("flush", riffle_flush); break;
        case 4:
            if (!chance(random, 30))
                break;
            control("yield", riffle_yield_cuda);
            rest(between(random, 0, 3'000));
            control("resume cuda", riffle_resume_cuda);
            break;
        case 5: // as a schedule of short steps does
            for (int cycle = chance(random, 10) ? 150 : 0; cycle > 0; --cycle) {
                control(paused ? "resume" : "pause", paused ? riffle_resume : riffle_pause);
                paused = !paused;
                rest(between(random, 0, 200));
            }
            break;
        default: break;
        }
    }
    control("stop", riffle_stop);
    std::fprintf(g_truth, "recorded\t%d\t%zu\n", g_isHeld, keptBuffers() - kept);
}

void write(const Setup &setup)
{
    std::fprintf(g_truth, "setup\t%u\t%lld\n", setup.version, static_cast<long long>(setup.deviceError));
    for (const Truth &truth : truths())
        std::fprintf(g_truth, "record\t%u\t%u\t%u\t%u\t%u\t%u\t%u\t%u\t%llu\t%lld\t%lld\t%lld\t%u\t%u\t%d\n",
                     truth.kind, truth.serial, truth.correlation, truth.thread, truth.device, truth.context,
                     truth.stream, truth.graph, static_cast<unsigned long long>(truth.node),
                     static_cast<long long>(truth.start), static_cast<long long>(truth.end),
                     static_cast<long long>(truth.made), truth.name, truth.result, static_cast<int>(truth.outcome));
}

} // namespace

int main(int count, char **arguments)
{
    if (count != 3)
        return 2;
    const uint64_t seed = std::strtoull(arguments[1], nullptr, 10);
    const std::string folder = arguments[2];
    g_truth = std::fopen((folder + "/truth.tsv").c_str(), "w");
    if (!g_truth)
        return 1;
    cuInit(0);
    Random random(seed);
    const Setup setup = setupOf(seed, random);
    begin(setup);
    for (int64_t made = between(random, 2, 5); made > 0; --made)
        create(random);
    std::vector<std::thread> threads;
    for (int64_t number = between(random, 1, 4); number > 0; --number)
        threads.emplace_back(act, random());
    rest(between(random, 0, 3'000)); // the recorder comes late, after graphs have been captured
    g_isHeld = chance(random, 5);
    const bool scarce = chance(random, 30), wholeGraphs = chance(random, 20);
    record(folder + "/1", random, wholeGraphs, scarce);
    rest(between(random, 0, 5'000));
    if (chance(random, 30)) {
        g_isHeld = false; // the other profiler is done
        record(folder + "/2", random, wholeGraphs, scarce);
    }
    g_over = true;
    for (std::thread &thread : threads)
        thread.join();
    finish();
    write(setup);
    return std::fclose(g_truth) == 0 ? 0 : 1;
}
