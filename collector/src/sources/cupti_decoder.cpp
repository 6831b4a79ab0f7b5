// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/src/sources/cupti_decoder.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <cxxabi.h>

namespace riffle::collector {

namespace {

constexpr uint32_t kDriverDomain = 1, kRuntimeDomain = 2;

template <typename T>
T as(const void *record)
{
    T value;
    std::memcpy(&value, record, sizeof(value));
    return value;
}

const char *nameOf(std::initializer_list<const char *> names, size_t index)
{
    return index < names.size() ? names.begin()[index] : "?";
}

const char *copyKind(uint8_t kind)
{
    return nameOf({"?", "HtoD", "DtoH", "HtoA", "AtoH", "AtoA", "AtoD", "DtoA", "DtoD", "HtoH", "PtoP"}, kind);
}

std::string copyName(uint8_t kind, uint8_t from, uint8_t to)
{
    return std::string("Memcpy ") + copyKind(kind) + " (" + memoryKindName(from) + " -> " + memoryKindName(to) + ")";
}

/// The name without its version: "cudaLaunchKernel_v7000" becomes "cudaLaunchKernel".
std::string withoutVersion(std::string name)
{
    const size_t at = name.rfind("_v");
    if (at != std::string::npos && at + 2 < name.size() &&
        name.find_first_not_of("0123456789", at + 2) == std::string::npos)
        name.resize(at);
    return name;
}

} // namespace

const char *memoryKindName(size_t kind)
{
    return nameOf({"Unknown", "Pageable", "Pinned", "Device", "Array", "Managed", "Device Static", "Managed Static"},
                  kind);
}

const CuptiDecoder::CallName &CuptiDecoder::callName(uint32_t domain, uint32_t callback)
{
    CallName &name = m_callNames[uint64_t{domain} << 32 | callback];
    if (name.text.empty()) {
        const char *text = nullptr;
        if (m_library->functions.callbackName)
            m_library->functions.callbackName(domain, callback, &text);
        name.text = text ? withoutVersion(text)
                         : (domain == kRuntimeDomain ? "cuda call " : "cu call ") + std::to_string(callback);
        for (const char *word : {"lloc", "Free", "Pool"})
            name.ofMemory |= name.text.find(word) != std::string::npos;
        name.waits = StepSummaries::isWait(name.text);
        name.launches = LaunchTracker::isLaunch(name.text);
        name.beginsCapture = name.text.find("StreamBeginCapture") != std::string::npos;
        name.endsCapture = name.text.find("StreamEndCapture") != std::string::npos;
    }
    return name;
}

const CuptiDecoder::KernelName &CuptiDecoder::kernelName(const char *mangled)
{
    RecentName &recent = m_recentNames[std::hash<const char *>()(mangled) / 8 % m_recentNames.size()];
    if (!recent.name || recent.mangled != mangled)
        recent = {mangled, &m_kernelNames[mangled]};
    KernelName &name = *recent.name;
    const char *text = mangled ? mangled : "?";
    if (name.plain.empty() || name.mangled != text) {
        int status = 0;
        char *plain = abi::__cxa_demangle(text, nullptr, nullptr, &status);
        name = {text, plain ? plain : text, 0, 0, false};
        name.communicates = StepSummaries::communicates(name.plain);
        std::free(plain);
    }
    if (name.generation != m_log.textGeneration()) {
        name.id = m_log.text(name.plain);
        name.generation = m_log.textGeneration();
    }
    return name;
}

bool CuptiDecoder::isKept(int64_t time) const
{
    const auto after = std::upper_bound(m_windows.begin(), m_windows.end(), time,
                                        [](int64_t value, const Window &window) { return value < window.begin; });
    return after != m_windows.begin() && time < (after - 1)->end;
}

bool CuptiDecoder::isKept(uint64_t start, uint64_t end)
{
    if (start != 0 && !isKept(time(start)))
        return false;
    const bool isTimed = start != 0 && end >= start;
    m_withoutTime += !isTimed;
    return isTimed;
}

void CuptiDecoder::decode(uint8_t *buffer, size_t valid)
{
    void *record = nullptr;
    m_launches.bufferBegins();
    while (m_library->functions.nextRecord(buffer, valid, &record) == cupti::kSuccess) {
        ++m_records;
        this->record(record);
        if (m_log.isDue())
            m_log.flush();
    }
}

void CuptiDecoder::record(const void *record)
{
    switch (as<uint32_t>(record)) {
    case cupti::kDevice: return device(as<cupti::Device>(record));
    case cupti::kContext: return context(as<cupti::Context>(record));
    case cupti::kStream: return stream(as<cupti::Stream>(record));
    case cupti::kMemory: return memory(as<cupti::Memory>(record));
    case cupti::kMemoryPool: return pool(as<cupti::MemoryPool>(record));
    case cupti::kRuntime:
    case cupti::kDriver: return call(as<cupti::Api>(record));
    case cupti::kKernel:
    case cupti::kConcurrentKernel: return kernel(as<cupti::Kernel>(record));
    case cupti::kMemcpy: return copy(as<cupti::Memcpy>(record));
    case cupti::kMemcpyPeer: return peerCopy(as<cupti::MemcpyPeer>(record));
    case cupti::kMemset: return set(as<cupti::Memset>(record));
    case cupti::kSynchronization: return synchronization(as<cupti::Synchronization>(record));
    case cupti::kOverhead: return overhead(as<cupti::Overhead>(record));
    case cupti::kGraphTrace: return graph(as<cupti::GraphTrace>(record));
    case cupti::kExternalCorrelation: {
        const auto external = as<cupti::ExternalCorrelation>(record);
        m_log.externals.row(0, 0, external.correlation, external.externalId);
        return;
    }
    default: break; // kinds that were not requested
    }
}

/// The context of a kernel or copy has its device, unless the context's own record says otherwise.
void CuptiDecoder::learn(uint32_t context, uint32_t device)
{
    if (context != m_lastContext)
        m_contexts.try_emplace(m_lastContext = context, device);
}

void CuptiDecoder::kernel(const cupti::Kernel &kernel)
{
    learn(kernel.context, kernel.device);
    m_launches.ran(kernel.correlation);
    if (!isKept(kernel.start, kernel.end))
        return;
    const int64_t start = time(kernel.start), end = time(kernel.end);
    const auto optional = [&](uint64_t stamp) { return stamp ? time(stamp) : wire::kAbsent; };
    const KernelName &name = kernelName(kernel.name);
    using Work = StepSummaries::Work;
    m_log.summaries.works(kernel.device, name.communicates ? Work::Communication : Work::Compute, start, end);
    m_log.kernels.row(start, end, start, end - start, name.id, kernel.device, kernel.context, kernel.stream,
                      kernel.correlation, kernel.gridX, kernel.gridY, kernel.gridZ, kernel.blockX, kernel.blockY,
                      kernel.blockZ, kernel.registers, int64_t{kernel.staticShared} + kernel.dynamicShared,
                      kernel.graph, kernel.graphNode, optional(kernel.queued), optional(kernel.submitted));
}

void CuptiDecoder::graph(const cupti::GraphTrace &graph)
{
    if (!isKept(graph.start, graph.end))
        return;
    constexpr uint32_t kOnHost = INT32_MAX;
    const int64_t start = time(graph.start), end = time(graph.end);
    const auto number = [](uint32_t id) { return id == kOnHost ? wire::kAbsent : int64_t{id}; };
    const int64_t none = wire::kAbsent;
    if (graph.device != kOnHost)
        m_log.summaries.works(graph.device, StepSummaries::Work::Compute, start, end);
    m_log.kernels.row(start, end, start, end - start, m_log.text("CUDA graph " + std::to_string(graph.graph)),
                      number(graph.device), number(graph.context), graph.stream, graph.correlation, none, none, none,
                      none, none, none, none, none, graph.graph, none, none, none);
}

void CuptiDecoder::copyRow(uint32_t name, uint64_t start, uint64_t end, const auto &copy)
{
    learn(copy.context, copy.device);
    m_log.summaries.works(copy.device, StepSummaries::Work::Copy, time(start), time(end));
    m_log.copies.row(time(start), time(end), time(start), time(end) - time(start), name, copy.device, copy.context,
                     copy.stream, copy.correlation, copy.bytes, copy.graph, copy.graphNode);
}

void CuptiDecoder::copy(const cupti::Memcpy &copy)
{
    if (isKept(copy.start, copy.end))
        copyRow(m_log.text(copyName(copy.copyKind, copy.sourceKind, copy.destinationKind)), copy.start, copy.end, copy);
}

void CuptiDecoder::peerCopy(const cupti::MemcpyPeer &copy)
{
    if (isKept(copy.start, copy.end))
        copyRow(m_log.text(copyName(copy.copyKind, copy.sourceKind, copy.destinationKind)), copy.start, copy.end, copy);
}

void CuptiDecoder::set(const cupti::Memset &set)
{
    if (isKept(set.start, set.end))
        copyRow(m_log.text(std::string("Memset (") + memoryKindName(set.memoryKind) + ")"), set.start, set.end, set);
}

void CuptiDecoder::call(const cupti::Api &call)
{
    const bool runtime = call.kind == cupti::kRuntime;
    const uint32_t thread = m_threadOf(call.thread);
    m_ownCalls += thread == 0;
    m_records -= thread == 0;
    if (thread == 0)
        return;
    const int64_t start = time(call.start), end = time(call.end);
    const CallName &name = callName(runtime ? kRuntimeDomain : kDriverDomain, call.callback);
    const bool kept = isKept(call.start, call.end);
    const LaunchTracker::Call tracked{call.correlation, call.thread, start, end, kept};
    if (name.launches && call.result == 0)
        m_launches.launched(tracked);
    else if (name.beginsCapture && call.result == 0) // also in a pause: recording may be resumed before the end
        m_launches.captureBegins(tracked);
    else if (name.endsCapture)
        m_launches.captureEnds(tracked);
    if (!kept)
        return;
    if (name.waits)
        m_log.summaries.waits(thread, start, end);
    if (name.ofMemory)
        m_callers[call.correlation] = thread;
    m_log.calls.row(start, end, thread, start, end - start, m_log.text(name.text),
                    m_log.text(runtime ? "cuda_runtime" : "cuda_driver"), call.correlation, call.result);
}

void CuptiDecoder::synchronization(const cupti::Synchronization &sync)
{
    if (!isKept(sync.start, sync.end))
        return;
    if (sync.context != UINT32_MAX && !m_contexts.contains(sync.context) && m_early.syncs.size() < kMostEarly)
        m_early.syncs.push_back(sync);
    else
        syncRow(sync);
}

void CuptiDecoder::syncRow(const cupti::Synchronization &sync)
{
    const int64_t start = time(sync.start), end = time(sync.end);
    const char *name = nameOf({"Sync", "Event Sync", "Stream Wait Event", "Stream Sync", "Context Sync"}, sync.type);
    const auto known = [](uint32_t id) { return id == UINT32_MAX ? wire::kAbsent : int64_t{id}; };
    const auto device = m_contexts.find(sync.context);
    m_log.syncs.row(start, end, start, end - start, m_log.text(name),
                    device == m_contexts.end() ? wire::kAbsent : int64_t{device->second}, known(sync.context),
                    known(sync.stream), sync.correlation, known(sync.event));
}

void CuptiDecoder::overhead(const cupti::Overhead &overhead)
{
    if (!isKept(overhead.start, overhead.end))
        return;
    const int64_t start = time(overhead.start), end = time(overhead.end);
    const char *name = "CUPTI overhead";
    switch (overhead.overheadKind) {
    case 1: name = "Driver Compiler"; break;
    case 1 << 16: name = "Buffer Flush"; break;
    case 2 << 16: name = "Instrumentation"; break;
    case 3 << 16: name = "Resource"; break;
    default: break;
    }
    constexpr uint32_t kThreadObject = 2;
    const uint32_t thread = overhead.objectKind == kThreadObject ? overhead.object[1] : 0;
    m_log.overheads.row(start, end, thread ? m_threadOf(thread) : 0, start, end - start, m_log.text(name));
}

} // namespace riffle::collector
