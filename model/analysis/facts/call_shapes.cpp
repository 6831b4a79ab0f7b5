// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/facts/call_shapes.h"

#include "model/analysis/facts/scope.h"
#include "model/analysis/facts/slice_reader.h"
#include "model/base/filled_vector.h"
#include "model/base/stopping.h"
#include "model/base/wrapping.h"

#include <algorithm>

#include <xxhash.h>

namespace riffle {

uint32_t CallShapes::around(uint32_t node, ShapeKind kind) const
{
    while (node != kNone && labelOf(node).kind != kind)
        node = parent[node];
    return node;
}

uint64_t CallShapes::workCount() const
{
    return size() - static_cast<uint64_t>(std::count(work.begin(), work.end(), kNone));
}

size_t CallShapes::bytes() const { return size() * (5 * sizeof(uint32_t) + sizeof(uint64_t) + sizeof(Ns)); }

void CallShapes::resize(size_t nodes)
{
    for (auto *column : {&end, &parent, &slice, &label, &work})
        column->resize(nodes);
    hash.resize(nodes);
    before.resize(nodes + 1);
}

void CallShapes::addHashes()
{
    for (uint32_t node = 0; node < size(); ++node)
        hash[node] = labelOf(node).hash;
    // Children are behind their parents, so their hashes are complete before they are added to their parents'.
    for (size_t node = size(); node-- > 1;) {
        throwIfStoppedAt(node);
        const uint64_t both[] = {hash[parent[node]], hash[node]};
        hash[parent[node]] = XXH3_64bits(both, sizeof both);
    }
}

CallShapes::CallShapes(const CallShapes &whole, const Scope &scope)
    : m_labels(whole.m_labels)
    , m_hasModules(whole.m_hasModules)
{
    BigVector<uint8_t> kept = filledVector(whole.size(), uint8_t(0));
    SliceReader reader(scope.facts().trace());
    uint32_t child = 0; // of the root
    bool isChosen = false;
    for (uint32_t node = 1; node < whole.size(); ++node) {
        throwIfStoppedAt(node);
        if (whole.parent[node] == 0) {
            const uint32_t step = whole.m_stepOf[child++];
            isChosen = !scope.range() && step != kNone && scope.hasStep(step);
            kept[node] = isChosen;
        } else if (whole.isWork(node)) {
            kept[node] = scope.begins(whole.work[node]) || scope.deviceTime(whole.work[node]) > 0;
        } else if (whole.slice[node] != kNone) {
            kept[node] = isChosen || (scope.range() && reader.seek(whole.slice[node]) && scope.holds(reader.start()));
        }
    }
    kept[0] = true;
    size_t nodes = 1;
    for (size_t node = whole.size(); node-- > 1;) {
        kept[whole.parent[node]] |= kept[node];
        nodes += kept[node];
    }
    resize(nodes);
    BigVector<uint32_t> moved(whole.size());
    uint32_t next = 0;
    Ns sum = 0;
    child = 0;
    for (uint32_t node = 0; node < whole.size(); ++node) {
        throwIfStoppedAt(node);
        child += node > 0 && whole.parent[node] == 0;
        if (!kept[node])
            continue;
        moved[node] = next;
        parent[next] = node == 0 ? kNone : moved[whole.parent[node]];
        slice[next] = whole.slice[node];
        label[next] = whole.label[node];
        work[next] = whole.work[node];
        before[next] = sum;
        if (work[next] != kNone)
            addWrapping(sum, scope.deviceTime(work[next]));
        if (parent[next] == 0)
            m_stepOf.push_back(whole.m_stepOf[child - 1]);
        end[next] = next + 1;
        ++next;
    }
    before[next] = sum;
    for (size_t node = size(); node-- > 1;)
        end[parent[node]] = std::max(end[parent[node]], end[node]);
    addHashes();
}

} // namespace riffle
