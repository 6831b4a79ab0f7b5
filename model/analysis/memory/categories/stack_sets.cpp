// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/memory/categories/stack_sets.h"

#include "model/base/parallel.h"

#include <algorithm>
#include <atomic>
#include <string>

namespace riffle {

namespace {

bool anyMatches(const std::vector<FramePattern> &patterns, std::string_view name, std::string_view path,
                bool inModuleFile)
{
    return std::any_of(patterns.begin(), patterns.end(),
                       [&](const FramePattern &pattern) { return pattern.matches(name, path, inModuleFile); });
}

bool asksForModules(const MemoryRules &rules)
{
    const auto any = [](const std::vector<FramePattern> &patterns) {
        return std::any_of(patterns.begin(), patterns.end(),
                           [](const FramePattern &pattern) { return pattern.inModuleFile; });
    };
    return std::any_of(rules.sets.begin(), rules.sets.end(),
                       [&](const FrameSet &set) { return any(set.patterns) || any(set.without); });
}

/// For each string, 1 if it is the path of a file in which a module ran forward in any of the stacks. Several threads
/// may find the same file, so the flags are atomic.
std::vector<std::atomic<uint8_t>> moduleFiles(const MemorySnapshot &snapshot, const MemoryStacks &stacks)
{
    std::vector<std::atomic<uint8_t>> is(snapshot.strings.count());
    parallelRanges(snapshot.stacks.count(), 1024, [&](size_t first, size_t last) {
        std::vector<uint32_t> frames;
        for (size_t stack = first; stack < last; ++stack) {
            stacks.modules(static_cast<uint32_t>(stack), frames);
            for (const uint32_t frame : frames)
                is[snapshot.frames[frame].file].store(1, std::memory_order_relaxed);
        }
    });
    return is;
}

} // namespace

StackSets::StackSets(const SnapshotFacts &facts, const MemoryRules &rules)
    : m_snapshot(facts.snapshot())
    , m_ranges(facts.snapshot(), rules)
    , m_ofStack(facts.snapshot().stacks.count())
{
    std::vector<std::atomic<uint8_t>> ofModules;
    if (asksForModules(rules))
        ofModules = moduleFiles(m_snapshot, facts.stacks());
    std::vector<uint64_t> ofFrame(m_snapshot.frames.size()), notOfFrame(m_snapshot.frames.size());
    parallelRanges(ofFrame.size(), 1024, [&](size_t first, size_t last) {
        std::string path;
        for (size_t at = first; at < last; ++at) {
            const MemoryFrame &frame = m_snapshot.frames[at];
            path = m_snapshot.string(frame.file);
            std::replace(path.begin(), path.end(), '\\', '/');
            const std::string_view name = m_snapshot.string(frame.name);
            const bool inModuleFile = !ofModules.empty() && ofModules[frame.file].load(std::memory_order_relaxed) != 0;
            for (size_t set = 0; set < rules.sets.size(); ++set) {
                if (anyMatches(rules.sets[set].patterns, name, path, inModuleFile))
                    ofFrame[at] |= uint64_t(1) << set;
                if (anyMatches(rules.sets[set].without, name, path, inModuleFile))
                    notOfFrame[at] |= uint64_t(1) << set;
            }
        }
    });
    parallelRanges(m_ofStack.size(), 1024, [&](size_t first, size_t last) {
        for (size_t stack = first; stack < last; ++stack) {
            uint64_t without = 0;
            for (const uint32_t frame : m_snapshot.stacks.at(static_cast<uint32_t>(stack)))
                m_ofStack[stack] |= ofFrame[frame], without |= notOfFrame[frame];
            m_ofStack[stack] &= ~without;
        }
    });

    // A recorder can be told to keep the stacks of allocations only. Then missing frames of a free mean nothing.
    uint64_t noFrames = 0;
    for (size_t set = 0; set < rules.sets.size(); ++set)
        noFrames |= rules.sets[set].noFrames ? uint64_t(1) << set : 0;
    for (uint32_t event = 0; event < m_snapshot.events.count(); ++event)
        if (m_snapshot.events.stack[event] != 0)
            (m_snapshot.events.action[event] == MemoryAction::Alloc ? m_allocWithout : m_freeWithout) = noFrames;
}

uint64_t StackSets::ofEvent(uint32_t event) const
{
    if (const uint32_t stack = m_snapshot.events.stack[event])
        return m_ofStack[stack];
    if (const uint64_t sets = m_ranges.setsAt(m_snapshot.events.time.at(event, MemoryEventTable::kNoTime)))
        return sets;
    return m_snapshot.events.action[event] == MemoryAction::Alloc ? m_allocWithout : m_freeWithout;
}

} // namespace riffle
