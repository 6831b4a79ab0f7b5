// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/trace.h"

#include <cstdint>
#include <memory>

namespace riffle::test {

/// A trace of any size that resembles training, built without a file: four GPUs with four streams each, threads with
/// nested calls (one of them 88 deep) and a counter. The same size always gives the same trace.
std::shared_ptr<const Trace> wideTrace(uint64_t slices, int lanes = 40);

} // namespace riffle::test
