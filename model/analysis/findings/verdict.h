// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/summary/summary.h"

#include <string>
#include <vector>

namespace riffle {

/// Returns answers to the first questions about a run, as at most seven sentences or short paragraphs: how long the
/// steps took, whether the ranks differ, how busy the devices were and why they were idle, and the most severe
/// findings. Without device work, they are about the host. If some traces of the set have steps, the others, such as
/// those of helper processes, do not count.
std::vector<std::string> verdictOf(const SetFacts &facts);

} // namespace riffle
