// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string_view>

namespace riffle::record {

/// Value of an environment variable, null where it is not set.
using Lookup = std::function<const char *(const char *name)>;

/// The rank that a launcher gave this process: torchrun and DeepSpeed, Paddle, Open MPI, MPICH, PMIx, Slurm.
std::optional<int> rankFromEnvironment(const Lookup &lookup);
/// A whole number without sign or blanks, in the range of an int.
std::optional<int> wholeNumber(std::string_view text);

} // namespace riffle::record
