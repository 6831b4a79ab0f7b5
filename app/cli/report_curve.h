// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/memory/categories/category_curve.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace riffle::cli {

/// The classes of reportStyle() for the categories of memory, which are the same in all charts of a page.
class CategoryClasses {
public:
    /// "r0", …; grey for unknown memory.
    const std::string &of(const CategoryCurve::Series &series);

private:
    std::map<std::string, std::string> m_known;
};

/// An event that a chart marks with a vertical line.
struct CurveMark {
    uint32_t event = 0; ///< row of MemorySnapshot::events
    std::string text;
};

/// One chart of a device's memory over its history: the categories of the active memory on top of each other, and the
/// reserved memory as a line, with up to two marks in order of event. The device must have a history.
std::string memoryChart(const SnapshotFacts &facts, uint32_t device, const CategoryCurve &curve,
                        const std::vector<CurveMark> &marks, CategoryClasses &classes);

} // namespace riffle::cli
