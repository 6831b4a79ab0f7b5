// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/src/options.h"

#include "collector/src/dump_signal.h"
#include "collector/src/option_text.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <initializer_list>

namespace riffle::collector {

namespace {

constexpr int64_t kMostSeconds = 7 * 24 * 3600;

bool readPreset(std::string_view value, Options::Preset &preset)
{
    for (const auto known : {Options::Preset::Light, Options::Preset::Normal, Options::Preset::Memory})
        if (value == nameOf(known)) {
            preset = known;
            return true;
        }
    return false;
}

/// Reads ranks such as "0,1,8-15".
bool readRanks(std::string_view text, std::vector<std::pair<int64_t, int64_t>> &ranks)
{
    ranks.clear();
    do {
        std::string_view last = takePart(text, ",");
        const std::string_view first = takePart(last, "-");
        auto &range = ranks.emplace_back();
        if (!readNumber(first, 0, INT32_MAX, range.first) ||
            !readNumber(last.empty() ? first : last, range.first, INT32_MAX, range.second))
            return false;
    } while (!text.empty());
    return true;
}

/// Reads a factor such as "3" or "2.5".
bool readFactor(std::string_view text, double &factor)
{
    int64_t whole = 0, tenth = 0;
    const bool point = text.find('.') != std::string_view::npos;
    if (!readNumber(takePart(text, "."), 1, 1000, whole) ||
        (point && (text.size() != 1 || !readNumber(text, 0, 9, tenth))))
        return false;
    factor = static_cast<double>(whole) + static_cast<double>(tenth) / 10;
    return true;
}

/// Reads one option. Returns true if the key is known, and sets `good` to true if its value is valid.
bool readOne(std::string_view key, std::string_view value, Options &options, bool &good)
{
    int64_t number = 0;
    const auto take = [&](int64_t least, int64_t most, auto &to) {
        good = readNumber(value, least, most, number);
        if (good)
            to = static_cast<std::remove_reference_t<decltype(to)>>(number);
        return true;
    };
    if (key == "dir") {
        options.folder = value;
        good = !value.empty();
        return true;
    }
    if (key == "preset") {
        good = readPreset(value, options.preset);
        return true;
    }
    if (key == "rank")
        return take(0, INT32_MAX, options.rank);
    if (key == "world_size")
        return take(1, INT32_MAX, options.worldSize);
    if (key == "local_rank")
        return take(0, INT32_MAX, options.localRank);
    if (key == "keep_seconds")
        return take(0, kMostSeconds, options.keepSeconds);
    if (key == "max_bytes")
        return take(0, INT64_MAX, options.maxBytes);
    if (key == "memory_limit")
        return take(1 << 20, INT64_MAX, options.memoryLimit);
    if (key == "cupti")
        return take(0, 1, options.cupti);
    if (key == "paused")
        return take(0, 1, options.paused);
    if (key == "sample_ms")
        return take(0, 3600 * 1000, options.sampleMs);
    if (key == "graphs") {
        good = value == "nodes" || value == "whole";
        options.wholeGraphs = value == "whole";
        return true;
    }
    if (key == "control")
        return take(0, 1, options.control);
    if (key == "quiet")
        return take(0, 1, options.quiet);
    if (key == "start_after")
        return take(0, kMostSeconds, options.startAfter);
    if (key == "max_seconds")
        return take(0, kMostSeconds, options.maxSeconds);
    if (key == "max_dumps")
        return take(0, 1'000'000, options.maxDumps);
    if (key == "dump_slow_step_ms") {
        take(0, kMostSeconds * 1000, options.slow.longerThanNs);
        options.slow.longerThanNs *= 1'000'000;
        return true;
    }
    if (key == "dump_slow_step_factor") {
        good = readFactor(value, options.slow.timesMedian);
        return true;
    }
    if (key == "dump_signal") {
        options.dumpSignal = dumpSignalOf(value);
        good = options.dumpSignal != 0;
        return true;
    }
    if (key == "operators")
        return take(0, 1, options.operators);
    if (key == "shapes")
        return take(0, 1, options.shapes);
    if (key == "modules")
        return take(0, 1, options.modules);
    if (key == "stacks") {
        const auto way = stacksWayOf(value);
        good = way.has_value();
        options.stacks = way.value_or(StacksWay::None);
        return true;
    }
    if (key == "stack_sample_ms")
        return take(1, 1000, options.stackSampleMs);
    if (key == "memory_history")
        return take(0, 100'000'000, options.memoryHistory);
    if (key == "ranks") {
        good = readRanks(value, options.ranks);
        return true;
    }
    if (key == "schedule") {
        options.schedule = readSchedule(value);
        good = options.schedule.has_value();
        return true;
    }
    if (key == "step_mark") {
        options.stepMark = value;
        good = !value.empty();
        return true;
    }
    if (key == "ring_bytes") {
        take(64 << 10, 64 << 20, options.ringBytes);
        good = good && std::has_single_bit(options.ringBytes);
        return true;
    }
    return false;
}

int64_t firstNumber(std::initializer_list<const char *> names)
{
    for (const char *name : names)
        if (const char *value = std::getenv(name)) {
            int64_t number = 0;
            if (readNumber(value, 0, INT32_MAX, number))
                return number;
        }
    return -1;
}

} // namespace

const char *nameOf(Options::Preset preset)
{
    switch (preset) {
    case Options::Preset::Light: return "light";
    case Options::Preset::Normal: return "normal";
    case Options::Preset::Memory: return "memory";
    }
    return "";
}

bool wantsOperators(const Options &options)
{
    return options.operators >= 0 ? options.operators == 1 : options.preset != Options::Preset::Light;
}

int64_t samplePeriodMs(const Options &options)
{
    if (options.sampleMs >= 0)
        return options.sampleMs;
    return options.preset == Options::Preset::Light ? 1000 : 100;
}

bool Options::includes(int64_t ofRank) const
{
    const auto has = [ofRank](const auto &range) { return ofRank >= range.first && ofRank <= range.second; };
    return ranks.empty() || ofRank < 0 || std::any_of(ranks.begin(), ranks.end(), has);
}

bool readOptions(std::string_view text, Options &options, std::string &error)
{
    while (!text.empty()) {
        std::string_view value = takePart(text, ";\n");
        if (value.empty())
            continue;
        const std::string_view key = takePart(value, "=");
        bool good = false;
        if (!readOne(key, value, options, good)) {
            error = "Unknown option '" + std::string(key) + "'.";
            return false;
        }
        if (!good) {
            error = "Option " + std::string(key) + " cannot be '" + std::string(value) + "'.";
            return false;
        }
    }
    return true;
}

int64_t launchedRank()
{
    return firstNumber({"RANK", "PADDLE_TRAINER_ID", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID"});
}
int64_t launchedLocalRank()
{
    return firstNumber(
        {"LOCAL_RANK", "PADDLE_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "SLURM_LOCALID"});
}
int64_t launchedWorldSize()
{
    return firstNumber({"WORLD_SIZE", "PADDLE_TRAINERS_NUM", "OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_NTASKS"});
}

} // namespace riffle::collector
