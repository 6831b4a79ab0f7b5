// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "riffle/collector.h"
#include "riffle/stacks_way.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>

namespace riffle::collector {

/// The channel to Riffle's Python part in the same process, which switches PyTorch's operators and memory history on
/// and off. The library never waits for it: it publishes its wishes, which the Python part reads at each step, and asks
/// the interpreter to look at them when they have changed from outside the program.
class AgentChannel {
public:
    /// `heard` is called when the Python part has answered.
    explicit AgentChannel(std::function<void()> heard) : m_heard(std::move(heard)) {}

    struct Wishes {
        bool operators = false, shapes = false, modules = false;
        StacksWay stacks = StacksWay::None;
        uint32_t memoryHistory = 0;
        bool steps = false;
        bool operator==(const Wishes &) const = default;
    };
    /// Publishes the wishes. Callable from any thread, also with a lock of the engine held.
    void wish(const Wishes &wishes);
    Wishes wishes();
    /// Tells that this process may have the Python part; `isThere`: that it has it.
    void expect(bool isThere);
    bool isThere() const { return m_isThere; }
    /// Asks the interpreter to look at the wishes as soon as its main thread runs Python code. Returns false if this
    /// process is not expected to have the Python part. Only for threads of the collector.
    bool ring();

    /// The number of the latest wishes, and of those that the Python part has followed.
    uint32_t asked();
    uint32_t answered();
    /// The last answer of the Python part; empty if it has not been heard yet, or if there is none.
    std::string said();

    void says(uint32_t changes, const char *text);
    void ends();

    static const riffle_wishes *published();
    /// Withdraws the wishes in the child of a fork, in which nothing is recorded.
    static void withdraw();

private:
    /// The functions of the interpreter that we need, from its stable interface; looked up because we do not link it.
    /// Null if this process has no interpreter.
    struct Interpreter {
        int (*isInitialized)() = nullptr;
        int (*addPendingCall)(int (*call)(void *), void *) = nullptr;
        void *(*modules)() = nullptr;
        void *(*itemOf)(void *dictionary, const char *key) = nullptr;
        void *(*callMethod)(void *object, const char *name, const char *format, ...) = nullptr;
        void (*release)(void *object) = nullptr;

        static Interpreter find();
        bool isThere() const
        {
            return isInitialized && addPendingCall && modules && itemOf && callMethod && release && isInitialized();
        }
    };
    /// CPython 3.11 hangs if a call is pending while its profile function is called within a pending call: it handles
    /// the same instruction again and again. So nothing is asked while the Python part looks; it looks again instead.
    enum class Ring : uint8_t { Quiet, Asked, Looking, LookingAndAsked };

    static int called(void *);
    bool lookOnce();
    bool look();

    std::function<void()> m_heard;
    std::mutex m_mutex; ///< guards the members below; held only for moments
    Wishes m_wishes;
    Interpreter m_interpreter;
    uint32_t m_answered = 0;
    std::string m_said;
    Ring m_ring = Ring::Quiet;
    std::atomic<bool> m_isExpected{false}, m_isThere{false};
    bool m_hasEnded = false;
};

} // namespace riffle::collector
