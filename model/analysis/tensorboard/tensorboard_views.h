// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/summary/summary.h"

#include <span>

namespace riffle {

/// The views of TensorBoard's PyTorch plugin with its formulas, so that users can find its figures in Riffle
/// (tensorboard/differences.h lists where the formulas differ). The overview also has Riffle's figures. All figures are
/// for the whole trace.
std::span<const SummaryView> tensorboardViews();

} // namespace riffle
