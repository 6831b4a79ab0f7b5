// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The parts that the two files of the stand-in for libcupti.so share; stub_cupti.cpp has its description.
#include "collector/src/sources/cupti_abi.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <mutex>

#define STUB extern "C" __attribute__((visibility("default")))

namespace riffle::stub {

using namespace riffle::collector::cupti;

struct State {
    std::mutex mutex;
    RequestBuffer request = nullptr;
    CompleteBuffer complete = nullptr;
    uint64_t (*timestamp)() = nullptr;
    bool enabled[64] = {};
    bool subscribed = false, holds = false;
    uint8_t *buffer = nullptr; ///< requested when its first record is added
    size_t size = 0, used = 0;
    uint32_t correlation = 0;
    size_t dropped = 0;
    int lateness = 0; ///< ms until a buffer comes back; it never does if negative
    uint64_t clockSet = 0;
    int callsAfterTakeover = -1; ///< calls of enable, disable, flush, unsubscribe; -1 if nobody has taken over
    size_t kinetoBuffers = 0, kinetoUnknown = 0;
};

State &state();

/// True if the environment variable has this value.
bool is(const char *variable, const char *value);

/// The time of CUPTI's clock, in nanoseconds.
uint64_t now();

/// The size of a record of this kind in the layout that the environment selects.
size_t sizeOf(uint32_t kind);

/// Gives the buffer back, if it has records and they are not held back.
void completeBuffer();

/// Adds a record to the buffer if its kind is enabled.
template <typename T>
void add(const T &record)
{
    State &now = state();
    if (!now.enabled[record.kind] && record.kind != 63)
        return;
    const size_t bytes = sizeOf(record.kind);
    if (now.buffer && now.used + bytes > now.size)
        completeBuffer();
    if (!now.buffer) {
        size_t most = 0;
        now.used = 0;
        now.request(&now.buffer, &now.size, &most);
    }
    if (!now.buffer) {
        ++now.dropped;
        return;
    }
    std::memset(now.buffer + now.used, 0xEE, bytes); // bytes after the prefix may have any value
    std::memcpy(now.buffer + now.used, &record, std::min(bytes, sizeof(record)));
    now.used += bytes;
}

} // namespace riffle::stub
