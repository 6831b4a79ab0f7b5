// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collector/src/log_writer.h"
#include "collector/src/loss_counter.h"
#include "collector/src/record.h"
#include "collector/src/sources/call_names.h"
#include "collector/src/sources/python_stack_record.h"
#include "collector/src/thread_log.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace riffle::collector {

/// Turns the records of the threads' rings into rows of a log. Used by one thread.
class Drain {
public:
    explicit Drain(LogWriter &log) : m_log(log) {}

    /// Starts the next log at `time`. Ranges that ended before are left out, and ranges that are open start with the
    /// log.
    void restart(int64_t time)
    {
        m_events = m_dropped = m_entries = 0;
        m_reasons.clear();
        m_hasShapes = m_hasModules = false;
        m_begin = time;
        for (const auto &[thread, stacks] : m_stacks)
            for (const Stack &stack : stacks)
                for (size_t at = 0; at < stack.depth; ++at)
                    if (stack.open[at].category == wire::kStepCategory)
                        m_log.summaries.stepBegins(thread, time);
    }
    /// Takes the records from the thread's ring and returns their size in bytes. Flushes the log if that is due.
    size_t take(ThreadLog &thread);
    /// Records events that a source dropped.
    void lose(std::string_view source, const Loss &loss);
    /// Adds the ranges that are open now to the log's table of open ranges.
    void listOpen();
    /// Forgets a thread that has ended; its open ranges end with it, at `time`.
    void forget(uint32_t thread, int64_t time);
    uint64_t events() const { return m_events; }
    uint64_t dropped() const { return m_dropped; }
    uint64_t entries() const { return m_entries; } ///< records that were taken from the rings
    /// The number of dropped events for each reason.
    const std::map<std::string, uint64_t, std::less<>> &reasons() const { return m_reasons; }

private:
    struct Open {
        std::string name, category;
        int64_t start = 0;
        const Domain *domain = nullptr;
        uint64_t payload = 0;
        uint32_t color = 0;
        uint8_t payloadKind = 0;
        bool hasStack = false;   ///< it was called from the Python stack of its thread
        bool isObserved = false; ///< it has `facts` and `inputs`
        OperatorFacts facts{};   ///< what an observer of PyTorch said
        std::string inputs;      ///< the texts of `facts`
        std::string collective;  ///< what is known of the call of a process group; empty for others
        int64_t collectiveSequence = INT64_MIN;
        int64_t innerSequence = INT64_MIN; ///< of a backward node: the sequence number of the function inside it
    };
    struct Stack {
        const Domain *domain = nullptr;
        std::vector<Open> open; ///< entries beyond `depth` are unused and keep their memory
        size_t depth = 0;
    };
    using Stacks = std::vector<Stack>;

    void record(uint32_t thread, Stacks &stacks, const std::byte *bytes);
    static Stack &stackOf(Stacks &stacks, const Domain *domain);
    static void fill(Open &open, const Record &record, std::string_view name, std::string_view category);
    /// Gives the sequence number of a backward node's function, which has just ended, to the range around it.
    static void tellOuter(Open &outer, const Open &inner);
    void range(uint32_t thread, const Open &open, int64_t end);
    uint32_t stackOf(uint32_t thread);
    /// Notes in the log that it has shapes or modules, when the first one comes.
    void sayContents(std::string_view name, std::string_view category, std::string_view shapes);
    void beginCall(uint32_t thread, Stack &stack, const Record &record);
    /// Ends the open Python calls of other periods than this one with their period, if that is over.
    void endCalls(uint32_t thread, Stack &stack, uint32_t period);

    LogWriter &m_log;
    std::unordered_map<uint32_t, Stacks> m_stacks;
    struct Started {
        Open open;
        uint32_t thread;
    };
    std::unordered_map<uint64_t, Started> m_started; ///< open ranges that may end on another thread, by their id
    /// End times of ranges whose end was read before their start, because it was in another thread's ring; by id.
    std::unordered_map<uint64_t, int64_t> m_endedFirst;
    LossCounter m_unfollowed; ///< ranges with ids that are not tracked because too many are open
    uint64_t m_events = 0, m_dropped = 0, m_entries = 0;
    std::map<std::string, uint64_t, std::less<>> m_reasons;
    int64_t m_begin = 0;
    bool m_hasShapes = false, m_hasModules = false; ///< of the current log
    std::optional<PythonStackTree> m_python;        ///< from the first code object on
    uint32_t m_pythonGeneration = 0;                ///< of texts, with which frames become invalid
    CallNames m_callNames;
};

} // namespace riffle::collector
