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
#include "collector/src/sources/cupti_abi.h"

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <mutex>
#include <string>
#include <sys/syscall.h>
#include <thread>
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

Api call(uint32_t kind, uint32_t callback, uint64_t start)
{
    Api api{};
    api.kind = kind;
    api.callback = callback;
    api.start = start;
    api.end = start + 400;
    api.process = static_cast<uint32_t>(getpid());
    api.thread = static_cast<uint32_t>(syscall(SYS_gettid));
    api.correlation = ++state().correlation;
    return api;
}

Kernel kernel(uint32_t stream, uint32_t correlation, uint64_t start)
{
    Kernel kernel{};
    kernel.kind = kConcurrentKernel;
    kernel.start = start;
    kernel.end = start + 250;
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
    return kernel;
}

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

/// Records the call that libcudart's cudaRuntimeGetVersion() makes.
STUB void stub_runtime_call()
{
    std::scoped_lock lock(state().mutex);
    add(call(kRuntime, 2, now()));
}

/// Records one kernel launch with its kernel, copies, a memset, a synchronisation and overhead.
STUB void stub_launch(uint32_t stream)
{
    std::scoped_lock lock(state().mutex);
    const uint64_t time = now();
    const Api api = call(kRuntime, 211, time);
    add(ExternalCorrelation{kExternalCorrelation, 5, api.correlation + 1'000'000ull, api.correlation, 0});
    add(api);
    add(kernel(stream, api.correlation, time + 700));
    Memcpy copy{};
    copy.kind = kMemcpy;
    copy.copyKind = 1;
    copy.sourceKind = 1;
    copy.destinationKind = 3;
    copy.bytes = 4096;
    copy.start = time + 1000;
    copy.end = time + 1100;
    copy.stream = stream;
    copy.correlation = api.correlation;
    add(copy);
    Memset set{};
    set.kind = kMemset;
    set.bytes = 256;
    set.start = time + 1200;
    set.end = time + 1210;
    set.stream = stream;
    set.correlation = api.correlation;
    set.memoryKind = 3;
    add(set);
    Synchronization sync{};
    sync.kind = kSynchronization;
    sync.type = 3;
    sync.start = time + 1300;
    sync.end = time + 1400;
    sync.context = 1;
    sync.stream = stream;
    sync.event = UINT32_MAX;
    sync.correlation = api.correlation;
    add(sync);
    Overhead overhead{};
    overhead.kind = kOverhead;
    overhead.overheadKind = 1 << 16;
    overhead.objectKind = 2;
    overhead.object[0] = api.process;
    overhead.object[1] = api.thread;
    overhead.start = time + 1500;
    overhead.end = time + 1600;
    add(overhead);
    MemcpyPeer peer{};
    peer.kind = kMemcpyPeer;
    peer.copyKind = 10;
    peer.sourceKind = peer.destinationKind = 3;
    peer.bytes = 64;
    peer.start = time + 1700;
    peer.end = time + 1800;
    peer.stream = stream;
    peer.correlation = api.correlation;
    add(peer);
    if (is("STUB_CUPTI_ODD", "1")) {
        Kernel timeless = kernel(stream, api.correlation, 0);
        timeless.end = 0;
        add(timeless);
        Overhead unknown{};
        unknown.kind = 63;
        add(unknown);
        ++state().dropped;
    }
}

/// A launch whose kernel has not been reported yet, and that kernel.
STUB uint32_t stub_lone_launch()
{
    std::scoped_lock lock(state().mutex);
    const Api api = call(kRuntime, 211, now());
    add(api);
    return api.correlation;
}
STUB void stub_lone_kernel(uint32_t stream, uint32_t correlation)
{
    std::scoped_lock lock(state().mutex);
    add(kernel(stream, correlation, now()));
}
/// Records a kernel that a forced flush returns while it runs.
STUB void stub_unfinished_kernel(uint32_t stream)
{
    std::scoped_lock lock(state().mutex);
    Kernel unfinished = kernel(stream, ++state().correlation, now());
    unfinished.end = 0;
    add(unfinished);
}
/// Records a synchronisation in a context, and the context, which CUPTI may report in any order.
STUB void stub_synchronize(uint32_t context)
{
    std::scoped_lock lock(state().mutex);
    const uint64_t time = now();
    add(Synchronization{kSynchronization, 3, time, time + 100, ++state().correlation, context, 7, UINT32_MAX});
}
STUB void stub_context(uint32_t context, uint32_t device)
{
    std::scoped_lock lock(state().mutex);
    add(Context{kContext, context, device, 1, 7});
}
/// Records a launch of graph 77, which has two kernels; if whole graphs are recorded, the kernels are not.
STUB void stub_graph(uint32_t stream)
{
    std::scoped_lock lock(state().mutex);
    const uint64_t time = now();
    const Api api = call(kRuntime, 211, time);
    add(api);
    if (state().enabled[kGraphTrace])
        return add(GraphTrace{kGraphTrace, api.correlation, time + 700, time + 1700, 1, 77, 1, stream});
    for (uint64_t node = 0; node < 2; ++node) {
        Kernel one = kernel(stream, api.correlation, time + 700 + 500 * node);
        one.graph = 77;
        one.graphNode = 770 + node;
        add(one);
    }
}

/// Records a cudaMalloc() or cudaFree() of memory of this kind on device 1. A release does not contain the size.
STUB void stub_memory(int release, uint64_t address, uint64_t bytes, uint32_t memoryKind)
{
    std::scoped_lock lock(state().mutex);
    const Api api = call(kRuntime, release ? 22 : 20, now());
    Memory memory{};
    memory.kind = kMemory;
    memory.operation = release ? 2 : 1;
    memory.memoryKind = memoryKind;
    memory.correlation = api.correlation;
    memory.address = address;
    memory.bytes = release ? 0 : bytes;
    memory.time = api.start + 100;
    memory.device = 1;
    memory.context = 1;
    memory.stream = UINT32_MAX;
    add(memory);
    add(api);
}

/// Records a cudaMallocAsync() or a release, from a pool that afterwards has `size` bytes, `used` of them in use.
STUB void stub_pool_memory(int release, uint64_t address, uint64_t bytes, uint64_t size, uint64_t used)
{
    std::scoped_lock lock(state().mutex);
    Memory memory{};
    memory.kind = kMemory;
    memory.operation = release ? 2 : 1;
    memory.memoryKind = 3;
    memory.correlation = ++state().correlation; // of a call that is not recorded
    memory.address = address;
    memory.bytes = bytes;
    memory.time = now();
    memory.device = 1;
    memory.context = 1;
    memory.stream = 7;
    memory.isAsync = 1;
    memory.poolType = 1;
    memory.pool = 0xB000;
    memory.poolSize = size;
    memory.poolUsed = used;
    add(memory);
}

/// Records that the pool is created (1), destroyed (2) or trimmed (3).
STUB void stub_pool(uint32_t operation, uint64_t size, uint64_t used)
{
    std::scoped_lock lock(state().mutex);
    MemoryPool pool{};
    pool.kind = kMemoryPool;
    pool.operation = operation;
    pool.poolType = 1;
    pool.device = 1;
    pool.address = 0xB000;
    pool.size = size;
    pool.used = used;
    pool.time = now();
    add(pool);
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
