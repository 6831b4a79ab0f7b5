// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace riffle::test {

struct MemoryLogOptions {
    uint32_t points = 1000;
    uint32_t blocks = 32; ///< of the model, each with 13 layers of parameters and 4 layers of activations
    uint32_t rank = 0;
};

/// The text of a rank's memory.log as InternEvo's profiler writes it: parameters, gradients and optimizer states that
/// stay the same, and activations that differ at every point. The same options give the same text. The layers add up to
/// the printed totals.
std::string generateMemoryLog(const MemoryLogOptions &options);

} // namespace riffle::test
