// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

/// The part of CUPTI's binary interface that is the same in CUDA 12 and 13, so that the build needs no CUDA toolkit.
/// Each record is declared only up to the prefix that all versions share; the library itself steps from one record to
/// the next. cupti_abi_check.cpp compares these declarations with the real header where it is installed.
namespace riffle::collector::cupti {

using Result = int;
inline constexpr Result kSuccess = 0, kMaxLimitReached = 12, kNotCompatible = 14, kMultipleSubscribers = 39;

enum Kind : uint32_t {
    kMemcpy = 1,
    kMemset = 2,
    kKernel = 3,
    kDriver = 4,
    kRuntime = 5,
    kDevice = 8,
    kContext = 9,
    kConcurrentKernel = 10,
    kOverhead = 17,
    kMemcpyPeer = 22,
    kStream = 37,
    kSynchronization = 38,
    kExternalCorrelation = 39,
    kMemory = 49,
    kMemoryPool = 50,
    kGraphTrace = 51
};

struct Api { // CUpti_ActivityAPI
    uint32_t kind, callback;
    uint64_t start, end;
    uint32_t process, thread, correlation, result;
};
static_assert(sizeof(Api) == 40);

struct Kernel { // CUpti_ActivityKernel5 and later
    uint32_t kind;
    uint8_t cacheConfig, sharedMemoryConfig;
    uint16_t registers;
    uint32_t partitioned, partitionedExecuted;
    uint64_t start, end, completed;
    uint32_t device, context, stream;
    int32_t gridX, gridY, gridZ, blockX, blockY, blockZ;
    int32_t staticShared, dynamicShared;
    uint32_t localPerThread, localTotal, correlation;
    int64_t gridId;
    const char *name;
    void *reserved;
    uint64_t queued, submitted;
    uint8_t launchType, sharedRequested, carveout, padding;
    uint32_t sharedExecuted;
    uint64_t graphNode;
    uint32_t sharedLimit, graph;
};
static_assert(offsetof(Kernel, correlation) == 92 && offsetof(Kernel, name) == 104 && offsetof(Kernel, graph) == 156);

struct Memcpy { // CUpti_ActivityMemcpy5 and later
    uint32_t kind;
    uint8_t copyKind, sourceKind, destinationKind, flags;
    uint64_t bytes, start, end;
    uint32_t device, context, stream, correlation, runtimeCorrelation, padding;
    void *reserved;
    uint64_t graphNode;
    uint32_t graph;
};
static_assert(offsetof(Memcpy, correlation) == 44 && offsetof(Memcpy, graph) == 72);

struct MemcpyPeer { // CUpti_ActivityMemcpyPtoP3 and later
    uint32_t kind;
    uint8_t copyKind, sourceKind, destinationKind, flags;
    uint64_t bytes, start, end;
    uint32_t device, context, stream, sourceDevice, sourceContext, destinationDevice, destinationContext, correlation;
    void *reserved;
    uint64_t graphNode;
    uint32_t graph;
};
static_assert(offsetof(MemcpyPeer, correlation) == 60 && offsetof(MemcpyPeer, graph) == 80);

struct Memset { // CUpti_ActivityMemset4
    uint32_t kind, value;
    uint64_t bytes, start, end;
    uint32_t device, context, stream, correlation;
    uint16_t flags, memoryKind;
    uint32_t padding;
    void *reserved;
    uint64_t graphNode;
    uint32_t graph;
};
static_assert(offsetof(Memset, memoryKind) == 50 && offsetof(Memset, graph) == 72);

struct Synchronization { // CUpti_ActivitySynchronization
    uint32_t kind, type;
    uint64_t start, end;
    uint32_t correlation, context, stream, event;
};
static_assert(sizeof(Synchronization) == 40);

struct Overhead { // CUpti_ActivityOverhead
    uint32_t kind, overheadKind, objectKind;
    uint32_t object[3]; ///< process and thread if objectKind says so
    uint64_t start, end;
};
static_assert(offsetof(Overhead, start) == 24);

struct ExternalCorrelation { // CUpti_ActivityExternalCorrelation
    uint32_t kind, externalKind;
    uint64_t externalId;
    uint32_t correlation, reserved;
};
static_assert(sizeof(ExternalCorrelation) == 24);

struct Memory { // CUpti_ActivityMemory3 and later
    uint32_t kind, operation, memoryKind, correlation;
    uint64_t address, bytes, time, programCounter;
    uint32_t process, device, context, stream;
    const char *name;
    uint32_t isAsync, padding, poolType, padding2;
    uint64_t pool, releaseThreshold, poolSize, poolUsed; ///< the pool of the allocation, and its state afterwards
};
static_assert(sizeof(Memory) == 120);

struct MemoryPool { // CUpti_ActivityMemoryPool2 and later
    uint32_t kind, operation, poolType, correlation, process, device;
    uint64_t keptBytes, address, size, releaseThreshold, time, used;
};
static_assert(sizeof(MemoryPool) == 72);

struct GraphTrace { // CUpti_ActivityGraphTrace and later
    uint32_t kind, correlation;
    uint64_t start, end;
    uint32_t device, graph, context, stream;
};
static_assert(sizeof(GraphTrace) == 40);

struct Device { // CUpti_ActivityDevice4 and later
    uint32_t kind, flags;
    uint64_t memoryBandwidth, memoryBytes;
    uint32_t constantMemory, l2Cache, threadsPerWarp, clock, copyEngines, multiprocessors, instructionsPerCycle;
    uint32_t warpsPerMultiprocessor, blocksPerMultiprocessor, sharedPerMultiprocessor, registersPerMultiprocessor;
    uint32_t registersPerBlock, sharedPerBlock, threadsPerBlock, block[3], grid[3], major, minor, id, ecc;
    uint8_t uuid[16];
    const char *name;
};
static_assert(offsetof(Device, name) == 136);

struct Context { // CUpti_ActivityContext
    uint32_t kind, context, device;
    uint16_t api, nullStream;
};
static_assert(sizeof(Context) == 16);

struct Stream { // CUpti_ActivityStream
    uint32_t kind, context, stream, priority, flag, correlation;
};
static_assert(sizeof(Stream) == 24);

struct SubscriberParams { // CUpti_SubscriberParams of CUDA 13.0; later versions are longer and distinguished by `size`
    size_t size;
    const char *name;
    char *holder; ///< receives the name of the current subscriber if the subscription is refused
    size_t holderBytes;
};
static_assert(sizeof(SubscriberParams) == 32);

using Callback = void (*)(void *user, uint32_t domain, uint32_t callback, const void *data);
using RequestBuffer = void (*)(uint8_t **buffer, size_t *size, size_t *maxRecords);
using CompleteBuffer = void (*)(void *context, uint32_t stream, uint8_t *buffer, size_t size, size_t valid);

/// The functions of the library that we call; optional ones are null if this version lacks them.
struct Functions {
    Result (*getVersion)(uint32_t *version);
    Result (*getResultString)(Result result, const char **text);
    Result (*subscribe)(void **subscriber, Callback callback, void *user);
    Result (*subscribeNamed)(void **subscriber, Callback callback, void *user,
                             SubscriberParams *params); ///< since 13.0
    Result (*unsubscribe)(void *subscriber);
    Result (*registerCallbacks)(RequestBuffer request, CompleteBuffer complete);
    Result (*registerTimestamp)(uint64_t (*timestamp)());
    Result (*timestamp)(uint64_t *stamp);
    Result (*setThreadIdType)(uint32_t type);
    Result (*enable)(uint32_t kind);
    Result (*enableAndDump)(uint32_t kind);
    Result (*disable)(uint32_t kind);
    Result (*flushAll)(uint32_t flags);
    Result (*nextRecord)(uint8_t *buffer, size_t valid, void **record);
    Result (*droppedRecords)(void *context, uint32_t stream, size_t *count);
    Result (*callbackName)(uint32_t domain, uint32_t callback, const char **name);
};

} // namespace riffle::collector::cupti
