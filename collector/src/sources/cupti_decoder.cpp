// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/src/sources/cupti_decoder.h"

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

const char *memoryKind(size_t kind)
{
    return nameOf({"Unknown", "Pageable", "Pinned", "Device", "Array", "Managed", "Device Static", "Managed Static"}, kind);
}

std::string copyName(uint8_t kind, uint8_t from, uint8_t to)
{
    return std::string("Memcpy ") + copyKind(kind) + " (" + memoryKind(from) + " -> " + memoryKind(to) + ")";
}

/// "cudaLaunchKernel_v7000" is cudaLaunchKernel.
std::string withoutVersion(std::string name)
{
    const size_t at = name.rfind("_v");
    if (at != std::string::npos && at + 2 < name.size() && name.find_first_not_of("0123456789", at + 2) == std::string::npos)
        name.resize(at);
    return name;
}

} // namespace

const std::string &CuptiDecoder::callName(uint32_t domain, uint32_t callback)
{
    std::string &name = m_callNames[uint64_t{domain} << 32 | callback];
    if (name.empty()) {
        const char *text = nullptr;
        if (m_library->functions.callbackName)
            m_library->functions.callbackName(domain, callback, &text);
        name = text ? withoutVersion(text) : (domain == kRuntimeDomain ? "cuda call " : "cu call ") + std::to_string(callback);
    }
    return name;
}

uint32_t CuptiDecoder::kernelName(const char *mangled)
{
    KernelName &name = m_kernelNames[mangled];
    const char *text = mangled ? mangled : "?";
    if (name.plain.empty() || name.mangled != text) {
        int status = 0;
        char *plain = abi::__cxa_demangle(text, nullptr, nullptr, &status);
        name = {text, plain ? plain : text, 0, 0};
        std::free(plain);
    }
    if (name.generation != m_log.textGeneration()) {
        name.id = m_log.text(name.plain);
        name.generation = m_log.textGeneration();
    }
    return name.id;
}

bool CuptiDecoder::hasTime(uint64_t start, uint64_t end)
{
    if (start != 0 && end >= start)
        return true;
    ++m_withoutTime;
    return false;
}

void CuptiDecoder::decode(uint8_t *buffer, size_t valid)
{
    void *record = nullptr;
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
    case cupti::kKernel:
    case cupti::kConcurrentKernel: return kernel(as<cupti::Kernel>(record));
    case cupti::kMemcpy: return copy(as<cupti::Memcpy>(record));
    case cupti::kMemcpyPeer: return peerCopy(as<cupti::MemcpyPeer>(record));
    case cupti::kMemset: return set(as<cupti::Memset>(record));
    case cupti::kRuntime:
    case cupti::kDriver: return call(as<cupti::Api>(record));
    case cupti::kSynchronization: return synchronization(as<cupti::Synchronization>(record));
    case cupti::kOverhead: return overhead(as<cupti::Overhead>(record));
    case cupti::kExternalCorrelation: {
        const auto external = as<cupti::ExternalCorrelation>(record);
        m_log.externals.row(0, 0, external.correlation, external.externalId);
        return;
    }
    default: ++m_unknown;
    }
}

void CuptiDecoder::kernel(const cupti::Kernel &kernel)
{
    if (!hasTime(kernel.start, kernel.end))
        return;
    const int64_t start = time(kernel.start), end = time(kernel.end);
    const auto optional = [&](uint64_t stamp) { return stamp ? time(stamp) : wire::kAbsent; };
    m_log.kernels.row(start, end, start, end - start, kernelName(kernel.name), kernel.device, kernel.context,
                      kernel.stream, kernel.correlation, kernel.gridX, kernel.gridY, kernel.gridZ, kernel.blockX, kernel.blockY,
                      kernel.blockZ, kernel.registers, int64_t{kernel.staticShared} + kernel.dynamicShared, kernel.graphNode,
                      optional(kernel.queued), optional(kernel.submitted));
}

void CuptiDecoder::copy(const cupti::Memcpy &copy)
{
    if (!hasTime(copy.start, copy.end))
        return;
    const int64_t start = time(copy.start), end = time(copy.end);
    m_log.copies.row(start, end, start, end - start,
                     m_log.text(copyName(copy.copyKind, copy.sourceKind, copy.destinationKind)), copy.device, copy.context,
                     copy.stream, copy.correlation, copy.bytes, copy.graphNode);
}

void CuptiDecoder::peerCopy(const cupti::MemcpyPeer &copy)
{
    if (!hasTime(copy.start, copy.end))
        return;
    const int64_t start = time(copy.start), end = time(copy.end);
    m_log.copies.row(start, end, start, end - start,
                     m_log.text(copyName(copy.copyKind, copy.sourceKind, copy.destinationKind)), copy.device, copy.context,
                     copy.stream, copy.correlation, copy.bytes, 0);
}

void CuptiDecoder::set(const cupti::Memset &set)
{
    if (!hasTime(set.start, set.end))
        return;
    const int64_t start = time(set.start), end = time(set.end);
    m_log.copies.row(start, end, start, end - start, m_log.text(std::string("Memset (") + memoryKind(set.memoryKind) + ")"),
                     set.device, set.context, set.stream, set.correlation, set.bytes, 0);
}

void CuptiDecoder::call(const cupti::Api &call)
{
    const bool runtime = call.kind == cupti::kRuntime;
    if (!hasTime(call.start, call.end))
        return;
    const int64_t start = time(call.start), end = time(call.end);
    m_log.calls.row(start, end, m_threadOf(call.thread), start, end - start,
                    m_log.text(callName(runtime ? kRuntimeDomain : kDriverDomain, call.callback)),
                    m_log.text(runtime ? "cuda_runtime" : "cuda_driver"), call.correlation, call.result);
}

void CuptiDecoder::synchronization(const cupti::Synchronization &sync)
{
    if (!hasTime(sync.start, sync.end))
        return;
    const int64_t start = time(sync.start), end = time(sync.end);
    const char *name = nameOf({"Sync", "Event Sync", "Stream Wait Event", "Stream Sync", "Context Sync"}, sync.type);
    const auto known = [](uint32_t id) { return id == UINT32_MAX ? wire::kAbsent : int64_t{id}; };
    m_log.syncs.row(start, end, start, end - start, m_log.text(name), wire::kAbsent, known(sync.context), known(sync.stream),
                    sync.correlation, known(sync.event));
}

void CuptiDecoder::overhead(const cupti::Overhead &overhead)
{
    if (!hasTime(overhead.start, overhead.end))
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
