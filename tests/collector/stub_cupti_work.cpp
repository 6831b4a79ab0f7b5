// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0

// The functions that make the stand-in for libcupti.so produce records.
#include "tests/collector/stub_cupti.h"

#include <sys/syscall.h>
#include <unistd.h>

using namespace riffle::stub;

namespace {

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
    constexpr uint32_t kNcclStream = 20;
    kernel.name = stream == kNcclStream ? "ncclDevKernel_AllReduce_Sum_f32_RING_LL" : "_Z9syntheticIfEvT_";
    return kernel;
}

} // namespace

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
