// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/compare/device_comparison.h"

#include "model/base/format.h"
#include "model/base/parallel.h"

namespace riffle {

namespace {

using Tree = std::shared_ptr<const CallShapes>;

Tree wholeTree(const Scope &scope, bool withModules)
{
    return std::make_shared<const CallShapes>(scope.facts(), scope.steps(), withModules);
}

/// The part of the tree of a trace that a scope chooses.
Tree partOfTree(const Tree &whole, const Scope &scope)
{
    return scope.everything() ? whole : std::make_shared<const CallShapes>(*whole, scope);
}

Tree treeOf(const Scope &scope, bool withModules) { return partOfTree(wholeTree(scope, withModules), scope); }

} // namespace

DeviceComparison::DeviceComparison(const Scope &a, const Scope &b) : m_scopeA(a), m_scopeB(b)
{
    if (&a.facts() == &b.facts() && &a.steps() == &b.steps()) { // two parts of one trace
        const Tree whole = wholeTree(a, true);
        parallelJobs({[&] { m_a = partOfTree(whole, a); }, [&] { m_b = partOfTree(whole, b); }});
    } else {
        parallelJobs({[&] { m_a = treeOf(a, true); }, [&] { m_b = treeOf(b, true); }});
    }
    m_withoutModules = m_a->hasModules() != m_b->hasModules();
    if (m_withoutModules)
        (m_a->hasModules() ? m_a : m_b) = treeOf(m_a->hasModules() ? a : b, false);
    m_pairing = std::make_unique<const TreePairing>(*m_a, *m_b);
    for (uint32_t node = 0; node < m_a->size(); ++node) {
        if (!m_a->isWork(node))
            continue;
        const uint32_t partner = m_pairing->ofA[node];
        ++(partner == TreePairing::kNone                        ? m_counts.gone
           : m_pairing->isNamedAlike(*m_a, *m_b, node, partner) ? m_counts.same
                                                                : m_counts.renamed);
    }
    for (uint32_t node = 0; node < m_b->size(); ++node)
        m_counts.added += m_b->isWork(node) && m_pairing->ofB[node] == TreePairing::kNone;
}

std::vector<std::string> DeviceComparison::notes() const
{
    std::vector<std::string> notes;
    if (m_withoutModules)
        notes.push_back("Only one of the two recorded modules, so they did not help to pair the calls.");
    if (m_pairing->rough)
        notes.push_back("In " + formatCounted(static_cast<int64_t>(m_pairing->rough), "place", "places") +
                        ", thousands of calls in a row differ and are paired only roughly: some of what is new or "
                        "gone may be the same.");
    if (m_pairing->unsearched)
        notes.push_back("In " + formatCounted(static_cast<int64_t>(m_pairing->unsearched), "place", "places") +
                        ", calls were not searched inside others that have no partner, because so many of these are "
                        "inside each other: some of what is new or gone may be the same.");
    return notes;
}

} // namespace riffle
