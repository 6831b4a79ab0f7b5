// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0

// Measures what the collector costs the recorded program, compared with the cost of reading the clock alone.

#include "collector/src/clock.h"
#include "collector/src/log_writer.h"
#include "collector/src/sources/cupti_decoder.h"
#include "riffle/collector.h"
#include "tests/bench/loaded_collector.h"
#include "tests/support/archives.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <barrier>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <fstream>
#include <random>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {

using namespace riffle;
using Clock = std::chrono::steady_clock;

double seconds(Clock::duration time) { return std::chrono::duration<double>(time).count(); }

bench::LoadedCollector &loaded()
{
    static bench::LoadedCollector library(RIFFLE_COLLECTOR_LIBRARY);
    return library;
}

riffle_stats statistics()
{
    riffle_stats stats{};
    stats.size = sizeof(stats);
    loaded().getStats(&stats);
    return stats;
}

void start(const std::string &folder)
{
    if (loaded().start(("dir=" + folder + "\ncupti=0").c_str()) != RIFFLE_OK) {
        fmt::print(stderr, "{}\n", loaded().lastError());
        std::exit(1);
    }
}

/// The median of the values, because other programs may use the machine meanwhile.
double median(std::vector<double> values)
{
    std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2));
    return values[values.size() / 2];
}

/// The time in ns per push and pop, in bursts that fit the ring.
template <typename Push, typename Pop>
double pairCost(Push push, Pop pop, const char *name)
{
    constexpr int kBurst = 20'000, kBursts = 50;
    std::vector<double> costs;
    for (int burst = 0; burst < kBursts; ++burst) {
        const auto begin = Clock::now();
        for (int at = 0; at < kBurst; ++at) {
            push(name);
            pop();
        }
        costs.push_back(seconds(Clock::now() - begin) / kBurst * 1e9);
        std::this_thread::sleep_for(std::chrono::milliseconds(30));
    }
    return median(costs);
}

double clockCost()
{
    constexpr int kReads = 2'000'000;
    int64_t sum = 0;
    const auto begin = Clock::now();
    for (int at = 0; at < kReads; ++at)
        sum += collector::now();
    const double cost = seconds(Clock::now() - begin) / kReads * 1e9;
    return sum ? cost : 0;
}

void costOfRanges(const std::string &folder)
{
    using bench::LoadedCollector;
    const auto &library = loaded();
    const auto own = [&](const char *name) { return pairCost(library.rangePush, library.rangePop, name); };
    const auto nvtx = [&](const char *name) {
        return pairCost(LoadedCollector::nvtxPush, LoadedCollector::nvtxPop, name);
    };
    fmt::print("clock read twice (the floor)      {:7.1f} ns\n", 2 * clockCost());
    fmt::print("push + pop, not recording         {:7.1f} ns, through NVTX {:7.1f} ns\n", own("aten::addmm"),
               nvtx("aten::addmm"));
    start(folder);
    fmt::print("push + pop, recording             {:7.1f} ns, through NVTX {:7.1f} ns\n", own("aten::addmm"),
               nvtx("aten::addmm"));
    const char *operatorText = "aten::addmm, seq = 12, op_id = 345, sizes = [[10], [2, 3], [3, 10]]";
    fmt::print("push + pop, operator with shapes                through NVTX {:7.1f} ns\n", nvtx(operatorText));
    library.stop();
    fmt::print("  dropped {}\n", statistics().dropped);
}

double megabytes(uint64_t bytes) { return double(bytes) / (1 << 20); }

