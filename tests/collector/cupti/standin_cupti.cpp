// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0

// The functions of libcupti.so that the collector calls, as the stand-in answers them.
#include "tests/collector/cupti/standin_buffers.h"

#include <cstdlib>

#define CUPTI extern "C" __attribute__((visibility("default")))

using namespace riffle::standin;
using cupti::Result;

namespace riffle::standin {

// The sizes are those by which the real libraries of CUDA 12.4, 12.8, 12.9, 13.0 and 13.1 step from record to record,
// and those of the headers of 13.5.
size_t sizeOf(uint32_t version, uint32_t kind)
{
    const auto from = [=](uint32_t first, size_t then, size_t before) { return version >= first ? then : before; };
    constexpr uint32_t k128 = 26, k130 = 130000, k131 = 130100, k135 = 130500;
    switch (kind) {
    case cupti::kConcurrentKernel: return from(k135, 248, from(k131, 224, from(k130, 216, 208)));
    case cupti::kMemcpy: return from(k135, 112, from(k128, 96, 88));
    case cupti::kMemcpyPeer: return 96;
    case cupti::kMemset: return from(k135, 104, 88);
    case cupti::kRuntime:
    case cupti::kDriver: return 40;
    case cupti::kSynchronization: return from(k128, 56, 40);
    case cupti::kExternalCorrelation:
    case cupti::kStream: return 24;
    case cupti::kGraphTrace: return 56;
    case cupti::kDevice: return from(k135, 192, 184);
    case cupti::kContext: return from(k131, 40, from(k128, 32, 24));
    default: return 64;
    }
}

const char *callbackName(uint32_t callback)
{
    switch (callback) {
    case kLaunch: return "cudaLaunchKernel_v7000";
    case kDriverLaunch: return "cuLaunchKernel";
    case kCopy: return "cudaMemcpyAsync_v3020";
    case kGraphLaunch: return "cudaGraphLaunch_v10000";
    case kSynchronize: return "cudaStreamSynchronize_v3020";
    case kBeginCapture: return "cudaStreamBeginCapture_v10000";
    case kEndCapture: return "cudaStreamEndCapture_v10000";
    default: return nullptr;
    }
}

namespace {

/// Adds the records of what exists already.
void dump(uint32_t kind)
{
    State &all = state();
    const Truth truth{.kind = kind};
    for (uint32_t id = 0; kind == cupti::kDevice && id < 2; ++id) {
        cupti::Device device{};
        device.kind = kind;
        device.id = id;
        device.name = "Stand-in";
        add(device, truth);
    }
    if (kind == cupti::kContext)
        for (const auto &[context, device] : all.deviceOf)
            add(cupti::Context{kind, context, device, 1, 7}, truth);
    if (kind == cupti::kStream)
        for (const auto &[stream, until] : all.busyUntil)
            add(cupti::Stream{kind, stream.first, stream.second, 0, 1, 0}, truth);
}

} // namespace

} // namespace riffle::standin

CUPTI Result cuptiGetVersion(uint32_t *version)
{
    *version = state().setup.version;
    return cupti::kSuccess;
}
CUPTI Result cuptiGetResultString(Result, const char **text)
{
    *text = "CUPTI_ERROR_OF_THE_STAND_IN";
    return cupti::kSuccess;
}
CUPTI Result cuptiSubscribe(void **subscriber, cupti::Callback, void *)
{
    std::scoped_lock lock(state().mutex);
    if (state().isHeld || state().isSubscribed)
        return cupti::kMultipleSubscribers;
    state().isSubscribed = true;
    *subscriber = &state();
    return cupti::kSuccess;
}
CUPTI Result cuptiSubscribe_v2(void **subscriber, cupti::Callback callback, void *user, cupti::SubscriberParams *params)
{
    const Result result = cuptiSubscribe(subscriber, callback, user);
    if (result == cupti::kMultipleSubscribers && state().setup.version >= 130000)
        std::strncpy(params->holder, "CUPTI for another", params->holderBytes);
    return result;
}
CUPTI Result cuptiUnsubscribe(void *)
{
    std::scoped_lock lock(state().mutex);
    state().isSubscribed = false;
    return cupti::kSuccess;
}
CUPTI Result cuptiActivityRegisterCallbacks(cupti::RequestBuffer request, cupti::CompleteBuffer complete)
{
    std::scoped_lock lock(state().mutex);
    state().request = request;
    state().complete = complete;
    return cupti::kSuccess;
}
CUPTI Result cuptiActivityRegisterTimestampCallback(uint64_t (*timestamp)())
{
    std::scoped_lock lock(state().mutex);
    if (!state().setup.takesClock)
        return cupti::kNotCompatible;
    state().clockOffset = static_cast<int64_t>(timestamp()) - now();
    if (std::abs(state().clockOffset) < 1'000'000) // CLOCK_MONOTONIC itself
        state().clockOffset = 0;
    state().hasClock = true;
    return cupti::kSuccess;
}
CUPTI Result cuptiGetTimestamp(uint64_t *timestamp)
{
    std::scoped_lock lock(state().mutex);
    *timestamp = stamp(now());
    return cupti::kSuccess;
}
CUPTI Result cuptiSetThreadIdType(uint32_t) { return cupti::kSuccess; }
CUPTI Result cuptiActivityEnable(uint32_t kind)
{
    std::scoped_lock lock(state().mutex);
    state().enabled[kind % 64] = true;
    return cupti::kSuccess;
}
CUPTI Result cuptiActivityEnableAndDump(uint32_t kind)
{
    std::scoped_lock lock(state().mutex);
    state().enabled[kind % 64] = true;
    dump(kind);
    return cupti::kSuccess;
}
CUPTI Result cuptiActivityDisable(uint32_t kind)
{
    std::scoped_lock lock(state().mutex);
    state().enabled[kind % 64] = false;
    return cupti::kSuccess;
}
CUPTI Result cuptiGetCallbackName(uint32_t, uint32_t callback, const char **name)
{
    *name = callbackName(callback);
    return cupti::kSuccess;
}
CUPTI Result cuptiActivityFlushAll(uint32_t forced)
{
    std::scoped_lock lock(state().mutex);
    flush(forced != 0);
    return cupti::kSuccess;
}
CUPTI Result cuptiActivityGetNextRecord(uint8_t *buffer, size_t valid, void **record)
{
    size_t at = 0;
    if (*record) {
        uint32_t kind = 0;
        std::memcpy(&kind, *record, sizeof(kind));
        at = static_cast<size_t>(static_cast<uint8_t *>(*record) - buffer) + sizeOf(state().setup.version, kind);
    }
    if (at >= valid)
        return cupti::kMaxLimitReached;
    *record = buffer + at;
    return cupti::kSuccess;
}
CUPTI Result cuptiActivityGetNumDroppedRecords(void *, uint32_t, size_t *count)
{
    std::scoped_lock lock(state().mutex);
    *count = std::exchange(state().dropped, 0);
    return cupti::kSuccess;
}
