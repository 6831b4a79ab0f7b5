// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/summary/summary.h"
#include "model/trace/bands.h"

#include <string>

namespace riffle::cli {

/// A page that needs nothing but itself: what was traced, steps as bars, timelines, and every view's table with at most
/// `limit` rows. Tables sort on a click; without scripts they are still complete.
std::string reportHtml(const SetFacts &facts, const SetBands &bands, size_t limit);

} // namespace riffle::cli
