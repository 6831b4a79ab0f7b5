// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/trace_set.h"

#include <optional>
#include <string_view>

namespace riffle {

/// The slice with exactly this name that starts at `start` (set time). Without a start, or if none starts there, the
/// first one that starts inside `prefer`, otherwise the first of all. Invalid if no slice has this name.
SliceRef findSlice(const TraceSet &traces, std::string_view name, std::optional<Ns> start, TimeSpan prefer);

} // namespace riffle
