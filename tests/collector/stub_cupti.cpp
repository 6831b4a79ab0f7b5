// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0

// A stand-in for libcupti.so: it answers as CUPTI does and produces records in the layout of CUDA 12 (STUB_CUPTI=12)
// or 13.
//   STUB_CUPTI_REFUSE=1        another profiler holds CUPTI
//   STUB_CUPTI_REFUSE=error    subscribing fails with another error
//   STUB_CUPTI_REFUSE=shared   another profiler shares CUPTI, so that the ordinary interface can enable nothing
//   STUB_CUPTI_REFUSE=memory   memory cannot be recorded
//   STUB_CUPTI_ODD=1           there are records of unknown kinds, kernels without a time, and drops
// stub_launch() and similar functions produce records as if the program had done that work; the next flush delivers
// them. stub_hold(1) holds them back until stub_hold(0), as a very long kernel does. stub_kineto_start() does what
// torch.profiler does: it replaces our callbacks with its own.
#include "tests/collector/stub_cupti.h"

#include <chrono>
#include <cstdlib>
#include <ctime>
#include <string>
#include <thread>

namespace riffle::stub {
namespace {

bool isOld() { return is("STUB_CUPTI", "12"); }

} // namespace

bool is(const char *variable, const char *value)
{
    const char *text = std::getenv(variable);
    return text && std::string(text) == value;
}

State &state()
{
    static State *const one = new State;
    return *one;
}

uint64_t now()
{
    if (state().timestamp)
        return state().timestamp();
    timespec time{};
    clock_gettime(CLOCK_REALTIME, &time);
    return static_cast<uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(time.tv_nsec) + state().clockSet;
}

size_t sizeOf(uint32_t kind)
{
    switch (kind) {
    case kConcurrentKernel: return isOld() ? 208 : 216;
    case kMemcpy: return isOld() ? 88 : 96;
    case kMemcpyPeer: return 96;
    case kMemset: return 88;
    case kRuntime:
    case kDriver: return 40;
    case kSynchronization: return isOld() ? 40 : 56;
    case kOverhead: return isOld() ? 48 : 56;
    case kExternalCorrelation:
    case kStream: return 24;
    case kMemory: return isOld() ? 120 : 128;
    case kMemoryPool: return isOld() ? 72 : 80;
    case kGraphTrace: return isOld() ? 48 : 56;
    case kDevice: return isOld() ? 176 : 184;
    case kContext: return isOld() ? 24 : 32;
    default: return 64;
    }
}

void completeBuffer()
{
    State &now = state();
    if (now.buffer && now.used > 0 && !now.holds) {
        const auto returns = [complete = now.complete, buffer = now.buffer, size = now.size, used = now.used,
                              after = now.lateness] {
            std::this_thread::sleep_for(std::chrono::milliseconds(after));
            complete(nullptr, 0, buffer, size, used);
        };
        if (now.lateness == 0)
            returns();
        else if (now.lateness > 0)
            std::thread(returns).detach();
        now.buffer = nullptr;
    }
}

} // namespace riffle::stub

using namespace riffle::stub;

namespace {

/// Adds records for the existing devices, contexts and streams.
void dump(uint32_t kind)
{
    for (uint32_t device = 0; kind == kDevice && device < 2; ++device) {
        Device one{};
        one.kind = kDevice;
        one.id = device;
        one.name = "Stub H1";
        one.memoryBytes = 80ull << 30;
        one.threadsPerWarp = 32;
        one.multiprocessors = 132;
        one.warpsPerMultiprocessor = 64;
        one.major = 9;
        add(one);
    }
    if (kind == kContext)
        add(Context{kContext, 1, 1, 1, 7});
    if (kind == kStream)
        add(Stream{kStream, 1, 13, static_cast<uint32_t>(-5), 1, 0});
}

// The callbacks of Kineto, which never subscribes.
void kinetoRequests(uint8_t **buffer, size_t *size, size_t *most)
{
    *size = 1 << 20;
    *most = 0;
    *buffer = static_cast<uint8_t *>(std::aligned_alloc(8, *size));
    ++state().kinetoBuffers;
}
void kinetoTakes(void *, uint32_t, uint8_t *, size_t size, size_t) { state().kinetoUnknown += size != 1 << 20; }

void noteCall()
{
    if (state().callsAfterTakeover >= 0)
        ++state().callsAfterTakeover;
}

} // namespace

