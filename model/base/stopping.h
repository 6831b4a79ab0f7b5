// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <stop_token>
#include <utility>

namespace riffle {

/// Ends work for whose result nobody waits any more. This exception never leaves the model, because untilStopped()
/// catches it. It has no base class, so that no handler of errors mistakes it for one.
struct Stopped {};

/// During the lifetime of a scope, `stop` is the token that throwIfStopped() asks on this thread. A scope inside
/// another one replaces it until its end. parallelFor() and its relatives hand the token on to all their threads.
class StopScope {
public:
    explicit StopScope(std::stop_token stop) : m_stop(std::move(stop)), m_outer(std::exchange(t_current, &m_stop)) {}
    ~StopScope() { t_current = m_outer; }
    StopScope(const StopScope &) = delete;
    StopScope &operator=(const StopScope &) = delete;

    /// The token of this thread's innermost scope; without a scope, one that is never stopped.
    static std::stop_token current() { return t_current ? *t_current : std::stop_token(); }
    static bool isStopped() { return t_current && t_current->stop_requested(); }

private:
    std::stop_token m_stop;
    const std::stop_token *m_outer;
    inline static thread_local constinit const std::stop_token *t_current = nullptr;
};

/// Throws Stopped if the token of the innermost scope was stopped. Loops that are not parallel and may take more than
/// a few milliseconds call this.
inline void throwIfStopped()
{
    if (StopScope::isStopped())
        throw Stopped();
}

/// Like throwIfStopped(), but asks the token only for every 4096th number, because loops call it for each element.
inline void throwIfStoppedAt(size_t number)
{
    if (number % 4096 == 0)
        throwIfStopped();
}

/// Returns the result of work(), or nothing if `stop` was stopped in the meantime. If `stop` can never be stopped, the
/// scope around the call remains in force. If that scope was stopped, too, Stopped goes on to it.
template <typename Work>
auto untilStopped(const std::stop_token &stop, Work work) -> std::optional<decltype(work())>
{
    try {
        const StopScope scope(stop.stop_possible() ? stop : StopScope::current());
        throwIfStopped();
        return work();
    } catch (const Stopped &) {
        throwIfStopped();
        return std::nullopt;
    }
}

} // namespace riffle
