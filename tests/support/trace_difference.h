// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/trace.h"

#include <string>

namespace riffle::test {

/// The first place where two sealed traces differ, column by column, report and strings included; empty if they are
/// equal. Their origin (path, container, seconds) does not count.
std::string traceDifference(const Trace &a, const Trace &b);
/// The same for the contents of two texts, regardless of position and spelling: offsets, numbers of strings, repairs,
/// skipped text and the amount of other text do not count.
std::string contentDifference(const Trace &a, const Trace &b);
/// The same for two reports: counts, examples, offsets.
std::string reportDifference(const ImportReport &a, const ImportReport &b);

/// The first thing that a sealed trace must not have: a source range beyond the text, a parent that does not contain
/// its child, overlapping slices on a drawing row, ids beyond their table, side tables out of order. Empty if the trace
/// is sound.
std::string sealProblem(const Trace &trace);

} // namespace riffle::test
