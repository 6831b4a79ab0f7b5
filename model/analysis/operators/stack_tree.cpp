// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/operators/stack_tree.h"

#include "model/analysis/operators/launched_work.h"
#include "model/base/filled_vector.h"
#include "model/base/ids.h"
#include "model/base/stopping.h"

#include <algorithm>

namespace riffle {

StackTree::StackTree(const Scope &scope, bool withOperators)
    : m_withOperators(withOperators)
    , m_positions(scope.facts().trace())
{
    const FrameChains &chains = scope.facts().chains();
    nodes.reserve(chains.frames.size());
    for (const FrameChains::Frame &frame : chains.frames)
        nodes.push_back({.parent = frame.parent, .name = frame.name});
    addFrames(scope);
    addOperators(scope);
    addDevice(scope);
    sumUp();
}

void StackTree::addCall(const Scope &scope, uint32_t node, uint32_t slice, const SliceReader &reader)
{
    StackNode &to = nodes[node];
    slices.push_back(slice);
    nodeOfSlice.push_back(node);
    to.first = std::min(to.first, reader.start());
    if (!scope.hasHostLane(reader.lane()) || !scope.touches(reader.span()))
        return;
    to.occurrences += scope.holds(reader.start());
    const auto isBefore = [&] { // the first of equally long calls
        return m_positions.of(reader.segment(), reader.at()) < m_positions.of(to.longest);
    };
    if (reader.duration() > to.longestDuration || (reader.duration() == to.longestDuration && isBefore())) {
        to.longestDuration = reader.duration();
        to.longest = slice;
    }
    if (to.isOperator == m_withOperators)
        to.hostSelf += scope.clipped(reader.span());
}

void StackTree::addFrames(const Scope &scope)
{
    const TraceFacts &facts = scope.facts();
    const FrameChains &chains = facts.chains();
    SliceReader reader(facts.trace());
    for (const auto &[slice, node] : chains.frameCalls) {
        if (node == kNoRow || !reader.seek(slice) ||
            facts.classes().of(reader.segment(), reader.at()) != SliceClass::Frame)
            continue;
        addCall(scope, node, slice, reader);
        if (!m_withOperators && nodes[node].parent != kNoRow && scope.hasHostLane(reader.lane()))
            nodes[nodes[node].parent].hostSelf -= scope.clipped(reader.span());
    }
}

uint32_t StackTree::nodeOfOperator(const Scope &scope, uint32_t call)
{
    const CallTree &calls = scope.facts().calls();
    const FrameChains &chains = scope.facts().chains();
    SliceReader reader(scope.facts().trace());
    std::vector<uint32_t> path; // nested operators that have the same stack, innermost first
    uint32_t node = kNoRow;
    while (call != CallTree::kNone && node == kNoRow) {
        path.push_back(call);
        const uint32_t around = calls.operatorAround(call);
        if (around == CallTree::kNone || chains.stackOf(around) != chains.stackOf(call)) {
            node = chains.stackOf(call);
            break;
        }
        call = around;
        node = m_nodeOfCall[call];
    }
    for (auto at = path.rbegin(); at != path.rend(); ++at) {
        if (!reader.seek(calls.slice[*at]))
            continue;
        const auto [number, isNew] = m_numbers.of(static_cast<uint64_t>(node) << 32 | reader.name());
        const auto made = static_cast<uint32_t>(chains.frames.size()) + number;
        if (isNew)
            nodes.push_back({.parent = node, .name = reader.name(), .isOperator = true});
        m_nodeOfCall[*at] = node = made;
    }
    return node;
}

void StackTree::addOperators(const Scope &scope)
{
    const CallTree &calls = scope.facts().calls();
    const FrameChains &chains = scope.facts().chains();
    if (m_withOperators)
        m_nodeOfCall = filledVector(calls.size(), kNoRow);
    const auto frames = static_cast<ptrdiff_t>(slices.size());
    SliceReader reader(scope.facts().trace());
    for (uint32_t call = 0; call < calls.size(); ++call) {
        throwIfStoppedAt(call);
        if (!calls.isOperator[call] || !reader.seek(calls.slice[call]))
            continue;
        if (const uint32_t stack = chains.stackOf(call);
            stack != kNoRow && scope.hasHostLane(reader.lane()) && scope.holds(reader.start()))
            ++nodes[stack].operators;
        if (!m_withOperators)
            continue;
        const uint32_t node = m_nodeOfCall[call] != kNoRow ? m_nodeOfCall[call] : nodeOfOperator(scope, call);
        addCall(scope, node, calls.slice[call], reader);
        const uint32_t around = calls.operatorAround(call);
        if (around != CallTree::kNone && scope.hasHostLane(reader.lane()))
            nodes[m_nodeOfCall[around] != kNoRow ? m_nodeOfCall[around] : nodeOfOperator(scope, around)].hostSelf -=
                scope.clipped(reader.span());
    }
    if (!m_withOperators)
        return;
    BigVector<uint32_t> order(slices.size()), merged(slices.size());
    for (uint32_t at = 0; at < order.size(); ++at)
        order[at] = at;
    std::inplace_merge(order.begin(), order.begin() + frames, order.end(),
                       [&](uint32_t a, uint32_t b) { return slices[a] < slices[b]; });
    for (BigVector<uint32_t> *column : {&slices, &nodeOfSlice}) {
        for (size_t at = 0; at < order.size(); ++at)
            merged[at] = (*column)[order[at]];
        column->swap(merged);
    }
}

void StackTree::addDevice(const Scope &scope)
{
    const CallTree &calls = scope.facts().calls();
    const FrameChains &chains = scope.facts().chains();
    deviceWithout = addLaunchedWork(scope, nodes, [&](uint32_t call) {
        return m_withOperators && calls.isOperator[call] ? m_nodeOfCall[call] : chains.stackOf(call);
    });
}

void StackTree::sumUp()
{
    for (size_t node = nodes.size(); node-- > 0;) {
        StackNode &of = nodes[node];
        of.hostSelf = std::max<Ns>(of.hostSelf, 0); // crossing calls subtract some time twice
        of.hostTotal += of.hostSelf;
        of.deviceTotal += of.deviceSelf;
        if (of.parent == kNoRow)
            continue;
        nodes[of.parent].hostTotal += of.hostTotal;
        nodes[of.parent].deviceTotal += of.deviceTotal;
        nodes[of.parent].deviceBackward += of.deviceBackward;
    }
}

} // namespace riffle
