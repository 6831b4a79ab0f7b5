// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/bands.h"

#include <span>
#include <stop_token>

namespace riffle {

class SetFacts;

/// The idle times of every device of these traces (of all if none is named) with their causes, as one track per device.
SetBands idleBands(const SetFacts &facts, std::span<const TraceId> traces, const std::stop_token &stop);

} // namespace riffle
