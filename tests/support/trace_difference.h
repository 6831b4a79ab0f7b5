// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/trace.h"

#include <string>

namespace riffle::test {

/// The first place where two sealed traces differ, column by column, report and strings included; empty when there is
/// none. Where they came from (path, container, seconds) does not count.
std::string traceDifference(const Trace &a, const Trace &b);
/// The same for what two texts say, wherever and in whichever spelling they say it: offsets, numbers of strings, what
/// was mended or left out and how much else there is do not count.
std::string contentDifference(const Trace &a, const Trace &b);
/// The same for two reports: counts, examples, offsets.
std::string reportDifference(const ImportReport &a, const ImportReport &b);

/// The first thing that no sealed trace may have: a source range beyond the text, a parent that does not contain its
/// child, overlapping slices on a drawing row, ids beyond their table, side tables out of order. Empty when all is
/// well.
std::string sealProblem(const Trace &trace);

} // namespace riffle::test
