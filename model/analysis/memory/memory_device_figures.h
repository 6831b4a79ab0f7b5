// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/memory/allocator/allocator_state.h"
#include "model/analysis/memory/categories/memory_categories.h"
#include "model/analysis/memory/snapshot_checks.h"
#include "model/analysis/memory/snapshot_facts.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace riffle {

/// The figures of one snapshot's devices (snapshotFigures()). What several figures need is computed once.
class MemoryDeviceFigures {
public:
    /// `facts` must outlive the object.
    explicit MemoryDeviceFigures(const SnapshotFacts &facts) : m_facts(facts) {}

    struct Value {
        std::optional<double> number;
        std::string missing; ///< why there is no number: a whole sentence
        bool idle = false;   ///< there is no number because the device holds nothing at its peak
    };
    /// `device` is a row of MemoryReplay::devices. `figure` is one of snapshotFigures().
    Value of(uint32_t device, std::string_view figure);

private:
    struct Shares {
        double unknown, inferred; ///< NaN if nothing is alive
    };
    const Shares &sharesAtPeak(uint32_t device);
    const AllocatorFigures &allocatorAtPeak(uint32_t device);
    Value holesAtPeak(uint32_t device, bool fragmentation);

    const SnapshotFacts &m_facts;
    std::optional<MemoryCategories> m_categories;
    std::map<uint32_t, Shares> m_shares;
    std::map<uint32_t, AllocatorFigures> m_atPeak;
};

} // namespace riffle
