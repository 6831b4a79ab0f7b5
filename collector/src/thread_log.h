// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collector/src/loss_counter.h"
#include "collector/src/record.h"
#include "collector/src/ring.h"

#include <array>
#include <string>
#include <string_view>

namespace riffle::collector {

/// One thread's ring and what the thread itself has to know to keep pushes and pops in pairs: when a push was not
/// recorded (paused, no room) its pop is not either. For every open range there is always room for its pop.
class ThreadLog {
public:
    ThreadLog(Ring *ring, uint32_t index, int osThread, std::string_view name)
        : m_ring(ring)
        , m_index(index)
        , m_osThread(osThread)
        , m_name(name)
    {
    }

    // The thread's own.
    /// The depth of the new range on its domain.
    int push(bool recording, const Domain *domain, std::string_view name, std::string_view category,
             uint8_t payloadKind = 0, uint64_t payload = 0, uint32_t color = 0);
    int pop(const Domain *domain);
    int depth(const Domain *domain);
    /// Anything but pushes and pops.
    void add(RecordKind kind, const Domain *domain, std::string_view name, std::string_view category,
             uint8_t payloadKind = 0, uint64_t payload = 0, uint32_t color = 0);

    // Anyone's.
    uint32_t index() const { return m_index; }
    int osThread() const { return m_osThread; }
    const std::string &name() const { return m_name; } ///< when it was first seen
    Ring &ring() { return *m_ring; }
    std::atomic<bool> finished{false}; ///< the thread has ended

    /// What was dropped since the last call.
    Loss takeLoss() { return m_lost.take(); }

private:
    static constexpr uint32_t kDepth = 4096; ///< ranges open at once per domain; deeper ones are dropped
    static constexpr size_t kDomains = 16;   ///< domains with ranges of their own per thread; others are dropped
    struct Stack {
        const Domain *domain = nullptr;
        bool used = false;
        uint32_t depth = 0;
        std::array<uint64_t, kDepth / 64> recorded{}; ///< a bit per open range
    };

    Stack *stackOf(const Domain *domain);
    bool write(RecordKind kind, const Domain *domain, std::string_view name, std::string_view category,
               uint8_t payloadKind, uint64_t payload, uint32_t color);

    Ring *const m_ring;
    const uint32_t m_index;
    const int m_osThread;
    const std::string m_name;
    uint32_t m_openRecorded = 0; ///< pops that there must be room for
    std::array<Stack, kDomains> m_stacks{};
    LossCounter m_lost;
};

} // namespace riffle::collector
