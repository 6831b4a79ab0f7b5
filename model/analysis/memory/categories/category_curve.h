// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/memory/categories/memory_categories.h"
#include "model/analysis/memory/snapshot_facts.h"
#include "model/base/task.h"

#include <cstdint>
#include <string>
#include <vector>

namespace riffle {

/// The memory of a device over its history, divided into categories, for graphs. A history of more events than points
/// is split into stretches with equal numbers of events, and each point stands for the event of its stretch after which
/// most memory is active. So no peak of active memory is missed, but those of single categories and of reserved memory
/// can be. Categories without bytes at any point are left out.
struct CategoryCurve {
    /// A snapshot can record any number of categories. If there are more than this, those with the fewest bytes over
    /// all points are added up as "other categories".
    static constexpr size_t kMostSeries = 20;

    struct Series {
        std::string category;
        bool unknown = false;
        std::vector<int64_t> bytes; ///< active bytes, one number per point
        int64_t most = 0;           ///< the most active bytes after any event, even one that is no point
    };
    /// Ascending. The first point is before the history (MemoryAllocations::kNone); the others are rows of
    /// MemorySnapshot::events.
    std::vector<uint32_t> events;
    std::vector<int64_t> active, reserved; ///< bytes after each of the events
    std::vector<Series> series; ///< those with the most bytes over all points first, and "other categories" last; at
                                ///< each point, their sum is `active`
    uint32_t stretch = 1;       ///< events per point
};

/// The curve of a device (a row of MemoryReplay::devices), with at most `most` points after the first one.
CategoryCurve categoryCurve(const SnapshotFacts &facts, uint32_t device, const MemoryCategories &categories,
                            uint32_t most, const Task &task);

} // namespace riffle
