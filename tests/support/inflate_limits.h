// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/support/limits.h"

namespace riffle::bench {

/// The inflating libraries alone, into one buffer that is used again and again. Nothing when the file is
/// damaged.
std::optional<InflateLimit> measureIgzip(const std::filesystem::path &path, int repeats);
std::optional<InflateLimit> measureZstd(const std::filesystem::path &path, int repeats);

} // namespace riffle::bench
