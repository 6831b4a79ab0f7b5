// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/ranks/call_waits.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace riffle {

/// Computes anew when all ranks arrive at their calls and leave them, unchanged or as if one rank were like the others
/// (docs/stragglers.md). Time and memory are linear in the calls.
class Replay {
public:
    /// `waits` must outlive this.
    explicit Replay(const CallWaits &waits);

    /// False if the matches contradict each other in their order, so that there is no replay.
    bool isPossible() const { return m_isPossible; }
    /// The length of each step of runStepsOf(), on its slowest rank; `without` is the rank that is to be like the
    /// median of the others. Only if isPossible().
    std::vector<Ns> lengths(std::optional<uint32_t> without = {}) const;

private:
    /// Where a rank's time is counted from: its last blocking call that ended before.
    struct Base {
        uint32_t event = CallWaits::kNone; ///< of that call; kNone at the start of the recording
        Ns gap = 0;                        ///< since that call ended; at the start, the common time
    };
    /// A match, or a blocking call that has none.
    struct Event {
        uint32_t first = 0, last = 0; ///< in m_arrivals
        Ns transfer = 0;
    };
    struct Arrival {
        CallRef call;
        Base base;
    };

    /// The ends of a step of the run, parallel to its parts.
    struct Edge {
        uint32_t rank = 0;
        Base base;
    };
    struct StepEdges {
        std::vector<Edge> begins, ends;
    };

    void makeEvents();
    void makeSteps();
    void makeShifts();
    void addEvent(std::span<const CallRef> calls, Ns transfer);
    void order();
    Base baseOf(uint32_t rank, Ns moment, uint32_t place) const;
    template <typename Parts>
    static Base likeOthers(const Parts &parts, size_t own);
    std::vector<Ns> leaves(std::optional<uint32_t> without) const;

    const CallWaits &m_waits;
    std::vector<Event> m_events;
    std::vector<Arrival> m_arrivals;
    std::vector<std::vector<uint32_t>> m_eventOf; ///< per rank and call; kNone for calls that take no part
    std::vector<Ns> m_shifts;                     ///< per rank: common time = own time + shift
    std::vector<uint32_t> m_order;                ///< events, each behind those that it depends on
    std::vector<StepEdges> m_steps;
    bool m_isPossible = false;
};

} // namespace riffle
