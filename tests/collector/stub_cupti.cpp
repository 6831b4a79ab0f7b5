// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0

// A stand-in for libcupti.so: answers as CUPTI does and hands out records in the layout of CUDA 12 (STUB_CUPTI=12) or 13.
// STUB_CUPTI_REFUSE=1: another profiler holds it. STUB_CUPTI_ODD=1: kinds that nobody knows, kernels without a time, drops.
// Records come from stub_launch(), which does as if the program had launched a kernel, and leave with the next flush.
#include "collector/src/sources/cupti_abi.h"

#include <cstdlib>
#include <cstring>
#include <ctime>
#include <mutex>
#include <string>
#include <sys/syscall.h>
#include <unistd.h>
#include <vector>

#define STUB extern "C" __attribute__((visibility("default")))

using namespace riffle::collector::cupti;

namespace {

bool is(const char *variable, const char *value)
{
    const char *text = std::getenv(variable);
    return text && std::string(text) == value;
}
bool isOld() { return is("STUB_CUPTI", "12"); }

struct State {
    std::mutex mutex;
    RequestBuffer request = nullptr;
    CompleteBuffer complete = nullptr;
    uint64_t (*timestamp)() = nullptr;
    bool enabled[64] = {};
    bool subscribed = false;
    std::vector<std::string> records;
    uint32_t correlation = 0;
    size_t dropped = 0;
};
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
    return static_cast<uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(time.tv_nsec);
}

size_t sizeOf(uint32_t kind)
{
    switch (kind) {
    case kConcurrentKernel: return isOld() ? 208 : 216;
    case kMemcpy: return isOld() ? 88 : 96;
    case kMemset: return 88;
    case kRuntime:
    case kDriver: return 40;
    case kSynchronization: return isOld() ? 40 : 56;
    default: return 64;
    }
}

template <typename T>
void add(const T &record)
{
    if (record.kind < 64 && !state().enabled[record.kind] && record.kind != 63)
        return;
    std::string bytes(sizeOf(record.kind), '\0');
    std::memcpy(bytes.data(), &record, std::min(bytes.size(), sizeof(record)));
    state().records.push_back(bytes);
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
STUB Result cuptiGetTimestamp(uint64_t *time)
{
    *time = now();
    return kSuccess;
}
STUB Result cuptiSubscribe(void **subscriber, void (*)(void *, uint32_t, uint32_t, const void *), void *)
{
    if (is("STUB_CUPTI_REFUSE", "1") || state().subscribed)
        return kMultipleSubscribers;
    if (is("STUB_CUPTI_REFUSE", "error"))
        return 999;
    state().subscribed = true;
    *subscriber = &state();
    return kSuccess;
}
STUB Result cuptiUnsubscribe(void *)
{
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
STUB Result cuptiSetThreadIdType(uint32_t) { return kSuccess; }
STUB Result cuptiActivityEnable(uint32_t kind)
{
    state().enabled[kind % 64] = true;
    return kSuccess;
}
STUB Result cuptiActivityDisable(uint32_t kind)
{
    state().enabled[kind % 64] = false;
    return kSuccess;
}
STUB Result cuptiGetCallbackName(uint32_t domain, uint32_t callback, const char **name)
{
    *name = domain == 2 && callback == 211 ? "cudaLaunchKernel_v7000" : domain == 2 ? "cudaMemcpyAsync_v3020" : "cuLaunchKernel";
    return kSuccess;
}
STUB Result cuptiActivityFlushAll(uint32_t)
{
    std::vector<std::string> records;
    {
        std::scoped_lock lock(state().mutex);
        records.swap(state().records);
    }
    while (!records.empty()) {
        uint8_t *buffer = nullptr;
        size_t size = 0, most = 0, used = 0;
        state().request(&buffer, &size, &most);
        if (!buffer) {
            state().dropped += records.size();
            return kSuccess;
        }
        size_t taken = 0;
        for (; taken < records.size() && used + records[taken].size() <= size; ++taken) {
            std::memcpy(buffer + used, records[taken].data(), records[taken].size());
            used += records[taken].size();
        }
        records.erase(records.begin(), records.begin() + static_cast<std::ptrdiff_t>(taken));
        state().complete(nullptr, 0, buffer, size, used);
    }
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

/// One kernel launch, a copy, a memset and a synchronisation, at once.
STUB void stub_launch(uint32_t stream)
{
    std::scoped_lock lock(state().mutex);
    const uint64_t time = now();
    const uint32_t correlation = ++state().correlation;
    Api api{};
    api.kind = kRuntime;
    api.callback = 211;
    api.start = time;
    api.end = time + 400;
    api.process = static_cast<uint32_t>(getpid());
    api.thread = static_cast<uint32_t>(syscall(SYS_gettid));
    api.correlation = correlation;
    add(api);
    Kernel kernel{};
    kernel.kind = kConcurrentKernel;
    kernel.start = time + 700;
    kernel.end = time + 950;
    kernel.stream = stream;
    kernel.context = 1;
    kernel.correlation = correlation;
    kernel.gridX = 10;
    kernel.gridY = kernel.gridZ = 1;
    kernel.blockX = 128;
    kernel.blockY = kernel.blockZ = 1;
    kernel.registers = 32;
    kernel.staticShared = 1024;
    kernel.dynamicShared = 512;
    kernel.name = "_Z9syntheticIfEvT_";
    add(kernel);
    Memcpy copy{};
    copy.kind = kMemcpy;
    copy.copyKind = 1;
    copy.sourceKind = 1;
    copy.destinationKind = 3;
    copy.bytes = 4096;
    copy.start = time + 1000;
    copy.end = time + 1100;
    copy.stream = stream;
    copy.correlation = correlation;
    add(copy);
    Memset set{};
    set.kind = kMemset;
    set.bytes = 256;
    set.start = time + 1200;
    set.end = time + 1210;
    set.stream = stream;
    set.correlation = correlation;
    set.memoryKind = 3;
    add(set);
    Synchronization sync{};
    sync.kind = kSynchronization;
    sync.type = 3;
    sync.start = time + 1300;
    sync.end = time + 1400;
    sync.stream = stream;
    sync.event = UINT32_MAX;
    sync.correlation = correlation;
    add(sync);
    if (is("STUB_CUPTI_ODD", "1")) {
        kernel.start = kernel.end = 0;
        add(kernel);
        Overhead unknown{};
        unknown.kind = 63;
        add(unknown);
        ++state().dropped;
    }
}
