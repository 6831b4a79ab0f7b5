// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0

// The CUDA calls of a program, the GPU's work for them, and the records that CUPTI makes of both.
#include "tests/collector/cupti/standin_buffers.h"

#include <chrono>
#include <cmath>
#include <sys/syscall.h>
#include <unistd.h>

namespace riffle::standin {

namespace {

constexpr int64_t kLatency = 4'000; ///< ns between a launch and the start of its work

uint32_t thisThread() { return static_cast<uint32_t>(syscall(SYS_gettid)); }

uint32_t nextCorrelation()
{
    State &all = state();
    all.correlation += all.correlation == UINT32_MAX ? 2 : 1; // 0 is not an id
    return all.correlation;
}

Truth truthOf(uint32_t kind, uint32_t correlation, Stream on)
{
    State &all = state();
    Truth truth{.kind = kind, .serial = static_cast<uint32_t>(all.truths.size() + 1), .correlation = correlation};
    truth.thread = thisThread();
    truth.device = all.deviceOf[on.context];
    truth.context = on.context;
    truth.stream = on.stream;
    return truth;
}

/// A device's time as CUPTI converts it to the clock of the host.
uint64_t deviceStamp(const Truth &truth, int64_t time)
{
    const double wave = std::sin(static_cast<double>(truth.start) / 3e7 + truth.device);
    return stamp(time + static_cast<int64_t>(wave * static_cast<double>(state().setup.deviceError)));
}

/// Queues work on a stream and returns its truth, with its times.
Truth queue(uint32_t kind, uint32_t correlation, Stream on, int64_t duration)
{
    State &all = state();
    int64_t &until = all.busyUntil[{on.context, on.stream}];
    Truth truth = truthOf(kind, correlation, on);
    truth.start = std::max(now() + kLatency, until);
    until = truth.end = truth.start + duration;
    if (chance(all.setup.timeless))
        truth.outcome = Outcome::Timeless;
    return truth;
}

template <typename Record>
void fill(Record &record, const Truth &truth)
{
    record.kind = truth.kind;
    record.start = deviceStamp(truth, truth.start);
    record.end = deviceStamp(truth, truth.end);
    record.device = truth.device;
    record.context = truth.context;
    record.stream = truth.stream;
    record.correlation = truth.correlation;
    if constexpr (!std::is_same_v<Record, cupti::GraphTrace>)
        record.graphNode = truth.node;
    record.graph = truth.graph;
}

void addApi(uint32_t kind, uint32_t callback, uint32_t correlation, int64_t start, uint32_t result)
{
    Truth truth = truthOf(kind, correlation, {});
    truth.start = start;
    truth.end = now();
    truth.name = callback;
    truth.result = result;
    cupti::Api api{};
    api.kind = truth.kind;
    api.callback = callback;
    api.start = stamp(start);
    api.end = stamp(truth.end);
    api.process = static_cast<uint32_t>(getpid());
    api.thread = truth.thread;
    api.correlation = correlation;
    api.result = result;
    add(api, truth);
}

/// Adds the record of the call itself, which CUPTI writes when the call returns.
void addCall(uint32_t callback, uint32_t correlation, int64_t start, uint32_t result = 0)
{
    Truth truth = truthOf(cupti::kExternalCorrelation, correlation, {});
    truth.start = truth.end = start;
    add(cupti::ExternalCorrelation{truth.kind, 5, truth.serial, correlation, 0}, truth);
    addApi(cupti::kRuntime, callback, correlation, start, result);
}

void addKernel(const Truth &truth)
{
    static const char *const names[] = {"_Z4gemmIfEvT_", "_Z7softmaxIfEvT_", "layer_norm", nullptr};
    cupti::Kernel kernel{};
    fill(kernel, truth);
    kernel.gridX = static_cast<int32_t>(truth.serial);
    kernel.blockX = 128;
    kernel.name = names[truth.serial % 4]; // there is none for kernels that CUPTI has not seen being loaded
    add(kernel, truth);
}

template <typename Record>
void transfer(uint32_t kind, Stream on, int64_t duration)
{
    std::scoped_lock lock(state().mutex);
    const int64_t start = now();
    const uint32_t correlation = nextCorrelation();
    const Truth truth = queue(kind, correlation, on, duration);
    Record record{};
    fill(record, truth);
    record.bytes = truth.serial;
    add(record, truth);
    addCall(kCopy, correlation, start);
}

} // namespace

uint32_t makeContext(uint32_t device)
{
    std::scoped_lock lock(state().mutex);
    const uint32_t context = ++state().contexts;
    state().deviceOf[context] = device;
    add(cupti::Context{cupti::kContext, context, device, 1, 7}, truthOf(cupti::kContext, 0, {context, 0}));
    return context;
}

Stream makeStream(uint32_t context)
{
    std::scoped_lock lock(state().mutex);
    const Stream made{context, 7 + state().streams++ % 5}; // contexts number their streams independently
    state().busyUntil[{context, made.stream}];
    add(cupti::Stream{cupti::kStream, context, made.stream, 0, 1, 0}, truthOf(cupti::kStream, 0, made));
    return made;
}

void launchKernel(Stream on, int64_t duration)
{
    std::scoped_lock lock(state().mutex);
    const int64_t start = now();
    const uint32_t correlation = nextCorrelation(), inner = state().setup.nested ? nextCorrelation() : 0;
    const bool isOfDriver = inner && state().random() % 2 == 0;
    const int64_t innerStart = now();
    addKernel(queue(cupti::kConcurrentKernel, isOfDriver ? inner : correlation, on, duration));
    if (inner)
        addApi(cupti::kDriver, kDriverLaunch, inner, innerStart, 0);
    addCall(kLaunch, correlation, start);
}

void failToLaunch()
{
    constexpr uint32_t kOutOfResources = 701;
    std::scoped_lock lock(state().mutex);
    addCall(kLaunch, nextCorrelation(), now(), kOutOfResources);
}

void copy(Stream on, int64_t duration) { transfer<cupti::Memcpy>(cupti::kMemcpy, on, duration); }
void copyToPeer(Stream on, int64_t duration) { transfer<cupti::MemcpyPeer>(cupti::kMemcpyPeer, on, duration); }
void set(Stream on, int64_t duration) { transfer<cupti::Memset>(cupti::kMemset, on, duration); }

void synchronize(Stream on, int64_t longest)
{
    const int64_t start = now();
    int64_t until = 0;
    {
        std::scoped_lock lock(state().mutex);
        until = std::min(state().busyUntil[{on.context, on.stream}], start + longest);
    }
    if (until > start)
        std::this_thread::sleep_for(std::chrono::nanoseconds(until - start));
    std::scoped_lock lock(state().mutex);
    const uint32_t correlation = nextCorrelation();
    Truth truth = truthOf(cupti::kSynchronization, correlation, on);
    truth.start = start;
    truth.end = now();
    add(cupti::Synchronization{truth.kind, 3, stamp(start), stamp(truth.end), correlation, on.context, on.stream,
                               truth.serial},
        truth);
    addCall(kSynchronize, correlation, start);
}

uint32_t capture(uint32_t kernels)
{
    const auto call = [](uint32_t callback) {
        std::scoped_lock lock(state().mutex);
        addCall(callback, nextCorrelation(), now());
    };
    call(kBeginCapture);
    for (uint32_t number = 0; number < kernels; ++number)
        call(kLaunch);
    call(kEndCapture);
    std::scoped_lock lock(state().mutex);
    const uint32_t graph = ++state().graphs;
    for (uint64_t node = 1; node <= kernels; ++node)
        state().nodesOf[graph].push_back(uint64_t{graph} << 32 | node);
    return graph;
}

void replay(uint32_t graph, Stream on, int64_t duration)
{
    State &all = state();
    std::scoped_lock lock(all.mutex);
    const int64_t start = now();
    const uint32_t correlation = nextCorrelation();
    if (all.enabled[cupti::kGraphTrace]) {
        Truth truth =
            queue(cupti::kGraphTrace, correlation, on, duration * static_cast<int64_t>(all.nodesOf[graph].size()));
        truth.graph = graph;
        cupti::GraphTrace trace{};
        fill(trace, truth);
        add(trace, truth);
    } else {
        for (const uint64_t node : all.nodesOf[graph]) {
            Truth truth = queue(cupti::kConcurrentKernel, correlation, on, duration);
            truth.graph = graph;
            truth.node = node;
            addKernel(truth);
        }
    }
    addCall(kGraphLaunch, correlation, start);
}

} // namespace riffle::standin
