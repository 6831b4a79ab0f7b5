// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/trace.h"

#include <string>

namespace riffle::test {

/// Returns the first difference between what two traces say, when ids and drawing rows do not matter: slices are named
/// by their lane and their place in the source. Empty if there is none.
std::string grownDifference(const Trace &a, const Trace &b);

} // namespace riffle::test
