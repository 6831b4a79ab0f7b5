// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/compare/compared_side.h"

#include <QString>

namespace riffle {

/// A part of a trace as a user reads and writes it: "Median step", "All steps", "Step 551", "Steps 551 to 553",
/// "1.5ms:2ms". A trace without steps has "All of it" in place of the first.
QString partWords(const SideRequest &request, bool hasSteps);
/// The part that a user wrote; also "551", "551:553" and "all". The definition of the steps is that of `before`.
Result<SideRequest> partFromWords(const QString &text, const SideRequest &before, bool hasSteps);

} // namespace riffle
