// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/module_tree.h"

#include "model/analysis/facts/slice_reader.h"

#include <algorithm>
#include <unordered_map>

namespace riffle {

namespace {

constexpr uint32_t kNone = FrameChains::kNone;

/// The call of a module that a slice lies in, as an index into moduleSlices, or kNone.
uint32_t moduleCallAround(const FrameChains &chains, SliceReader &reader, uint32_t slice)
{
    for (int limit = 0; limit < 100000 && reader.seek(slice) && reader.parent() != SliceId::kNone; ++limit) {
        slice = reader.parent();
        const auto found = std::lower_bound(chains.moduleSlices.begin(), chains.moduleSlices.end(), slice);
        if (found != chains.moduleSlices.end() && *found == slice)
            return static_cast<uint32_t>(found - chains.moduleSlices.begin());
    }
    return kNone;
}

/// Calls of modules and their times.
void addHost(const Scope &scope, ModuleTree &tree)
{
    const Trace &trace = scope.facts().trace();
    const FrameChains &chains = scope.facts().chains();
    SliceReader reader(trace), climber(trace);
    std::vector<uint32_t> counted;
    bool crossing = false;
    for (uint32_t at = 0; at < chains.moduleSlices.size(); ++at) {
        if (!reader.seek(chains.moduleSlices[at]))
            continue;
        ModuleTimes &module = tree.modules[chains.moduleOfSlice[at]];
        module.first = std::min(module.first, reader.start());
        crossing |= (reader.flags() & slice_flag::Crossing) != 0;
        if (!scope.hasHostLane(reader.lane()) || !scope.touches(reader.span()))
            continue;
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
    // Calls inside one are disjoint, but for those that cross each other.
    std::unordered_map<uint32_t, std::vector<TimeSpan>> tied;
    for (const uint32_t at : counted) {
        const uint32_t around = chains.moduleAround[at];
        if (around == kNone || !reader.seek(chains.moduleSlices[at]))
            continue;
        if (!crossing)
            tree.modules[around].hostSelf -= scope.clipped(reader.span());
        else
            tied[moduleCallAround(chains, climber, chains.moduleSlices[at])].push_back(reader.span());
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
        if (!calls.isOperator[call] || !reader.seek(calls.slice[call]) || !scope.hasHostLane(reader.lane()) || !scope.holds(reader.start()))
            continue;
        const uint32_t module = chains.moduleOf(call);
        ++(module == kNone ? tree.operatorsWithout : tree.modules[module].operators);
    }
}

void addDevice(const Scope &scope, ModuleTree &tree)
{
    const DeviceWork &work = scope.facts().work();
    const CallTree &calls = scope.facts().calls();
    const FrameChains &chains = scope.facts().chains();
    for (size_t at = 0; at < work.size(); ++at) {
        if (!scope.launches(at))
            continue;
        const uint32_t call = FrameChains::callOf(work, calls, at);
        const uint32_t module = call == CallTree::kNone ? kNone : chains.moduleOf(call);
        if (module == kNone) {
            tree.deviceWithout += work.duration(at);
            continue;
        }
        tree.modules[module].deviceSelf += work.duration(at);
        tree.modules[module].deviceBackward += chains.isBackward(calls, call) ? work.duration(at) : 0;
    }
    for (ModuleTimes &module : tree.modules)
        module.deviceTotal = module.deviceSelf;
    for (size_t module = tree.modules.size(); module-- > 0;) {
        const uint32_t around = chains.modules[module].parent; // a smaller number
        if (around == kNone)
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
    for (size_t module = tree.modules.size(); module-- > 0;)
        if (const uint32_t around = scope.facts().chains().modules[module].parent; around != kNone)
            tree.modules[around].first = std::min(tree.modules[around].first, tree.modules[module].first);
    return tree;
}

ModuleOrder moduleOrder(const FrameChains &chains, const ModuleTree &tree)
{
    const size_t count = chains.modules.size();
    std::vector<uint8_t> counts(count);
    std::vector<std::vector<uint32_t>> inside(count + 1); // the last: in none
    for (size_t module = count; module-- > 0;) {
        const uint32_t around = chains.modules[module].parent;
        counts[module] |= tree.modules[module].any();
        if (around != kNone)
            counts[around] |= counts[module];
    }
    for (uint32_t module = 0; module < count; ++module)
        if (counts[module])
            inside[std::min<size_t>(chains.modules[module].parent, count)].push_back(module);
    for (std::vector<uint32_t> &siblings : inside)
        std::stable_sort(siblings.begin(), siblings.end(), [&](uint32_t a, uint32_t b) { return tree.modules[a].first < tree.modules[b].first; });
    ModuleOrder order;
    std::vector<std::pair<uint32_t, uint32_t>> open; // module, depth; the next one last
    const auto push = [&](const std::vector<uint32_t> &modules, uint32_t depth) {
        for (auto module = modules.rbegin(); module != modules.rend(); ++module)
            open.emplace_back(*module, depth);
    };
    push(inside[count], 0);
    while (!open.empty()) {
        const auto [module, depth] = open.back();
        open.pop_back();
        order.modules.push_back(module);
        order.depth.push_back(depth);
        push(inside[module], depth + 1);
    }
    return order;
}

} // namespace riffle
