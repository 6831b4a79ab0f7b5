// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/operators/operator_times.h"

#include <string>
#include <string_view>
#include <vector>

namespace riffle {

enum class OperatorsBy : uint8_t { Name, Shapes, Stack, Module };

/// Parses a word of --group-by: "name", "name,shapes", "name,stack" or "module".
OperatorsBy operatorsBy(std::string_view word);

/// The values that all operators of one row share.
struct OperatorKey {
    uint32_t name = 0;                   ///< StringId; if grouped by module, that of the first operator
    uint64_t shapes = 0;                 ///< hash; 0 if not recorded
    uint32_t stack = FrameChains::kNone; ///< innermost frame
    uint32_t module = FrameChains::kNone;
    StackOrigin origin = StackOrigin::None; ///< where the stack comes from
    uint32_t example = 0;                   ///< call number of the first operator
};
struct OperatorTexts {
    std::string name, shapes, types, stack, module;
};

/// Operators grouped into rows.
struct OperatorGrouping {
    OperatorGroups groups;
    std::vector<OperatorKey> keys;    ///< by row
    std::vector<OperatorTexts> texts; ///< by row; nameGroups() fills them in
    OperatorsBy by = OperatorsBy::Name;
    bool anyShapes = false; ///< true if any shapes were recorded
};

/// Groups the operators of a scope. Operators on lanes or with names that the scope leaves out have no row.
OperatorGrouping groupOperators(const Scope &scope, OperatorsBy by);

/// Fills in the texts of these rows; shapes and types are read from the trace's source. If all stacks together take
/// many megabytes, the texts contain only the innermost frames.
void nameGroups(const Scope &scope, OperatorGrouping &grouping, const std::vector<uint32_t> &rows);

} // namespace riffle
