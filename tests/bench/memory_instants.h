// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// How long it takes to say what is alive at an instant of a snapshot that is read, and to put that together.

#include "model/analysis/memory/alive/memory_grouping.h"
#include "model/analysis/memory/categories/memory_categories.h"
#include "tests/model/analysis/memory/small_snapshot.h"
#include "tests/model/analysis/memory/small_stacks.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace riffle::bench {

template <typename Do>
double millisecondsOf(Do &&work)
{
    const auto begin = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

/// A history of so many entries after which so many allocations are alive, with 2,000 stacks of 40 frames; what is
/// allocated and freed meanwhile stands between them.
inline std::shared_ptr<const MemorySnapshot> manyAlive(uint32_t entries, uint32_t alive)
{
    std::mt19937 random(1);
    test::SmallSnapshot small;
    test::SmallStacks stacks;
    std::vector<uint32_t> known;
    for (int stack = 0; stack < 2000; ++stack) {
        std::vector<test::SmallStacks::Frame> frames;
        for (int frame = 0; frame < 40; ++frame)
            frames.push_back({"function_" + std::to_string(frame < 20 ? random() % 3000 : frame),
                              "/lib/file_" + std::to_string(frame) + ".py", frame});
        known.push_back(stacks.add(frames));
    }
    std::vector<uint32_t> ofEvents;
    std::vector<MemoryBlock> blocks;
    const auto add = [&](MemoryAction action, uint64_t address, int64_t size) {
        small.add(action, address, size);
        ofEvents.push_back(known[random() % known.size()]);
    };
    const uint32_t shortLived = (entries - alive) / 3;
    for (uint32_t at = 0, kept = 0; at < shortLived; ++at) {
        const uint64_t address = 0x7f0000000000 + at % 100'000 * 4096; // addresses come again
        add(MemoryAction::Alloc, address, 1000);
        if (static_cast<uint64_t>(at) * alive / shortLived >= kept && kept < alive) {
            ++kept;
            const auto size = static_cast<int64_t>(1 + random() % 4000);
            const uint64_t place = 0x600000000000 + kept * uint64_t(8192);
            add(MemoryAction::Alloc, place, size);
            blocks.push_back(test::SmallSnapshot::block(place, size));
        }
        add(MemoryAction::FreeRequested, address, 1000);
        add(MemoryAction::FreeCompleted, address, 1000);
    }
    small.segment(0, int64_t(1) << 40, blocks);
    MemorySnapshot snapshot = small.take();
    stacks.give(snapshot, std::move(ofEvents));
    return std::make_shared<const MemorySnapshot>(std::move(snapshot));
}

/// A line about replay, index, and any event; one about groupings of the instant with most alive.
inline void printInstants(const std::shared_ptr<const MemorySnapshot> &snapshot, const std::string &name)
{
    const SnapshotFacts facts(snapshot);
    const double replayed = millisecondsOf([&] { facts.replay(); });
    const double indexed = millisecondsOf([&] { facts.alive(0); });
    const DeviceReplay &device = facts.replay().devices[0];
    std::mt19937 random(1);
    std::vector<double> times;
    uint32_t largest = 0, at = device.firstEvent;
    for (int round = 0; round < 200; ++round) {
        const uint32_t event =
            round == 0 ? device.firstEvent + device.events - 1 : device.firstEvent + random() % device.events;
        size_t count = 0;
        times.push_back(millisecondsOf([&] { count = memoryInstant(facts, 0, event).rows.size(); }));
        if (count > largest) {
            largest = static_cast<uint32_t>(count);
            at = event;
        }
    }
    std::sort(times.begin(), times.end());
    fmt::print("  {}: {} entries, replay {:.0f} ms, index {:.1f} ms; alive after any event: median {:.2f} ms, largest "
               "of {} {:.2f} ms\n",
               name, device.events, replayed, indexed, times[times.size() / 2], times.size(), times.back());
    const double read = millisecondsOf([&] { facts.stacks(); });
    std::unique_ptr<MemoryCategories> categories;
    const double judged =
        millisecondsOf([&] { categories = std::make_unique<MemoryCategories>(facts, MemoryRules::builtIn()); });
    const MemoryInstant instant = memoryInstant(facts, 0, at);
    fmt::print("  {}: groups of {} alive (after {:.0f} ms for frames and {:.0f} ms for categories, once):", name,
               instant.rows.size(), read, judged);
    for (uint8_t by = 0; by < kMemoryGroupings; ++by) {
        std::vector<double> rounds;
        for (int round = 0; round < 3; ++round)
            rounds.push_back(millisecondsOf([&] {
                groupMemory(facts, std::span(&instant, 1), static_cast<MemoryGrouping>(by), categories.get());
            }));
        std::sort(rounds.begin(), rounds.end());
        fmt::print(" {} {:.1f} ms", memoryGroupingWord(static_cast<MemoryGrouping>(by)), rounds[1]);
    }
    fmt::print("\n");
}

} // namespace riffle::bench
