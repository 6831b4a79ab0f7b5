// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/trace.h"

#include <cstdint>
#include <string>
#include <vector>

namespace riffle {

/// The kind of a slice around an event, as a stack shows it.
enum class AroundKind : uint8_t { Operator, Module, Python, Other };
const char *aroundKindName(AroundKind kind);

struct SliceAround {
    SliceId slice;
    std::string name;
    AroundKind kind = AroundKind::Other;
    bool own = false;     ///< true for a module or a Python function of the user's own code
    bool forward = false; ///< true for the forward operator and the slices around it, which do not contain the slice
};

/// A slice and the slices around it on its thread, innermost first: functions, modules, operators, ranges of the
/// program. If no Python frame is among them, as in the backward pass, the recorded forward operator (if any) and the
/// slices around it follow.
std::vector<SliceAround> slicesAround(const Trace &trace, SliceId innermost);

} // namespace riffle
