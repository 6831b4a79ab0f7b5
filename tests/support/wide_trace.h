// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/trace.h"

#include <cstdint>
#include <memory>

namespace riffle::test {

/// A trace of any size that resembles training, built without a file: four GPUs with four streams each, threads with
/// nested calls (one of them 88 deep) and a counter. The same size and seed always give the same trace; another seed
/// gives other slices. With frames, the calls are Python frames, most of them plumbing.
std::shared_ptr<const Trace> wideTrace(uint64_t slices, int lanes = 40, uint64_t seed = 7, bool hasFrames = false);

} // namespace riffle::test