STUB Result cuptiGetVersion(uint32_t *version)
{
    *version = isOld() ? 24 : 130001;
    return kSuccess;
}
STUB Result cuptiGetResultString(Result result, const char **text)
{
    *text = result == kSuccess ? "CUPTI_SUCCESS" : "CUPTI_ERROR_OF_THE_STUB";
    return kSuccess;
}
STUB Result cuptiSubscribe(void **subscriber, Callback, void *)
{
    if (is("STUB_CUPTI_REFUSE", "1") || state().subscribed)
        return kMultipleSubscribers;
    if (is("STUB_CUPTI_REFUSE", "error"))
        return 999;
    state().subscribed = true;
    *subscriber = &state();
    return kSuccess;
}
STUB Result cuptiSubscribe_v2(void **subscriber, Callback callback, void *user, SubscriberParams *params)
{
    if (params->size != sizeof(SubscriberParams))
        return 1;
    const Result result = cuptiSubscribe(subscriber, callback, user);
    if (result == kMultipleSubscribers)
        std::strncpy(params->holder, "CUPTI for the stub's friend", params->holderBytes);
    return result;
}
STUB Result cuptiUnsubscribe(void *)
{
    noteCall();
    state().subscribed = false;
    return kSuccess;
}
STUB Result cuptiActivityRegisterCallbacks(RequestBuffer request, CompleteBuffer complete)
{
    state().request = request;
    state().complete = complete;
    return kSuccess;
}
STUB Result cuptiActivityRegisterTimestampCallback(uint64_t (*timestamp)())
{
    if (isOld())
        return 1; // so that both clocks are used
    state().timestamp = timestamp;
    return kSuccess;
}
STUB Result cuptiGetTimestamp(uint64_t *timestamp)
{
    *timestamp = now();
    return kSuccess;
}
STUB Result cuptiSetThreadIdType(uint32_t) { return kSuccess; }
STUB Result cuptiActivityEnable(uint32_t kind)
{
    noteCall();
    if (is("STUB_CUPTI_REFUSE", "shared") || (is("STUB_CUPTI_REFUSE", "memory") && kind == kMemory))
        return kNotCompatible;
    std::scoped_lock lock(state().mutex);
    state().enabled[kind % 64] = true;
    return kSuccess;
}
STUB Result cuptiActivityEnableAndDump(uint32_t kind)
{
    const Result result = cuptiActivityEnable(kind);
    std::scoped_lock lock(state().mutex);
    if (result == kSuccess)
        dump(kind);
    return result;
}
STUB Result cuptiActivityDisable(uint32_t kind)
{
    noteCall();
    std::scoped_lock lock(state().mutex);
    state().enabled[kind % 64] = false;
    return kSuccess;
}
STUB Result cuptiGetCallbackName(uint32_t domain, uint32_t callback, const char **name)
{
    switch (callback) {
    case 20: *name = "cudaMalloc_v3020"; break;
    case 22: *name = "cudaFree_v3020"; break;
    case 211: *name = "cudaLaunchKernel_v7000"; break;
    default: *name = domain == 2 ? "cudaMemcpyAsync_v3020" : "cuLaunchKernel"; break;
    }
    return kSuccess;
}
STUB Result cuptiActivityFlushAll(uint32_t)
{
    noteCall();
    std::scoped_lock lock(state().mutex);
    completeBuffer();
    return kSuccess;
}
STUB Result cuptiActivityGetNextRecord(uint8_t *buffer, size_t valid, void **record)
{
    size_t at = 0;
    if (*record) {
        uint32_t kind = 0;
        std::memcpy(&kind, *record, sizeof(kind));
        at = static_cast<size_t>(static_cast<uint8_t *>(*record) - buffer) + sizeOf(kind);
    }
    if (at >= valid)
        return kMaxLimitReached;
    *record = buffer + at;
    return kSuccess;
}
STUB Result cuptiActivityGetNumDroppedRecords(void *, uint32_t, size_t *count)
{
    *count = state().dropped;
    state().dropped = 0;
    return kSuccess;
}

STUB void stub_late(int milliseconds) { state().lateness = milliseconds; }
STUB void stub_set_clock(uint64_t forward) { state().clockSet = forward; }
STUB void stub_count_calls() { state().callsAfterTakeover = 0; }
STUB void stub_hold(int on) { state().holds = on; }
STUB void stub_kineto_start()
{
    cuptiActivityRegisterCallbacks(kinetoRequests, kinetoTakes);
    for (const uint32_t kind : {kConcurrentKernel, kMemcpy, kRuntime})
        cuptiActivityEnable(kind);
    stub_count_calls();
}
STUB void stub_kineto_stop()
{
    state().callsAfterTakeover = -1;
    for (const uint32_t kind : {kConcurrentKernel, kMemcpy, kRuntime})
        cuptiActivityDisable(kind);
    cuptiActivityFlushAll(1);
}
STUB size_t stub_kineto_buffers() { return state().kinetoBuffers; }
STUB size_t stub_kineto_unknown() { return state().kinetoUnknown; }
STUB int stub_calls_after_takeover() { return state().callsAfterTakeover; }
STUB int stub_is_subscribed() { return state().subscribed; }
STUB uint64_t stub_clock() { return now(); }
