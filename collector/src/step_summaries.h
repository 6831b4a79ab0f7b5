// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collector/src/columns.h"

#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

namespace riffle::collector {

/// Computes the figures of each step from the rows of the log, in bounded memory. wire.h defines the figures. Used by
/// the drain thread.
class StepSummaries {
public:
    enum class Work : uint8_t { Compute, Communication, Copy };

    void clear() { *this = {}; }

    static bool isWait(std::string_view call);         ///< true for calls that return when the device is done
    static bool communicates(std::string_view kernel); ///< true for the kernels of NCCL and the like

    // A step's start must be said before work that happens in it.
    void stepBegins(uint32_t thread, int64_t time) { m_open[thread] = time; }
    void stepEnds(uint32_t thread, std::string_view name, int64_t start, int64_t end);
    /// Operators of a thread, in order of their ends.
    void operatorEnds(uint32_t thread, int64_t start, int64_t end);
    void waits(uint32_t thread, int64_t start, int64_t end);
    void works(int64_t device, Work work, int64_t start, int64_t end);
    void allocates(int64_t device, int64_t time, int64_t bytesInUse);
    /// From this time on, device work is not recorded, or is recorded again.
    void gapBegins(int64_t time);
    void gapEnds(int64_t time);

    /// Adds the rows of the steps that ended before `settled`.
    void addRows(int64_t settled, ChunkBuilder &rows);

private:
    struct Span {
        int64_t start, end;
        int64_t duration() const { return end - start; }
        bool operator<(const Span &other) const { return start < other.start; }
    };
    using Spans = std::vector<Span>;
    struct Use {
        int64_t time, bytes;
    };
    struct Device {
        Spans compute, communication, copies;
        std::vector<Use> memory;
    };
    struct Thread {
        Spans operators, waits;
    };
    struct Step {
        uint32_t thread;
        int64_t number, start, end;
    };
    static constexpr size_t kMost = 1 << 17;    ///< the most spans of one kind that are kept
    static constexpr size_t kMostThreads = 256; ///< the most devices and threads whose spans are kept

    bool isWanted(int64_t end) const;
    void add(Spans &spans, Span span);
    void addRow(const Step &step, ChunkBuilder &rows);
    void forget();
    static void merge(Spans &spans);
    static int64_t length(const Spans &spans, const Step &step);

    std::map<uint32_t, int64_t> m_open; ///< start of the open step, by thread
    std::vector<Step> m_ended;          ///< waiting for their device work
    std::map<int64_t, Device> m_devices;
    std::map<uint32_t, Thread> m_threads;
    Spans m_gaps;
    bool m_hasOperators = false, m_hasCuda = false;
    int64_t m_incomplete = INT64_MIN; ///< spans before this time have been dropped because there were too many
};

} // namespace riffle::collector
