// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/operator_times.h"

#include <string>
#include <string_view>
#include <vector>

namespace riffle {

/// What the operators of one row have in common.
struct OperatorKey {
    uint32_t name = 0;    ///< StringId
    uint64_t more = 0;    ///< hash of the shapes, number of the stack or module; 0 where the name is all
    uint32_t example = 0; ///< call number of the first of them
    std::string nameText;
    std::string shapes, types;
};

/// Operators put into rows.
struct OperatorGrouping {
    OperatorGroups groups;
    std::vector<OperatorKey> keys; ///< by row
    bool byShapes = false;
    bool anyShapes = false; ///< shapes were recorded at all
};

/// By "name" or "name,shapes". Operators on lanes or of names that the scope leaves out have no row.
OperatorGrouping groupOperators(const Scope &scope, std::string_view groupBy);

/// Fills the texts of these rows' keys; shapes and types are read from the trace's source.
void nameGroups(const Scope &scope, OperatorGrouping &grouping, const std::vector<uint32_t> &rows);

} // namespace riffle
