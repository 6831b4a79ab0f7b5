// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/operators/operator_times.h"

#include <string>
#include <string_view>
#include <vector>

namespace riffle {

enum class OperatorsBy : uint8_t { Name, Shapes, Stack, Module };

/// The words of --group-by: "name", "name,shapes", "name,stack", "module".
OperatorsBy operatorsBy(std::string_view word);

/// What the operators of one row have in common.
struct OperatorKey {
    uint32_t name = 0;                   ///< StringId; by modules that of the first
    uint64_t shapes = 0;                 ///< hash; 0: not recorded
    uint32_t stack = FrameChains::kNone; ///< innermost frame
    uint32_t module = FrameChains::kNone;
    StackOrigin origin = StackOrigin::None; ///< of the stack
    uint32_t example = 0;                   ///< call number of the first of them
};
struct OperatorTexts {
    std::string name, shapes, types, stack, module;
};

/// Operators put into rows.
struct OperatorGrouping {
    OperatorGroups groups;
    std::vector<OperatorKey> keys;    ///< by row
    std::vector<OperatorTexts> texts; ///< by row, once they have been asked for
    OperatorsBy by = OperatorsBy::Name;
    bool anyShapes = false; ///< shapes were recorded at all
};

/// Operators on lanes or of names that the scope leaves out have no row.
OperatorGrouping groupOperators(const Scope &scope, OperatorsBy by);

/// Fills the texts of these rows; shapes and types are read from the trace's source. Of stacks that are many megabytes
/// together only the innermost frames are told.
void nameGroups(const Scope &scope, OperatorGrouping &grouping, const std::vector<uint32_t> &rows);

} // namespace riffle
