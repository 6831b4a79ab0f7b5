// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace riffle::bench {

constexpr std::int64_t kAbsent = INT64_MIN;

/// The fields that the reference parser keeps: those that an importer of training traces reads, in plain vectors
/// without order or index. Times are in nanoseconds; texts are hashes.
struct ReferenceColumns {
    struct Link {
        std::uint32_t event = 0;
        std::int64_t externalId = kAbsent, correlation = kAbsent;
    };
    struct Op {
        std::uint32_t event = 0;
        std::int64_t evIdx = kAbsent, sequence = kAbsent, forwardThread = kAbsent;
        std::uint64_t dims = 0, types = 0, strides = 0, concrete = 0, callStack = 0;
    };
    struct Python {
        std::uint32_t event = 0;
        std::int64_t id = kAbsent, parent = kAbsent, module = kAbsent;
    };
    struct Gpu {
        std::uint32_t event = 0;
        std::int64_t device = kAbsent, context = kAbsent, stream = kAbsent, bytes = kAbsent;
        std::int64_t registers = kAbsent, sharedMemory = kAbsent;
        double blocksPerSm = 0, warpsPerSm = 0, occupancy = 0;
        std::array<std::int64_t, 3> grid = {}, block = {};
    };
    struct Memory {
        std::uint32_t event = 0;
        std::int64_t address = kAbsent, bytes = kAbsent, allocated = kAbsent, reserved = kAbsent;
    };
    struct Collective {
        std::uint32_t event = 0;
        std::uint32_t name = 0, dtype = 0, group = 0;
        std::int64_t inElements = kAbsent, outElements = kAbsent, groupSize = kAbsent;
    };

    std::vector<char> ph;
    std::vector<std::uint32_t> cat, name;
    std::vector<std::int64_t> pid, tid, begin, duration;
    std::vector<Link> links;
    std::vector<Op> ops;
    std::vector<Python> python;
    std::vector<Gpu> gpu;
    std::vector<Memory> memory;
    std::vector<Collective> collectives;
    std::uint64_t strings = 0; ///< the number of distinct names
    std::uint64_t badEvents = 0;
};

/// Reads batches of events with simdjson On-Demand and nothing else. Each thread has its own. Its speed on all cores is
/// the limit for an importer that reads the same fields.
class ReferenceParser {
public:
    ReferenceParser();
    ~ReferenceParser();

    void parse(std::string_view batch);
    const ReferenceColumns &columns() const;

private:
    struct State;
    std::unique_ptr<State> m_state;
};

} // namespace riffle::bench
