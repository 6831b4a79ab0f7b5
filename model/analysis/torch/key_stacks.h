// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/facts/trace_facts.h"
#include "model/analysis/torch/key_events.h"
#include "model/base/big_vector.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace riffle {

/// The stacks that key_averages() groups by. If events record their stacks ("Call stack": with_stack=True and a verbose
/// profiler), these are used; events inside a backward operator then have the stack of the first event on its forward
/// thread with its Sequence number, as in PyTorch. Otherwise the stacks of FrameChains are used.
class KeyStacks {
public:
    KeyStacks(const TraceFacts &facts, const KeyEvents &all);

    /// The number of an event's stack; equal stacks have equal numbers.
    uint32_t of(size_t event) const { return m_stacks[event]; }
    /// The frames of a stack, innermost first.
    std::vector<std::string> frames(uint32_t stack) const;

private:
    void takeRecorded();
    void takeForwardStacks();
    void takeChains();

    const TraceFacts &m_facts;
    const KeyEvents &m_all;
    bool m_recorded;
    BigVector<uint32_t> m_stacks;
    std::vector<std::vector<std::string>> m_frames; ///< of recorded stacks; the first is empty
};

} // namespace riffle
