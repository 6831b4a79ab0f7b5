// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/src/options.h"

#include <bit>
#include <charconv>
#include <cstdlib>
#include <initializer_list>

namespace riffle::collector {

namespace {

bool readNumber(std::string_view text, int64_t least, int64_t most, int64_t &value)
{
    int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size() || number < least || number > most)
        return false;
    value = number;
    return true;
}

bool readPreset(std::string_view value, Options::Preset &preset)
{
    for (const auto known : {Options::Preset::Light, Options::Preset::Normal, Options::Preset::Memory})
        if (value == nameOf(known)) {
            preset = known;
            return true;
        }
    return false;
}

/// Whether the key is known; `good`: and its value makes sense.
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
        return take(0, 7 * 24 * 3600, options.keepSeconds);
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

int64_t samplePeriodMs(const Options &options)
{
    if (options.sampleMs >= 0)
        return options.sampleMs;
    return options.preset == Options::Preset::Light ? 1000 : 100;
}

bool readOptions(std::string_view text, Options &options, std::string &error)
{
    while (!text.empty()) {
        const size_t end = std::min(text.find_first_of(";\n"), text.size());
        const std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (line.empty())
            continue;
        const size_t equals = line.find('=');
        const std::string_view key = line.substr(0, equals);
        const std::string_view value = equals == std::string_view::npos ? std::string_view() : line.substr(equals + 1);
        bool good = false;
        if (!readOne(key, value, options, good)) {
            error = "unknown option '" + std::string(key) + "'";
            return false;
        }
        if (!good) {
            error = "option " + std::string(key) + " cannot be '" + std::string(value) + "'";
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
    return firstNumber({"LOCAL_RANK", "PADDLE_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "SLURM_LOCALID"});
}
int64_t launchedWorldSize()
{
    return firstNumber({"WORLD_SIZE", "PADDLE_TRAINERS_NUM", "OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_NTASKS"});
}

} // namespace riffle::collector
