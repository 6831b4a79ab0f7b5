// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/collector/cupti/standin_buffers.h"

#include <chrono>
#include <ctime>

namespace riffle::standin {

namespace {

/// The offset of the start in a record of this kind; the end follows it. 0 if the kind has no times.
size_t startAt(uint32_t kind)
{
    switch (kind) {
    case cupti::kConcurrentKernel:
    case cupti::kMemcpy:
    case cupti::kMemcpyPeer:
    case cupti::kMemset: return 16;
    case cupti::kRuntime:
    case cupti::kDriver:
    case cupti::kSynchronization:
    case cupti::kGraphTrace: return 8;
    default: return 0;
    }
}

/// The buffers that are filled at the same time are told apart by thread, and device records may have one of their own.
uint32_t keyOf(const Truth &truth)
{
    const bool isOfDevice = startAt(truth.kind) == 16 || truth.kind == cupti::kGraphTrace;
    if (isOfDevice && state().setup.apart)
        return UINT32_MAX;
    return state().setup.perThread ? truth.thread : 0;
}

bool isDone(const Buffer &buffer)
{
    return std::all_of(buffer.slots.begin(), buffer.slots.end(),
                       [time = now()](const Buffer::Slot &slot) { return state().truths[slot.truth].end <= time; });
}

/// Writes what is known about each record now, and sends the buffer back.
void send(Buffer buffer)
{
    State &all = state();
    const int64_t time = now(), lateness = all.setup.lateness;
    const bool isKept = chance(all.setup.kept);
    for (const Buffer::Slot &slot : buffer.slots) {
        Truth &truth = all.truths[slot.truth];
        const size_t at = startAt(truth.kind);
        if (truth.outcome == Outcome::Held)
            truth.outcome =
                truth.end > time ? (truth.start > time ? Outcome::Timeless : Outcome::Unfinished) : Outcome::Delivered;
        if (at && truth.outcome == Outcome::Timeless)
            std::memset(buffer.memory + slot.at + at, 0, 8);
        if (at && truth.outcome != Outcome::Delivered)
            std::memset(buffer.memory + slot.at + at + 8, 0, 8);
        if (isKept)
            truth.outcome = Outcome::Kept;
    }
    buffer.due = time + (lateness ? static_cast<int64_t>(all.random() % static_cast<uint64_t>(lateness)) : 0);
    if (isKept)
        buffer.due = INT64_MAX;
    all.keptBuffers += isKept;
    all.flushed.push_back(std::move(buffer));
}

/// CUPTI's own thread: returns full buffers whose work is done, and flushed ones when they are due, in any order.
void work()
{
    State &all = state();
    for (;;) {
        {
            std::scoped_lock lock(all.mutex);
            for (auto at = all.waiting.begin(); at != all.waiting.end();) {
                const auto buffer = at++;
                if (isDone(*buffer)) {
                    send(std::move(*buffer));
                    all.waiting.erase(buffer);
                }
            }
            const int64_t time = now();
            for (auto at = all.flushed.begin(); at != all.flushed.end();) {
                const auto buffer = at++;
                if (buffer->due <= time || all.isOver) {
                    all.complete(nullptr, 0, buffer->memory, buffer->size, buffer->used);
                    all.flushed.erase(buffer);
                }
            }
            if (all.isOver && all.flushed.empty())
                return;
        }
        std::this_thread::sleep_for(std::chrono::microseconds(300));
    }
}

} // namespace

int64_t now()
{
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

State &state()
{
    static State *const one = new State;
    return *one;
}

bool chance(double share) { return static_cast<double>(state().random() % 1000) < share * 1000; }

uint64_t stamp(int64_t time)
{
    const State &all = state();
    constexpr int64_t kEpoch = 1'700'000'000'000'000'000; // CUPTI's own clock counts from 1970
    const int64_t since = time - all.began;
    const auto wrong = static_cast<int64_t>(all.setup.slew * static_cast<double>(since)) +
                       (since >= all.setup.setAfter ? all.setup.setBy : 0);
    return static_cast<uint64_t>(all.hasClock ? time + all.clockOffset : time + kEpoch + wrong);
}

uint8_t *place(Truth truth)
{
    State &all = state();
    if (!all.enabled[truth.kind])
        return nullptr;
    const size_t bytes = sizeOf(all.setup.version, truth.kind);
    truth.made = now();
    Buffer &buffer = all.filling[keyOf(truth)];
    if (buffer.memory && buffer.used + bytes > std::min(all.setup.capacity, buffer.size)) {
        if (isDone(buffer))
            send(std::move(buffer));
        else
            all.waiting.push_back(std::move(buffer));
        buffer = {};
    }
    if (!buffer.memory) {
        size_t most = 0;
        all.request(&buffer.memory, &buffer.size, &most);
    }
    if (!buffer.memory) {
        ++all.dropped;
        truth.outcome = Outcome::Dropped;
        all.truths.push_back(truth);
        return nullptr;
    }
    buffer.slots.push_back({buffer.used, all.truths.size()});
    all.truths.push_back(truth);
    uint8_t *to = buffer.memory + buffer.used;
    buffer.used += bytes;
    std::memset(to, 0xEE, bytes); // what follows the known prefix may have any value
    return to;
}

void flush(bool forced)
{
    State &all = state();
    for (auto &[thread, buffer] : all.filling)
        if (buffer.memory && (forced || isDone(buffer)))
            send(std::exchange(buffer, {}));
    for (auto at = all.waiting.begin(); forced && at != all.waiting.end(); at = all.waiting.erase(at))
        send(std::move(*at));
}

void begin(const Setup &setup)
{
    State &all = state();
    std::scoped_lock lock(all.mutex);
    all.setup = setup;
    all.random.seed(setup.seed);
    all.correlation = setup.firstCorrelation;
    all.dropped = setup.earlierDrops;
    all.began = now();
    all.worker = std::thread(work);
}

void hold(bool held)
{
    std::scoped_lock lock(state().mutex);
    state().isHeld = held;
}

size_t keptBuffers()
{
    std::scoped_lock lock(state().mutex);
    return state().keptBuffers;
}

void finish()
{
    {
        std::scoped_lock lock(state().mutex);
        state().isOver = true;
    }
    state().worker.join();
}

std::vector<Truth> truths()
{
    std::scoped_lock lock(state().mutex);
    return state().truths;
}

} // namespace riffle::standin
