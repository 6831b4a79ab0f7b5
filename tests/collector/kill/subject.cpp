// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/collector/kill/subject.h"

#include "riffle/collector.h"

#include <chrono>
#include <cstdio>
#include <random>
#include <thread>
#include <unistd.h>

namespace riffle::test {

namespace {

using Random = std::minstd_rand;

void pauseFor(Random &random, int mostUs) { std::this_thread::sleep_for(std::chrono::microseconds(random() % mostUs)); }

void recordOne(size_t thread, Testimony &says)
{
    const uint64_t number = says.done[thread] + 1;
    says.begun[thread] = number;
    riffle_range_push(numberName(thread, number).c_str());
    riffle_counter(counterName(thread).c_str(), "number", static_cast<double>(number));
    riffle_range_pop();
    says.done[thread] = number;
}

/// Records bursts that fit the small ring, and from time to time one that does not.
void recordForever(size_t thread, Random random, Testimony &says)
{
    riffle_range_push("always open");
    for (;;) {
        const unsigned burst = random() % 150 == 0 ? 2'000 : random() % 150;
        for (unsigned at = 0; at < burst; ++at)
            recordOne(thread, says);
        pauseFor(random, 4'000);
    }
}

/// Records bursts on short-lived threads, so that their rings are returned.
void recordOnShortThreads(size_t thread, Random random, Testimony &says)
{
    for (;;) {
        std::thread([&] {
            for (unsigned at = random() % 30; at > 0; --at)
                recordOne(thread, says);
        }).join();
        pauseFor(random, 4'000);
    }
}

void copy(const std::array<uint64_t, Testimony::kThreads> &from, Testimony::Numbers &to)
{
    for (size_t thread = 0; thread < from.size(); ++thread)
        to[thread] = from[thread];
}

} // namespace

std::string numberName(size_t thread, uint64_t number) { return std::to_string(thread) + ":" + std::to_string(number); }
std::string counterName(size_t thread) { return "numbers of " + std::to_string(thread); }
std::string dumpFolder(const Life &life) { return life.folder + "/dump.rifflelog"; }

void live(const Life &life, Testimony &says)
{
    Random random(life.seed);
    const std::string options =
        "dir=" + life.folder + "\ncupti=0\nring_bytes=65536\n" + (life.keepsSeconds ? "keep_seconds=1\n" : "");
    if (riffle_start(options.c_str()) != RIFFLE_OK) {
        std::fprintf(stderr, "the recording process: %s\n", riffle_last_error());
        _exit(1);
    }
    says.started = 1;
    for (size_t thread = 0; thread < Testimony::kThreads; ++thread)
        std::thread(thread == 0 ? recordOnShortThreads : recordForever, thread, Random(life.seed + thread + 1),
                    std::ref(says))
            .detach();
    for (;;) {
        std::array<uint64_t, Testimony::kThreads> before;
        for (size_t thread = 0; thread < before.size(); ++thread)
            before[thread] = says.done[thread];
        const bool dumps = life.keepsSeconds && says.acknowledgements == 5;
        if ((dumps ? riffle_dump(dumpFolder(life).c_str()) : riffle_flush()) == RIFFLE_OK) {
            copy(before, says.acknowledged);
            if (dumps) {
                copy(before, says.dumped);
                says.hasDump = 1;
            }
            ++says.acknowledgements;
        }
        if (random() % life.flushesOften == 0)
            pauseFor(random, 30'000);
    }
}

} // namespace riffle::test
