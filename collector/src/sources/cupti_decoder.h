// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collector/src/log_writer.h"
#include "collector/src/sources/cupti_library.h"

#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>

namespace riffle::collector {

/// Turns CUPTI's records into rows of a log. Used by the drain thread.
class CuptiDecoder {
public:
    /// `threadOf` gives the log's index of an OS thread. Times become CLOCK_MONOTONIC by adding `clockOffset`.
    CuptiDecoder(LogWriter &log, std::function<uint32_t(uint32_t)> threadOf) : m_log(log), m_threadOf(std::move(threadOf)) {}

    void use(const CuptiLibrary *library, int64_t clockOffset)
    {
        m_library = library;
        m_clockOffset = clockOffset;
    }
    /// All records of a buffer; those of kinds that are not known are counted.
    void decode(uint8_t *buffer, size_t valid);

    uint64_t records() const { return m_records; }
    uint64_t unknown() const { return m_unknown; }
    uint64_t withoutTime() const { return m_withoutTime; } ///< device records that CUPTI gave no time: its buffers were full

private:
    void record(const void *record);
    void kernel(const cupti::Kernel &kernel);
    void copy(const cupti::Memcpy &copy);
    void peerCopy(const cupti::MemcpyPeer &copy);
    void set(const cupti::Memset &set);
    void call(const cupti::Api &call);
    void synchronization(const cupti::Synchronization &sync);
    void overhead(const cupti::Overhead &overhead);
    bool hasTime(uint64_t start, uint64_t end);
    int64_t time(uint64_t stamp) const { return static_cast<int64_t>(stamp) + m_clockOffset; }
    const std::string &callName(uint32_t domain, uint32_t callback);
    uint32_t kernelName(const char *mangled);

    LogWriter &m_log;
    std::function<uint32_t(uint32_t)> m_threadOf;
    const CuptiLibrary *m_library = nullptr;
    int64_t m_clockOffset = 0;
    std::unordered_map<uint64_t, std::string> m_callNames;
    struct KernelName {
        std::string mangled, plain;
        uint32_t id = 0, generation = 0; ///< the text's id, while the log has this generation of texts
    };
    std::unordered_map<const char *, KernelName> m_kernelNames; ///< by where CUPTI has the name; another may stand there later
    uint64_t m_records = 0, m_unknown = 0, m_withoutTime = 0;
};

} // namespace riffle::collector
