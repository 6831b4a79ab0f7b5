// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/compare/tree_pairing.h"
#include "model/analysis/facts/scope.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace riffle {

/// The device time of two parts of traces, A and B, paired in their trees of calls. Device time is the sum of the
/// durations of kernels, copies and memsets, on all devices and streams, and no length of a step: work that runs at the
/// same time counts twice. Each piece of work of a part is in exactly one pair, gone or new, so
///
///     B − A = Σ over pairs (B − A) + Σ new − Σ gone, to the nanosecond.
///
/// Both scopes must outlive the object. Their lanes, names and classes do not limit it.
class DeviceComparison {
public:
    DeviceComparison(const Scope &a, const Scope &b);

    const Scope &scopeA() const { return m_scopeA; }
    const Scope &scopeB() const { return m_scopeB; }
    const CallShapes &a() const { return *m_a; }
    const CallShapes &b() const { return *m_b; }
    const TreePairing &pairing() const { return *m_pairing; }
    Ns totalA() const { return m_a->total(0); }
    Ns totalB() const { return m_b->total(0); }

    /// The pieces of device work by what became of them.
    struct Counts {
        uint64_t same = 0;    ///< pairs under one name
        uint64_t renamed = 0; ///< pairs under two names
        uint64_t gone = 0;    ///< only in A
        uint64_t added = 0;   ///< only in B
    };
    const Counts &counts() const { return m_counts; }
    /// Sentences about what the pairing could not use.
    std::vector<std::string> notes() const;

private:
    const Scope &m_scopeA, &m_scopeB;
    std::shared_ptr<const CallShapes> m_a, m_b;
    std::unique_ptr<const TreePairing> m_pairing;
    Counts m_counts;
    bool m_withoutModules = false; ///< only one of the traces has modules, so they are no nodes
};

} // namespace riffle
