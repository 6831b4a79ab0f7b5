// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/search/text_matcher.h"
#include "model/base/task.h"
#include "model/trace/trace.h"

#include <vector>

namespace riffle {

/// One byte per slice of the trace: does the text of its arguments match? Reads the source once, front to back, in
/// pieces spread over all workers. `literal`: a matcher of plain text, for which a whole text that does not match has
/// no part that does. All zero when the source is gone.
std::vector<uint8_t> slicesWithMatchingArguments(const Trace &trace, const TextMatcher &matches, bool literal,
                                                 const Task &task);

} // namespace riffle
