// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/facts/trace_facts.h"
#include "model/analysis/torch/key_events.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace riffle {

/// The stacks that key_averages() groups by. Where events say theirs ("Call stack": with_stack=True and a verbose
/// profiler), these, and for what runs inside a backward operator that of the first event of its forward thread with
/// its Sequence number, as PyTorch has it. Else those of FrameChains.
class KeyStacks {
public:
    KeyStacks(const TraceFacts &facts, const KeyEvents &all);

    /// By event; equal stacks have equal numbers.
    uint32_t of(size_t event) const { return m_stacks[event]; }
    /// The innermost first.
    std::vector<std::string> frames(uint32_t stack) const;

private:
    void takeRecorded();
    void takeForwardStacks();
    void takeChains();

    const TraceFacts &m_facts;
    const KeyEvents &m_all;
    bool m_recorded = false;
    std::vector<uint32_t> m_stacks;
    std::vector<std::vector<std::string>> m_frames; ///< of recorded stacks; the first is empty
};

} // namespace riffle
