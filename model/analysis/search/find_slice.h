// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/trace_set.h"

#include <optional>
#include <string_view>

namespace riffle {

/// The slice with exactly that name which starts at `start` (set time); without a start, or when none starts there, the
/// first one that begins inside `prefer`, else the first of all. Invalid when nothing has that name.
SliceRef findSlice(const TraceSet &traces, std::string_view name, std::optional<Ns> start, TimeSpan prefer);

} // namespace riffle
