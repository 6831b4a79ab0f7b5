// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/src/sources/cupti_abi.h"

// This file contains only assertions, which are compiled where CUPTI's header is installed.
#if __has_include(<cupti.h>)
#include <cupti.h>

namespace riffle::collector::cupti {

#define RIFFLE_SAME(Ours, field, Theirs, theirField)                                                                   \
    static_assert(offsetof(Ours, field) == offsetof(Theirs, theirField), #Ours "::" #field)

RIFFLE_SAME(Api, callback, CUpti_ActivityAPI, cbid);
RIFFLE_SAME(Api, start, CUpti_ActivityAPI, start);
RIFFLE_SAME(Api, thread, CUpti_ActivityAPI, threadId);
RIFFLE_SAME(Api, correlation, CUpti_ActivityAPI, correlationId);
RIFFLE_SAME(Api, result, CUpti_ActivityAPI, returnValue);
RIFFLE_SAME(Kernel, registers, CUpti_ActivityKernel9, registersPerThread);
RIFFLE_SAME(Kernel, start, CUpti_ActivityKernel9, start);
RIFFLE_SAME(Kernel, device, CUpti_ActivityKernel9, deviceId);
RIFFLE_SAME(Kernel, stream, CUpti_ActivityKernel9, streamId);
RIFFLE_SAME(Kernel, gridX, CUpti_ActivityKernel9, gridX);
RIFFLE_SAME(Kernel, blockZ, CUpti_ActivityKernel9, blockZ);
RIFFLE_SAME(Kernel, staticShared, CUpti_ActivityKernel9, staticSharedMemory);
RIFFLE_SAME(Kernel, correlation, CUpti_ActivityKernel9, correlationId);
RIFFLE_SAME(Kernel, name, CUpti_ActivityKernel9, name);
RIFFLE_SAME(Kernel, queued, CUpti_ActivityKernel9, queued);
RIFFLE_SAME(Kernel, graphNode, CUpti_ActivityKernel9, graphNodeId);
RIFFLE_SAME(Kernel, graph, CUpti_ActivityKernel9, graphId);
RIFFLE_SAME(Memcpy, copyKind, CUpti_ActivityMemcpy5, copyKind);
RIFFLE_SAME(Memcpy, bytes, CUpti_ActivityMemcpy5, bytes);
RIFFLE_SAME(Memcpy, stream, CUpti_ActivityMemcpy5, streamId);
RIFFLE_SAME(Memcpy, correlation, CUpti_ActivityMemcpy5, correlationId);
RIFFLE_SAME(Memcpy, graphNode, CUpti_ActivityMemcpy5, graphNodeId);
RIFFLE_SAME(Memcpy, graph, CUpti_ActivityMemcpy5, graphId);
RIFFLE_SAME(MemcpyPeer, stream, CUpti_ActivityMemcpyPtoP4, streamId);
RIFFLE_SAME(MemcpyPeer, correlation, CUpti_ActivityMemcpyPtoP4, correlationId);
RIFFLE_SAME(MemcpyPeer, graphNode, CUpti_ActivityMemcpyPtoP4, graphNodeId);
RIFFLE_SAME(MemcpyPeer, graph, CUpti_ActivityMemcpyPtoP4, graphId);
RIFFLE_SAME(Memset, bytes, CUpti_ActivityMemset4, bytes);
RIFFLE_SAME(Memset, correlation, CUpti_ActivityMemset4, correlationId);
RIFFLE_SAME(Memset, memoryKind, CUpti_ActivityMemset4, memoryKind);
RIFFLE_SAME(Memset, graphNode, CUpti_ActivityMemset4, graphNodeId);
RIFFLE_SAME(Memset, graph, CUpti_ActivityMemset4, graphId);
RIFFLE_SAME(Synchronization, type, CUpti_ActivitySynchronization, type);
RIFFLE_SAME(Synchronization, correlation, CUpti_ActivitySynchronization, correlationId);
RIFFLE_SAME(Synchronization, event, CUpti_ActivitySynchronization, cudaEventId);
RIFFLE_SAME(Overhead, overheadKind, CUpti_ActivityOverhead3, overheadKind);
RIFFLE_SAME(Overhead, object, CUpti_ActivityOverhead3, objectId);
RIFFLE_SAME(Overhead, start, CUpti_ActivityOverhead3, start);
RIFFLE_SAME(ExternalCorrelation, externalId, CUpti_ActivityExternalCorrelation, externalId);
RIFFLE_SAME(ExternalCorrelation, correlation, CUpti_ActivityExternalCorrelation, correlationId);
RIFFLE_SAME(Memory, operation, CUpti_ActivityMemory4, memoryOperationType);
RIFFLE_SAME(Memory, memoryKind, CUpti_ActivityMemory4, memoryKind);
RIFFLE_SAME(Memory, correlation, CUpti_ActivityMemory4, correlationId);
RIFFLE_SAME(Memory, address, CUpti_ActivityMemory4, address);
RIFFLE_SAME(Memory, time, CUpti_ActivityMemory4, timestamp);
RIFFLE_SAME(Memory, device, CUpti_ActivityMemory4, deviceId);
RIFFLE_SAME(Memory, stream, CUpti_ActivityMemory4, streamId);
RIFFLE_SAME(Memory, name, CUpti_ActivityMemory4, name);
RIFFLE_SAME(Memory, poolType, CUpti_ActivityMemory4, memoryPoolConfig.memoryPoolType);
RIFFLE_SAME(Memory, pool, CUpti_ActivityMemory4, memoryPoolConfig.address);
RIFFLE_SAME(Memory, poolSize, CUpti_ActivityMemory4, memoryPoolConfig.pool.size);
RIFFLE_SAME(Memory, poolUsed, CUpti_ActivityMemory4, memoryPoolConfig.utilizedSize);
RIFFLE_SAME(MemoryPool, operation, CUpti_ActivityMemoryPool2, memoryPoolOperationType);
RIFFLE_SAME(MemoryPool, poolType, CUpti_ActivityMemoryPool2, memoryPoolType);
RIFFLE_SAME(MemoryPool, device, CUpti_ActivityMemoryPool2, deviceId);
RIFFLE_SAME(MemoryPool, address, CUpti_ActivityMemoryPool2, address);
RIFFLE_SAME(MemoryPool, size, CUpti_ActivityMemoryPool2, size);
RIFFLE_SAME(MemoryPool, time, CUpti_ActivityMemoryPool2, timestamp);
RIFFLE_SAME(MemoryPool, used, CUpti_ActivityMemoryPool2, utilizedSize);
RIFFLE_SAME(GraphTrace, start, CUpti_ActivityGraphTrace2, start);
RIFFLE_SAME(GraphTrace, graph, CUpti_ActivityGraphTrace2, graphId);
RIFFLE_SAME(GraphTrace, stream, CUpti_ActivityGraphTrace2, streamId);
RIFFLE_SAME(Device, memoryBytes, CUpti_ActivityDevice5, globalMemorySize);
RIFFLE_SAME(Device, threadsPerWarp, CUpti_ActivityDevice5, numThreadsPerWarp);
RIFFLE_SAME(Device, multiprocessors, CUpti_ActivityDevice5, numMultiprocessors);
RIFFLE_SAME(Device, warpsPerMultiprocessor, CUpti_ActivityDevice5, maxWarpsPerMultiprocessor);
RIFFLE_SAME(Device, registersPerMultiprocessor, CUpti_ActivityDevice5, maxRegistersPerMultiprocessor);
RIFFLE_SAME(Device, sharedPerBlock, CUpti_ActivityDevice5, maxSharedMemoryPerBlock);
RIFFLE_SAME(Device, major, CUpti_ActivityDevice5, computeCapabilityMajor);
RIFFLE_SAME(Device, id, CUpti_ActivityDevice5, id);
RIFFLE_SAME(Device, uuid, CUpti_ActivityDevice5, uuid);
RIFFLE_SAME(Device, name, CUpti_ActivityDevice5, name);
RIFFLE_SAME(Context, context, CUpti_ActivityContext3, contextId);
RIFFLE_SAME(Context, device, CUpti_ActivityContext3, deviceId);
RIFFLE_SAME(Context, nullStream, CUpti_ActivityContext3, nullStreamId);
RIFFLE_SAME(Stream, context, CUpti_ActivityStream, contextId);
RIFFLE_SAME(Stream, stream, CUpti_ActivityStream, streamId);
RIFFLE_SAME(Stream, priority, CUpti_ActivityStream, priority);
#if CUPTI_API_VERSION >= 130000
RIFFLE_SAME(SubscriberParams, name, CUpti_SubscriberParams, subscriberName);
RIFFLE_SAME(SubscriberParams, holder, CUpti_SubscriberParams, oldSubscriberName);
RIFFLE_SAME(SubscriberParams, holderBytes, CUpti_SubscriberParams, oldSubscriberSize);
static_assert(sizeof(MemoryPool) < sizeof(CUpti_ActivityMemoryPool3));
#endif

static_assert(uint32_t(kConcurrentKernel) == uint32_t(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL));
static_assert(uint32_t(kMemcpyPeer) == uint32_t(CUPTI_ACTIVITY_KIND_MEMCPY2));
static_assert(uint32_t(kSynchronization) == uint32_t(CUPTI_ACTIVITY_KIND_SYNCHRONIZATION));
static_assert(uint32_t(kExternalCorrelation) == uint32_t(CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION));
static_assert(uint32_t(kMemory) == uint32_t(CUPTI_ACTIVITY_KIND_MEMORY2));
static_assert(uint32_t(kMemoryPool) == uint32_t(CUPTI_ACTIVITY_KIND_MEMORY_POOL));
static_assert(uint32_t(kGraphTrace) == uint32_t(CUPTI_ACTIVITY_KIND_GRAPH_TRACE));
static_assert(uint32_t(kStream) == uint32_t(CUPTI_ACTIVITY_KIND_STREAM));
static_assert(kNotCompatible == int(CUPTI_ERROR_NOT_COMPATIBLE));
static_assert(kMultipleSubscribers == int(CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED));
static_assert(kMaxLimitReached == int(CUPTI_ERROR_MAX_LIMIT_REACHED));

} // namespace riffle::collector::cupti
#endif
