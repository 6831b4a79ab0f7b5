// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/trace/long_slices.h"

#include <algorithm>
#include <cassert>

namespace riffle {

bool NestedSpan::isShorterThan(const NestedSpan &other) const
{
    // Slices that are open end together, later than all others.
    const bool isOpen = end == kOpen, otherIsOpen = other.end == kOpen;
    if (isOpen != otherIsOpen)
        return otherIsOpen;
    if (!isOpen && end - start != other.end - other.start)
        return end - start < other.end - other.start;
    return start != other.start ? start > other.start : order > other.order || (order == other.order && id > other.id);
}

void LongSlices::Reach::widen(Ns start, Ns end)
{
    firstStart = std::min(firstStart, start);
    lastEnd = std::max(lastEnd, end);
}

LongSlices::Branch &LongSlices::ownBranch(size_t at)
{
    std::shared_ptr<Branch> &branch = m_branches[at];
    if (branch->stamp != m_stamp) {
        branch = std::make_shared<Branch>(*branch);
        branch->stamp = m_stamp;
    }
    return *branch;
}

LongSlices::Leaf &LongSlices::ownLeaf(Branch &branch, size_t at)
{
    std::shared_ptr<Leaf> &leaf = branch.leaves[at];
    if (leaf->stamp != m_stamp) {
        leaf = std::make_shared<Leaf>(*leaf);
        leaf->stamp = m_stamp;
    }
    return *leaf;
}

void LongSlices::add(const NestedSpan &slice)
{
    if (m_branches.empty() ||
        (m_branches.back()->leaves.size() == kFan && m_branches.back()->leaves.back()->slices.size() >= kFan)) {
        m_branches.push_back(std::make_shared<Branch>());
        m_branches.back()->stamp = m_stamp;
    }
    Branch &branch = ownBranch(m_branches.size() - 1);
    if (branch.leaves.empty() || branch.leaves.back()->slices.size() >= kFan) {
        branch.leaves.push_back(std::make_shared<Leaf>());
        branch.leaves.back()->stamp = m_stamp;
    }
    Leaf &leaf = ownLeaf(branch, branch.leaves.size() - 1);
    leaf.slices.push_back(slice);
    leaf.widen(slice.start, slice.end);
    branch.widen(slice.start, slice.end);
    ++m_size;
}

template <typename F>
void LongSlices::inLeafOf(const NestedSpan &slice, F change)
{
    const TimeSpan start{slice.start, slice.start};
    for (size_t at = m_branches.size(); at-- > 0;) {
        if (!m_branches[at]->reaches(start))
            continue;
        for (size_t child = m_branches[at]->leaves.size(); child-- > 0;) {
            const Leaf &leaf = *m_branches[at]->leaves[child];
            const auto found = std::ranges::find(leaf.slices, slice.id, &NestedSpan::id);
            if (found == leaf.slices.end())
                continue;
            const auto place = found - leaf.slices.begin();
            Branch &branch = ownBranch(at);
            Leaf &own = ownLeaf(branch, child);
            change(own.slices, own.slices.begin() + place);
            static_cast<Reach &>(own) = {INT64_MAX, INT64_MIN, m_stamp};
            for (const NestedSpan &one : own.slices)
                own.widen(one.start, one.end);
            static_cast<Reach &>(branch) = {INT64_MAX, INT64_MIN, m_stamp};
            for (const auto &one : branch.leaves)
                branch.widen(one->firstStart, one->lastEnd);
            return;
        }
    }
    assert(!"no such slice");
}

void LongSlices::change(const NestedSpan &slice)
{
    inLeafOf(slice, [&](std::vector<NestedSpan> &, auto place) { *place = slice; });
}

void LongSlices::remove(const NestedSpan &slice)
{
    inLeafOf(slice, [&](std::vector<NestedSpan> &slices, auto place) { slices.erase(place); });
    --m_size;
    // Slices leave in about the order in which they came, so that mostly the first leaf or branch becomes empty.
    if (m_branches.front()->leaves.front()->slices.empty()) {
        Branch &first = ownBranch(0);
        first.leaves.erase(first.leaves.begin());
        if (first.leaves.empty())
            m_branches.erase(m_branches.begin());
    }
}

std::shared_ptr<const LongSlices> LongSlices::snapshot()
{
    ++m_stamp; // all nodes are shared from now on
    return std::make_shared<const LongSlices>(*this);
}

NestedSpan LongSlices::around(const NestedSpan &inner) const
{
    NestedSpan best;
    for (auto branch = m_branches.rbegin(); branch != m_branches.rend(); ++branch) {
        if ((*branch)->firstStart > inner.start || (*branch)->lastEnd < inner.end)
            continue;
        for (auto leaf = (*branch)->leaves.rbegin(); leaf != (*branch)->leaves.rend(); ++leaf) {
            if ((*leaf)->firstStart > inner.start || (*leaf)->lastEnd < inner.end)
                continue;
            for (auto slice = (*leaf)->slices.rbegin(); slice != (*leaf)->slices.rend(); ++slice)
                if (slice->contains(inner) && (!best.id.valid() || slice->isShorterThan(best)))
                    best = *slice;
        }
    }
    return best;
}

} // namespace riffle
