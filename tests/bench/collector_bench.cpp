// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0

// What the collector costs the program that it records, beside what reading the clock alone costs.

#include "collector/src/clock.h"
#include "collector/src/log_writer.h"
#include "collector/src/sources/cupti_decoder.h"
#include "riffle/collector.h"
#include "tests/support/archives.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace riffle;
using Clock = std::chrono::steady_clock;

double seconds(Clock::duration time) { return std::chrono::duration<double>(time).count(); }

riffle_stats statistics()
{
    riffle_stats stats{};
    stats.size = sizeof(stats);
    riffle_get_stats(&stats);
    return stats;
}

void start(const std::string &folder, const char *more = "")
{
    if (riffle_start(("dir=" + folder + "\n" + more).c_str()) != RIFFLE_OK) {
        fmt::print(stderr, "{}\n", riffle_last_error());
        std::exit(1);
    }
}

/// Nanoseconds per push and pop, in bursts that the ring holds.
double pairCost(const char *name)
{
    constexpr int kBurst = 20'000, kBursts = 50;
    Clock::duration spent{};
    for (int burst = 0; burst < kBursts; ++burst) {
        const auto begin = Clock::now();
        for (int at = 0; at < kBurst; ++at) {
            riffle_range_push(name);
            riffle_range_pop();
        }
        spent += Clock::now() - begin;
        std::this_thread::sleep_for(std::chrono::milliseconds(30));
    }
    return seconds(spent) / (double(kBurst) * kBursts) * 1e9;
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
    fmt::print("clock read twice (the floor)      {:7.1f} ns\n", 2 * clockCost());
    fmt::print("push + pop, not recording         {:7.1f} ns\n", pairCost("aten::addmm"));
    start(folder);
    fmt::print("push + pop, recording             {:7.1f} ns\n", pairCost("aten::addmm"));
    const std::string operatorText = "aten::addmm, seq = 12, op_id = 345, sizes = [[10], [2, 3], [3, 10]]";
    fmt::print("push + pop, operator with shapes  {:7.1f} ns\n", pairCost(operatorText.c_str()));
    riffle_stop();
    fmt::print("  dropped {}\n", statistics().dropped);
}

/// `rate` events a second from two threads for `length` seconds.
void sustained(const std::string &folder, uint64_t rate, int length)
{
    start(folder);
    const riffle_stats before = statistics();
    uint64_t mostBuffers = 0;
    const auto begin = Clock::now();
    const auto work = [&](uint64_t perSecond) {
        for (uint64_t done = 0; done < perSecond * static_cast<uint64_t>(length);) {
            for (int at = 0; at < 100; ++at, ++done) {
                riffle_range_push("aten::addmm");
                riffle_range_pop();
            }
            const auto due = begin + std::chrono::nanoseconds(done * 1'000'000'000 / perSecond);
            if (due > Clock::now() + std::chrono::microseconds(200))
                std::this_thread::sleep_until(due);
        }
    };
    std::thread other(work, rate / 2);
    work(rate / 2);
    other.join();
    const double spent = seconds(Clock::now() - begin);
    mostBuffers = statistics().buffer_bytes;
    const auto stopped = Clock::now();
    riffle_stop();
    const double stop = seconds(Clock::now() - stopped);
    const riffle_stats after = statistics();
    const uint64_t events = after.events - before.events;
    fmt::print("sustained for {:.0f} s: {:.2f} million ranges a second, {} dropped, {:.1f} MiB of buffers, {:.2f} bytes a range, "
               "stop to complete file {:.1f} ms\n",
               spent, double(events) / spent / 1e6, after.dropped - before.dropped, double(mostBuffers) / (1 << 20),
               double(after.bytes_written) / double(events), stop * 1e3);
}

constexpr size_t kKernelBytes = 216; ///< of CUDA 13

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
    decoder.use(&library, 0);
    std::mt19937 random(7);
    uint64_t time = 1'000'000'000'000, correlation = 0;
    Clock::duration spent{};
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
        spent += Clock::now() - begin;
    }
    log.close();
    fmt::print("kernel record, decoded and written{:7.1f} ns, {:.2f} bytes on disk\n",
               seconds(spent) / (double(kRecords) * kBuffers) * 1e9, double(log.bytesWritten()) / (double(kRecords) * kBuffers));
}

} // namespace

int main(int argc, char **argv)
{
    CLI::App app("Cost of the collector");
    uint64_t rate = 1'000'000;
    int length = 10;
    app.add_option("--rate", rate, "ranges a second of the sustained part")->capture_default_str();
    app.add_option("--seconds", length, "how long it is sustained")->capture_default_str();
    CLI11_PARSE(app, argc, argv);
    const test::TemporaryFolder folder;
    costOfRanges(folder.path());
    sustained(folder.path(), rate, length);
    costOfKernels(folder.path());
}
