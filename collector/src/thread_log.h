// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collector/src/loss_counter.h"
#include "collector/src/record.h"
#include "collector/src/ring.h"
#include "collector/src/sources/call_log.h"
#include "collector/src/sources/python_stack_log.h"

#include "riffle/wire.h"

#include <array>
#include <memory>
#include <string>
#include <string_view>

namespace riffle::collector {

/// The report of an observer of PyTorch when an operator, or a range of the program, starts.
struct ObservedOperator {
    std::string_view name;
    OperatorFacts facts;
    std::array<std::string_view, 4> inputs; ///< not longer than facts.inputBytes can say
    const char *category() const { return facts.isOperator ? wire::kOperatorCategory : wire::kUserCategory; }
};

/// One thread's ring and the state by which the thread keeps pushes and pops in pairs: if a push was not recorded
/// (paused, or no room), neither is its pop. For every recorded open range, room is reserved for its pop.
class ThreadLog {
public:
    ThreadLog(Ring *ring, uint32_t index, int osThread, std::string_view name)
        : m_ring(ring)
        , m_index(index)
        , m_osThread(osThread)
        , m_name(name)
    {
    }

    // For the thread itself.
    /// Opens a range and returns its depth in its domain. With `python`, an outermost operator gets the stack of the
    /// thread's Python frames.
    int push(bool recording, const Domain *domain, std::string_view name, std::string_view category,
             uint8_t payloadKind = 0, uint64_t payload = 0, uint32_t color = 0, PythonRuntime *python = nullptr);
    /// The same for an operator or range that an observer of PyTorch reports, in the default domain.
    void push(bool recording, const ObservedOperator &op, PythonRuntime *python);
    /// Says that the innermost open range of the default domain is a collective, unless the range is not recorded or
    /// the text is longer than an eighth of the ring.
    void collective(std::string_view text, int64_t sequence);
    /// Closes the innermost range and returns its depth in its domain; -1 if no range is open.
    int pop(const Domain *domain);
    int depth(const Domain *domain);
    /// Opens a range that may end on another thread.
    void start(uint64_t id, const Domain *domain, std::string_view name, std::string_view category, uint8_t payloadKind,
               uint64_t payload, uint32_t color);
    /// Adds a record of any other kind.
    void add(RecordKind kind, const Domain *domain, std::string_view name, std::string_view category,
             uint8_t payloadKind = 0, uint64_t payload = 0, uint32_t color = 0);

    /// The Python calls of the thread; null if there is no memory for it.
    CallLog *calls();
    /// Adds the name of Python calls with that id. Returns false if there is no room.
    bool callName(uint32_t id, std::string_view name);
    /// Opens and closes a Python call. The thread pairs them itself, and closes only what was written.
    bool beginCall(uint32_t id, uint32_t period, int64_t time);
    void endCall();
    /// The ends of so many open Python calls will not come.
    void forgetCalls(uint32_t count) { m_openRecorded -= count; }

    // For any thread.
    uint32_t index() const { return m_index; }
    int osThread() const { return m_osThread; }
    const std::string &name() const { return m_name; } ///< name of the thread when it was first seen
    Ring &ring() { return *m_ring; }
    std::atomic<bool> finished{false}; ///< the thread has ended

    /// The events that were dropped since the last call.
    Loss takeLoss() { return m_lost.take(); }

private:
    static constexpr uint32_t kDepth = 4096; ///< the most open ranges per domain; deeper ones are dropped
    static constexpr size_t kDomains = 16;   ///< the most domains with ranges per thread; ranges of others are dropped
    struct Stack {
        const Domain *domain = nullptr;
        bool used = false;
        uint32_t depth = 0;
        std::array<uint64_t, kDepth / 64> recorded{}; ///< one bit per open range: its push was recorded
    };

    static constexpr uint32_t kNoDepth = UINT32_MAX;

    Stack *stackOf(const Domain *domain);
    static bool isRecorded(const Stack &stack, uint32_t depth)
    {
        return depth < kDepth && (stack.recorded[depth / 64] >> (depth % 64) & 1);
    }
    size_t reserve() const { return (size_t{m_openRecorded} + 1) * kPopBytes * 2; } ///< room for pops
    void writePop(const Domain *domain);
    bool takePythonStack(PythonRuntime &python, std::string_view name, std::string_view category, uint32_t depth);
    bool writeOperator(const ObservedOperator &op, uint8_t flags);
    /// Opens a range in the domain; `write(depth)` writes its record if it is recorded, and says whether it is.
    template <typename F>
    int open(const Domain *domain, F write);
    /// Starts a record that is followed by its name and `others` bytes, and returns the place behind it. Counts a loss
    /// and returns null if there is no room. The caller writes the texts and commits.
    char *begin(Record record, std::string_view name, size_t others);
    bool write(RecordKind kind, const Domain *domain, std::string_view name, std::string_view category,
               uint8_t payloadKind, uint64_t payload, uint32_t color);

    Ring *const m_ring;
    const uint32_t m_index;
    const int m_osThread;
    const std::string m_name;
    uint32_t m_openRecorded = 0; ///< number of pops for which room is reserved
    std::array<Stack, kDomains> m_stacks{};
    uint32_t m_operatorAt = kNoDepth; ///< depth of the outermost operator; known only while Python stacks are taken
    std::unique_ptr<PythonStackLog> m_python;
    std::unique_ptr<CallLog> m_calls;
    LossCounter m_lost;
};

} // namespace riffle::collector
