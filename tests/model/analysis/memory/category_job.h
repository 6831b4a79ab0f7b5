// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/memory/categories/memory_categories.h"
#include "tests/model/analysis/memory/small_snapshot.h"
#include "tests/model/analysis/memory/small_stacks.h"

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace riffle::test {

/// A history with a stack for each event, and the categories that rules guess for its allocations. Event n happens at
/// (n + 1) µs.
class CategoryJob {
public:
    using Frames = std::vector<SmallStacks::Frame>;
    using Found = std::multimap<uint64_t, std::string>; ///< by address

    /// Memory from before the history, without a stack, that is never freed.
    void before(uint64_t address, int64_t size) { m_open[address] = size; }
    void alloc(uint64_t address, int64_t size, const Frames &frames)
    {
        event(MemoryAction::Alloc, address, size, frames), m_open[address] = size;
    }
    void give(uint64_t address, int64_t size, const Frames &frames)
    {
        event(MemoryAction::FreeRequested, address, size, frames);
        event(MemoryAction::FreeCompleted, address, size, frames);
        m_open.erase(address);
    }
    /// Marks the start ("START") or end ("END") of a range of the program between the last event and the next one.
    void mark(const std::string &name, const std::string &stage)
    {
        const auto time = static_cast<int64_t>(m_ofEvents.size()) * 1000 + 500;
        m_small.mark(m_stacks.string(name), m_stacks.string(stage), time);
    }

    /// The categories of all allocations.
    Found categories(const MemoryRules &rules = MemoryRules::builtIn()) { return found(rules, &Verdict::category); }
    /// The names of the rules that decided them.
    Found deciding(const MemoryRules &rules = MemoryRules::builtIn()) { return found(rules, &Verdict::rule); }

private:
    using Verdict = MemoryCategories::Verdict;

    Found found(const MemoryRules &rules, std::string Verdict::*text)
    {
        if (!m_facts)
            finish();
        const MemoryCategories categories(*m_facts, rules);
        const MemoryAllocations &all = m_facts->replay().devices[0].allocations;
        Found texts;
        for (uint32_t row = 0; row < all.count(); ++row)
            texts.emplace(all.address(m_facts->snapshot(), row),
                          categories.verdicts()[categories.verdict(0, row)].*text);
        return texts;
    }
    void finish()
    {
        std::vector<MemoryBlock> blocks;
        for (const auto &[address, size] : m_open)
            blocks.push_back(SmallSnapshot::block(address, size));
        m_small.segment(0, int64_t(1) << 40, blocks);
        std::vector<int64_t> times;
        for (size_t at = 0; at < m_ofEvents.size(); ++at)
            times.push_back(static_cast<int64_t>(at + 1) * 1000);
        m_small.times(std::move(times));
        MemorySnapshot snapshot = m_small.take();
        m_stacks.give(snapshot, m_ofEvents);
        m_facts = std::make_unique<SnapshotFacts>(sharedSnapshot(std::move(snapshot)));
    }
    void event(MemoryAction action, uint64_t address, int64_t size, const Frames &frames)
    {
        m_small.add(action, address, size);
        m_ofEvents.push_back(frames.empty() ? 0 : m_stacks.add(frames));
    }

    SmallSnapshot m_small;
    SmallStacks m_stacks;
    std::vector<uint32_t> m_ofEvents;
    std::map<uint64_t, int64_t> m_open;
    std::unique_ptr<SnapshotFacts> m_facts;
};

} // namespace riffle::test
