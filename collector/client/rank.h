// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string_view>

namespace riffle::record {

/// Returns the value of an environment variable; null if it is not set.
using Lookup = std::function<const char *(const char *name)>;

/// The rank that the launcher assigned to this process: torchrun and DeepSpeed, Paddle, Open MPI, MPICH, PMIx, Slurm.
std::optional<int> rankFromEnvironment(const Lookup &lookup);
/// Parses a whole number without a sign or blanks; nullopt if it is not one or does not fit an int.
std::optional<int> wholeNumber(std::string_view text);

} // namespace riffle::record
