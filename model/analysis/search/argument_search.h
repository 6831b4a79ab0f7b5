// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/search/text_matcher.h"
#include "model/trace/per_slice.h"

namespace riffle {

/// For each slice of the trace, 1 if the text of its arguments matches. Reads the source once from start to end, in
/// pieces that are spread over all workers. `literal` is true for a matcher of plain text: if it does not match a whole
/// text, it matches no part of it. All are 0 if the source is gone.
PerSlice<uint8_t> slicesWithMatchingArguments(const Trace &trace, const TextMatcher &matches, bool literal);

} // namespace riffle
