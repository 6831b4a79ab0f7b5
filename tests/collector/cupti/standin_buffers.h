// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/collector/cupti/standin.h"

#include <algorithm>
#include <cstring>
#include <list>
#include <map>
#include <mutex>
#include <random>
#include <thread>
#include <utility>

namespace riffle::standin {

namespace cupti = collector::cupti;

/// The calls of a program, as CUPTI numbers them.
enum Call : uint32_t {
    kLaunch = 211,
    kDriverLaunch = 307,
    kCopy = 41,
    kGraphLaunch = 311,
    kSynchronize = 131,
    kBeginCapture = 317,
    kEndCapture = 318
};
const char *callbackName(uint32_t call);

/// The size of a record in the layout of this version of CUPTI.
size_t sizeOf(uint32_t version, uint32_t kind);

/// A buffer of the client while it is in CUPTI.
struct Buffer {
    struct Slot {
        size_t at;    ///< offset of the record
        size_t truth; ///< its index in State::truths
    };
    uint8_t *memory = nullptr;
    size_t size = 0, used = 0;
    std::vector<Slot> slots;
    int64_t due = 0; ///< when it comes back, once it has been flushed
};

/// Everything is guarded by one mutex, which is also held while CUPTI's callbacks run, as it is in CUPTI.
struct State {
    std::mutex mutex;
    Setup setup;
    std::mt19937_64 random;
    cupti::RequestBuffer request = nullptr;
    cupti::CompleteBuffer complete = nullptr;
    bool isHeld = false, isSubscribed = false, enabled[64] = {};
    bool hasClock = false;
    int64_t clockOffset = 0, began = 0; ///< of the client's clock from CLOCK_MONOTONIC; when the program began
    size_t dropped = 0, keptBuffers = 0;

    std::map<uint32_t, Buffer> filling; ///< by keyOf()
    std::list<Buffer> waiting;          ///< full, but with unfinished work
    std::list<Buffer> flushed;          ///< on their way back
    std::thread worker;
    bool isOver = false;

    std::vector<Truth> truths;
    uint32_t correlation = 0, contexts = 0, streams = 0, graphs = 0;
    std::map<uint32_t, uint32_t> deviceOf;                      ///< by context
    std::map<std::pair<uint32_t, uint32_t>, int64_t> busyUntil; ///< by context and stream
    std::map<uint32_t, std::vector<uint64_t>> nodesOf;          ///< by graph
};
State &state();

// All functions below are called with the mutex held.

bool chance(double share);
/// A time in the clock that CUPTI uses.
uint64_t stamp(int64_t time);
/// Gives back the buffers whose work is done, or, if `forced`, all of them.
void flush(bool forced);
/// Returns where to write a record of this kind; null if there is no place, or nothing is to be recorded.
uint8_t *place(Truth truth);

/// Adds a record, if its kind is enabled.
template <typename Record>
void add(Record record, const Truth &truth)
{
    if (uint8_t *to = place(truth))
        std::memcpy(to, &record, std::min(sizeof(record), sizeOf(state().setup.version, truth.kind)));
}

} // namespace riffle::standin
