// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/src/sources/cupti_abi.h"

// Nothing but assertions, where CUPTI's header is installed.
#if __has_include(<cupti.h>)
#include <cupti.h>

namespace riffle::collector::cupti {

#define RIFFLE_SAME(Ours, field, Theirs, theirField) \
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
RIFFLE_SAME(Memcpy, copyKind, CUpti_ActivityMemcpy5, copyKind);
RIFFLE_SAME(Memcpy, bytes, CUpti_ActivityMemcpy5, bytes);
RIFFLE_SAME(Memcpy, stream, CUpti_ActivityMemcpy5, streamId);
RIFFLE_SAME(Memcpy, correlation, CUpti_ActivityMemcpy5, correlationId);
RIFFLE_SAME(Memcpy, graphNode, CUpti_ActivityMemcpy5, graphNodeId);
RIFFLE_SAME(MemcpyPeer, stream, CUpti_ActivityMemcpyPtoP4, streamId);
RIFFLE_SAME(MemcpyPeer, correlation, CUpti_ActivityMemcpyPtoP4, correlationId);
RIFFLE_SAME(Memset, bytes, CUpti_ActivityMemset4, bytes);
RIFFLE_SAME(Memset, correlation, CUpti_ActivityMemset4, correlationId);
RIFFLE_SAME(Memset, memoryKind, CUpti_ActivityMemset4, memoryKind);
RIFFLE_SAME(Synchronization, type, CUpti_ActivitySynchronization, type);
RIFFLE_SAME(Synchronization, correlation, CUpti_ActivitySynchronization, correlationId);
RIFFLE_SAME(Synchronization, event, CUpti_ActivitySynchronization, cudaEventId);
RIFFLE_SAME(Overhead, overheadKind, CUpti_ActivityOverhead3, overheadKind);
RIFFLE_SAME(Overhead, object, CUpti_ActivityOverhead3, objectId);
RIFFLE_SAME(Overhead, start, CUpti_ActivityOverhead3, start);
RIFFLE_SAME(ExternalCorrelation, externalId, CUpti_ActivityExternalCorrelation, externalId);
RIFFLE_SAME(ExternalCorrelation, correlation, CUpti_ActivityExternalCorrelation, correlationId);

static_assert(uint32_t(kConcurrentKernel) == uint32_t(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL));
static_assert(uint32_t(kMemcpyPeer) == uint32_t(CUPTI_ACTIVITY_KIND_MEMCPY2));
static_assert(uint32_t(kSynchronization) == uint32_t(CUPTI_ACTIVITY_KIND_SYNCHRONIZATION));
static_assert(uint32_t(kExternalCorrelation) == uint32_t(CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION));
static_assert(kMultipleSubscribers == int(CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED));
static_assert(kMaxLimitReached == int(CUPTI_ERROR_MAX_LIMIT_REACHED));

} // namespace riffle::collector::cupti
#endif
