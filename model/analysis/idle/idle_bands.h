// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/bands.h"

#include <stop_token>

namespace riffle {

class SetFacts;

/// Of every device of a set when it was idle, and why: a track each.
SetBands idleBands(const SetFacts &facts, std::stop_token stop);

} // namespace riffle