uint64_t residentBytes()
{
    std::ifstream file("/proc/self/statm");
    uint64_t all = 0, resident = 0;
    file >> all >> resident;
    return resident * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

double processorSeconds()
{
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return double(time.tv_sec) + double(time.tv_nsec) / 1e9;
}

/// The results of pushing and popping at a given rate on two threads.
struct Load {
    double seconds = 0, processor = 0;
    uint64_t mostResident = 0, mostBuffers = 0;
};

Load load(uint64_t rate, int length)
{
    const auto begin = Clock::now();
    const double processorBefore = processorSeconds();
    const auto work = [&](uint64_t perSecond) {
        for (uint64_t done = 0; done < perSecond * static_cast<uint64_t>(length);) {
            for (int at = 0; at < 100; ++at, ++done) {
                loaded().rangePush("aten::addmm");
                loaded().rangePop();
            }
            const auto due = begin + std::chrono::nanoseconds(done * 1'000'000'000 / perSecond);
            if (due > Clock::now() + std::chrono::microseconds(200))
                std::this_thread::sleep_until(due);
        }
    };
    std::thread one(work, rate / 2), other(work, rate - rate / 2);
    Load total;
    for (const auto end = begin + std::chrono::seconds(length); Clock::now() < end;
         std::this_thread::sleep_for(std::chrono::milliseconds(50))) {
        total.mostResident = std::max(total.mostResident, residentBytes());
        total.mostBuffers = std::max(total.mostBuffers, statistics().buffer_bytes);
    }
    one.join();
    other.join();
    total.seconds = seconds(Clock::now() - begin);
    total.processor = processorSeconds() - processorBefore;
    return total;
}

double stopMilliseconds()
{
    const auto begin = Clock::now();
    loaded().stop();
    return seconds(Clock::now() - begin) * 1e3;
}

void sustained(const std::string &folder, uint64_t rate, int length)
{
    const Load floor = load(rate, std::min(length, 3));
    const uint64_t resident = residentBytes();
    start(folder);
    const riffle_stats before = statistics();
    const Load total = load(rate, length);
    const double stop = stopMilliseconds();
    const riffle_stats after = statistics();
    const uint64_t events = after.events - before.events;
    fmt::print("sustained for {:.1f} s: {:.2f} million ranges per second, {} dropped, {:.2f} bytes per range, stop to "
               "complete file {:.1f} ms\n",
               total.seconds, double(events) / total.seconds / 1e6, after.dropped - before.dropped,
               double(after.bytes_written) / double(events), stop);
    fmt::print("  processor {:.0f} % of a core, not recording {:.0f} %; resident {:.1f} MiB at most, {:.1f} MiB "
               "before; {:.1f} MiB of buffers\n",
               100 * total.processor / total.seconds, 100 * floor.processor / floor.seconds,
               megabytes(total.mostResident), megabytes(resident), megabytes(total.mostBuffers));
}

/// Measures a stop directly after as many ranges as fit the rings.
void stopAfterBurst(const std::string &folder)
{
    constexpr int kThreads = 4, kBurst = 40'000;
    start(folder);
    const riffle_stats before = statistics();
    std::vector<std::thread> threads;
    std::barrier done(kThreads + 1);
    for (int thread = 0; thread < kThreads; ++thread)
        threads.emplace_back([&] {
            for (int at = 0; at < kBurst; ++at) {
                loaded().rangePush("aten::addmm");
                loaded().rangePop();
            }
            done.arrive_and_wait();
        });
    done.arrive_and_wait();
    const double stop = stopMilliseconds();
    for (std::thread &thread : threads)
        thread.join();
    const riffle_stats after = statistics();
    fmt::print("stop to complete file after a burst of {} ranges on {} threads: {:.1f} ms, {} dropped\n",
               kThreads * kBurst, kThreads, stop, after.dropped - before.dropped);
}

constexpr size_t kKernelBytes = 216; ///< size of a kernel record in CUDA 13

collector::cupti::Result nextKernel(uint8_t *buffer, size_t valid, void **record)
{
    uint8_t *next = *record ? static_cast<uint8_t *>(*record) + kKernelBytes : buffer;
    if (next + kKernelBytes > buffer + valid)
        return collector::cupti::kMaxLimitReached;
    *record = next;
    return collector::cupti::kSuccess;
}

void costOfKernels(const std::string &folder)
{
    constexpr size_t kRecords = 19'000, kBuffers = 100;
    std::vector<std::string> names;
    for (int at = 0; at < 40; ++at)
        names.push_back("_ZN2at6native29vectorized_elementwise_kernelILi" + std::to_string(at) + "EEEvi");
    std::vector<uint8_t> buffer(kRecords * kKernelBytes);
    collector::CuptiLibrary library;
    library.functions.nextRecord = nextKernel;
    collector::LogWriter log;
    if (!log.open({folder, "kernels", 0, 0}))
        return;
    collector::CuptiDecoder decoder(log, [](uint32_t) { return 0u; });
    decoder.use(&library);
    decoder.keepOnly({{INT64_MIN, INT64_MAX}});
    std::mt19937 random(7);
    uint64_t time = 1'000'000'000'000, correlation = 0;
    std::vector<double> costs;
    for (size_t round = 0; round < kBuffers; ++round) {
        for (size_t at = 0; at < kRecords; ++at) {
            collector::cupti::Kernel kernel{};
            kernel.kind = collector::cupti::kConcurrentKernel;
            kernel.start = time += 700 + random() % 300;
            kernel.end = kernel.start + 200 + random() % 4000;
            kernel.stream = 7;
            kernel.context = 1;
            kernel.correlation = static_cast<uint32_t>(correlation += 1 + random() % 3);
            kernel.gridX = static_cast<int32_t>(64 << random() % 5);
            kernel.blockX = 128;
            kernel.registers = 32;
            kernel.name = names[random() % names.size()].c_str();
            std::memcpy(buffer.data() + at * kKernelBytes, &kernel, sizeof(kernel));
        }
        const auto begin = Clock::now();
        decoder.decode(buffer.data(), buffer.size());
        costs.push_back(seconds(Clock::now() - begin) / kRecords * 1e9);
    }
    log.close();
    if (decoder.records() != kRecords * kBuffers || log.bytesWritten() < kRecords * kBuffers) {
        fmt::print(stderr, "the kernels are not in the log\n");
        std::exit(1);
    }
    fmt::print("kernel record, decoded and written{:7.1f} ns, {:.2f} bytes on disk\n", median(costs),
               double(log.bytesWritten()) / (double(kRecords) * kBuffers));
}

} // namespace

int main(int argc, char **argv)
{
    CLI::App app("Cost of the collector");
    uint64_t rate = 1'000'000;
    int length = 60;
    app.add_option("--rate", rate, "Ranges per second in the sustained part")->capture_default_str();
    app.add_option("--seconds", length, "Length of the sustained part in seconds")->capture_default_str();
    CLI11_PARSE(app, argc, argv);
    const test::TemporaryFolder folder;
    costOfRanges(folder.path());
    sustained(folder.path(), rate, length);
    stopAfterBurst(folder.path());
    costOfKernels(folder.path());
}
