// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/trace.h"

#include <cstdint>
#include <string>
#include <vector>

namespace riffle {

/// What a slice that something happened in is, for people who read a stack.
enum class AroundKind : uint8_t { Operator, Module, Python, Other };
const char *aroundKindName(AroundKind kind);

struct SliceAround {
    SliceId slice;
    std::string name;
    AroundKind kind = AroundKind::Other;
    bool own = false;     ///< a module, or a Python function of the user's own code
    bool forward = false; ///< not around it, but its forward operator, or around that
};

/// A slice and those around it on its thread, innermost first: functions, modules, operators, ranges of the program.
/// Where no Python is among them, as in the backward pass, behind them the forward operator, where one is recorded, and
/// what is around that.
std::vector<SliceAround> slicesAround(const Trace &trace, SliceId innermost);

} // namespace riffle
