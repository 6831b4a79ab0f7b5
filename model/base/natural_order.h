// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace riffle {

/// True if a path comes before another one when the numbers in them are compared as numbers: rank2 before rank10. A
/// folder's own files come before those of its folders only if their names do.
bool naturallyBefore(std::string_view left, std::string_view right);

} // namespace riffle
