// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/support/import_text.h"

#include <fmt/format.h>

#include <cstdlib>
#include <string>
#include <string_view>

namespace riffle::test {

/// A Kineto file, written event by event, with one process, one thread, and one device with streams. Times are in ns.
class KinetoText {
public:
    static constexpr int64_t kThread = 100;

    void slice(std::string_view category, std::string_view name, int64_t pid, int64_t tid, Ns start, Ns duration,
               std::string_view args = "")
    {
        m_events += fmt::format(
            R"({{"ph":"X","cat":"{}","name":"{}","pid":{},"tid":{},"ts":{}.{:03},"dur":{}.{:03},"args":{{{}}}}},)",
            category, name, pid, tid, start / 1000, start % 1000, duration / 1000, duration % 1000, args);
        m_events += "\n";
    }
    void step(int number, Ns start, Ns duration)
    {
        host("user_annotation", fmt::format("ProfilerStep#{}", number), start, duration);
    }
    void host(std::string_view category, std::string_view name, Ns start, Ns duration, int64_t thread = kThread)
    {
        slice(category, name, 4000, thread, start, duration);
    }
    void operation(std::string_view name, Ns start, Ns duration, int64_t thread = kThread)
    {
        host("cpu_op", name, start, duration, thread);
    }
    void call(std::string_view name, Ns start, Ns duration, int64_t correlation = 0, int64_t thread = kThread)
    {
        slice("cuda_runtime", name, 4000, thread, start, duration, fmt::format(R"("correlation":{})", correlation));
    }
    /// Adds device work and, unless `launch` is negative, the call that launched it. Returns the correlation.
    int64_t work(std::string_view category, std::string_view name, int64_t stream, Ns start, Ns duration, Ns launch,
                 Ns launchDuration = 1'000, std::string_view args = "", int64_t device = 0, int64_t thread = kThread)
    {
        const int64_t correlation = ++m_correlation;
        if (launch >= 0)
            call(category == "kernel"       ? "cudaLaunchKernel"
                 : category == "gpu_memcpy" ? "cudaMemcpyAsync"
                                            : "cudaMemsetAsync",
                 launch, launchDuration, correlation, thread);
        slice(category, name, device, stream, start, duration,
              fmt::format(R"("device":{},"stream":{},"correlation":{}{}{})", device, stream, correlation,
                          args.empty() ? "" : ",", args));
        return correlation;
    }
    int64_t kernel(std::string_view name, int64_t stream, Ns start, Ns duration, Ns launch, Ns launchDuration = 1'000,
                   std::string_view args = "", int64_t device = 0, int64_t thread = kThread)
    {
        return work("kernel", name, stream, start, duration, launch, launchDuration, args, device, thread);
    }
    /// Adds the levels of a device's allocator (type 1; 0 is the CPU).
    void memory(Ns time, int64_t allocated, int64_t reserved, int device = 0, int type = 1)
    {
        m_events += fmt::format(
            R"({{"ph":"i","cat":"cpu_instant_event","s":"t","name":"[memory]","pid":4000,"tid":100,"ts":{}.{:03},"args":{{"Addr":1,"Bytes":8,"Device Type":{},"Device Id":{},"Total Allocated":{},"Total Reserved":{}}}}},)",
            time / 1000, time % 1000, type, device, allocated, reserved);
        m_events += "\n";
    }
    /// Adds an allocation that failed because the device had no memory.
    void outOfMemory(Ns time, int64_t asked, int64_t allocated, int64_t reserved, int device = 0)
    {
        m_events += fmt::format(
            R"({{"ph":"i","cat":"cpu_instant_event","s":"t","name":"[OutOfMemory]","pid":4000,"tid":100,"ts":{}.{:03},"args":{{"Bytes":{},"Device Type":1,"Device Id":{},"Total Allocated":{},"Total Reserved":{}}}}},)",
            time / 1000, time % 1000, asked, device, allocated, reserved);
        m_events += "\n";
    }
    /// Adds a top-level key with its JSON value.
    void top(std::string_view key, std::string_view json) { m_top += fmt::format("\"{}\": {},\n", key, json); }
    void device(int id, int64_t bytes, int major, int minor = 0)
    {
        m_devices +=
            fmt::format(R"({}{{"id":{},"name":"Device","totalGlobalMem":{},"computeMajor":{},"computeMinor":{}}})",
                        m_devices.empty() ? "" : ",", id, bytes, major, minor);
    }

    std::string text() const
    {
        std::string events = m_events;
        if (!events.empty())
            events.erase(events.size() - 2); // the last comma, before the line end
        return "{\n\"schemaVersion\": 1,\n\"deviceProperties\": [" + m_devices + "],\n" + m_top +
               "\"traceEvents\": [\n" + events + "\n]}\n";
    }
    std::shared_ptr<const Trace> trace() const
    {
        auto imported = importText(text());
        if (!imported)
            std::abort();
        return *imported;
    }

private:
    std::string m_events, m_top, m_devices;
    int64_t m_correlation = 0;
};

} // namespace riffle::test
