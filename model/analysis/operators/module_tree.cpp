// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/operators/module_tree.h"

#include "model/analysis/facts/slice_reader.h"
#include "model/analysis/operators/launched_work.h"
#include "model/base/big_vector.h"
#include "model/base/ids.h"
#include "model/base/stopping.h"

#include <algorithm>
#include <unordered_map>

namespace riffle {

namespace {

/// The innermost call of a module around a slice, as an index into moduleSlices; kNoRow if there is none.
uint32_t moduleCallAround(const FrameChains &chains, const SlicePositions &positions, SliceReader &reader,
                          uint32_t slice)
{
    for (size_t limit = 0; limit < kMaxAncestors && reader.seek(slice) && reader.parent() != SliceId::kNone; ++limit) {
        slice = reader.parent();
        const uint32_t found = firstFrom(chains.moduleSlices, positions, positions.of(slice));
        if (found < chains.moduleSlices.size() && chains.moduleSlices[found] == slice)
            return found;
    }
    return kNoRow;
}

/// Adds the calls of modules and their times.
void addHost(const Scope &scope, ModuleTree &tree)
{
    const Trace &trace = scope.facts().trace();
    const FrameChains &chains = scope.facts().chains();
    const SlicePositions positions(trace);
    SliceReader reader(trace), climber(trace);
    BigVector<uint32_t> counted;
    bool crossing = false;
    for (uint32_t at = 0; at < chains.moduleSlices.size(); ++at) {
        throwIfStoppedAt(at);
        if (!reader.seek(chains.moduleSlices[at]))
            continue;
        ModuleTimes &module = tree.modules[chains.moduleOfSlice[at]];
        crossing |= (reader.flags() & slice_flag::Crossing) != 0;
        if (!scope.hasHostLane(reader.lane()) || !scope.touches(reader.span()))
            continue;
        module.first = std::min(module.first, reader.start());
        const Ns time = scope.clipped(reader.span());
        const bool begins = scope.holds(reader.start());
        module.occurrences += begins;
        module.cut += !begins || time < reader.duration();
        module.hostTotal += time;
        module.hostSelf += time;
        if (reader.duration() > module.longestDuration) {
            module.longestDuration = reader.duration();
            module.longest = chains.moduleSlices[at];
        }
        counted.push_back(at);
    }
    // Calls inside the same call are disjoint, except for those that cross each other.
    std::unordered_map<uint32_t, BigVector<TimeSpan>> tied;
    for (const uint32_t at : counted) {
        const uint32_t around = chains.moduleAround[at];
        if (around == kNoRow || !reader.seek(chains.moduleSlices[at]))
            continue;
        if (!crossing)
            tree.modules[around].hostSelf -= scope.clipped(reader.span());
        else
            tied[moduleCallAround(chains, positions, climber, chains.moduleSlices[at])].push_back(reader.span());
    }
    for (auto &[call, inside] : tied) {
        const IntervalSet covered = IntervalSet::unionOf(std::move(inside));
        for (const TimeSpan &span : covered.intervals())
            tree.modules[chains.moduleOfSlice[call]].hostSelf -= scope.clipped(span);
    }
}

void addOperators(const Scope &scope, ModuleTree &tree)
{
    const CallTree &calls = scope.facts().calls();
    const FrameChains &chains = scope.facts().chains();
    SliceReader reader(scope.facts().trace());
    for (uint32_t call = 0; call < calls.size(); ++call) {
        throwIfStoppedAt(call);
        if (!calls.isOperator[call] || !reader.seek(calls.slice[call]) || !scope.hasHostLane(reader.lane()) ||
            !scope.holds(reader.start()))
            continue;
        const uint32_t module = chains.moduleOf(call);
        ++(module == kNoRow ? tree.operatorsWithout : tree.modules[module].operators);
    }
}

void addDevice(const Scope &scope, ModuleTree &tree)
{
    const FrameChains &chains = scope.facts().chains();
    tree.deviceWithout = addLaunchedWork(scope, tree.modules, [&](uint32_t call) { return chains.moduleOf(call); });
    for (ModuleTimes &module : tree.modules)
        module.deviceTotal = module.deviceSelf;
    for (size_t module = tree.modules.size(); module-- > 0;) {
        const uint32_t around = chains.modules[module].parent; // always a smaller number
        if (around == kNoRow)
            continue;
        tree.modules[around].deviceTotal += tree.modules[module].deviceTotal;
        tree.modules[around].deviceBackward += tree.modules[module].deviceBackward;
    }
}

} // namespace

ModuleTree moduleTree(const Scope &scope)
{
    ModuleTree tree;
    tree.modules.resize(scope.facts().chains().modules.size());
    addHost(scope, tree);
    addOperators(scope, tree);
    addDevice(scope, tree);
    return tree;
}

TreeOrder moduleOrder(const FrameChains &chains, const ModuleTree &tree)
{
    std::vector<uint32_t> parents;
    std::vector<uint8_t> counts;
    std::vector<Ns> first;
    for (size_t module = 0; module < chains.modules.size(); ++module) {
        parents.push_back(chains.modules[module].parent);
        counts.push_back(tree.modules[module].any());
        first.push_back(tree.modules[module].first);
    }
    return treeOrder(parents, std::move(counts), std::move(first));
}

} // namespace riffle
