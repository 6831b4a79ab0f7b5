// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/summary/summary.h"

#include <span>

namespace riffle {

/// The views of TensorBoard's PyTorch plugin, with its formulas (tensorboard/differences.h says where they are others),
/// so that its figures can be found again in Riffle. The overview has Riffle's figures beside them. They are of the
/// whole trace.
std::span<const SummaryView> tensorboardViews();

} // namespace riffle
