// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/support/limits.h"

namespace riffle::bench {

/// Measures the inflating libraries alone, with one buffer that is reused. Nothing if the file is damaged.
std::optional<InflateLimit> measureIgzip(const std::filesystem::path &path, int repeats);
std::optional<InflateLimit> measureZstd(const std::filesystem::path &path, int repeats);

} // namespace riffle::bench
