// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/compare/compare.h"

/// The functions behind the table of views of a comparison (compare.h). Each returns a table about the sides A and B.
namespace riffle {

/// The parts of the time of each device (step_parts.h), with their differences.
ResultTable stepDifference(const LabelledScope &a, const LabelledScope &b);
/// The figures of the overview, each with its difference in its own unit.
ResultTable overviewDifference(const LabelledScope &a, const LabelledScope &b);
/// The device time of kernels, operators or modules, paired in the trees of calls of both sides (DeviceComparison). The
/// rows of each of these tables sum to the difference of device time.
ResultTable kernelDifference(const LabelledScope &a, const LabelledScope &b, const PairedWork &work);
ResultTable operatorDifference(const LabelledScope &a, const LabelledScope &b, const PairedWork &work);
ResultTable moduleDifference(const LabelledScope &a, const LabelledScope &b, const PairedWork &work);
/// Calls of collectives and point-to-point operations by operation, size of the group, type and size of the message,
/// with the fill of the device's memory while they ran.
ResultTable communicationDifference(const LabelledScope &a, const LabelledScope &b);
/// The rules that hold for only one side, then those that hold for both.
ResultTable findingDifference(const LabelledScope &a, const LabelledScope &b);
/// The median step of each rank of two runs (ComparedSide::ranks). Two traces are one row, whatever their ranks are.
ResultTable rankDifference(const ComparedSide &a, const ComparedSide &b);

/// The table of a summary view for both sides, whose rows are paired by the keys of the view (differenceTable());
/// `figure` is the column that is compared first.
ResultTable summaryDifference(const char *word, const char *figure, const LabelledScope &a, const LabelledScope &b);

} // namespace riffle
