// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace riffle {

/// The maximum number of characters in a short name.
inline constexpr size_t kShortNameLimit = 80;

/// A readable name for a kernel: without return type and parameters, without the namespaces of its arguments, and
/// without numbers and PyTorch's offset calculators among the template arguments. A lambda is named after the function
/// that contains it, with its numbers and the types that it takes: "reduce_kernel<ReduceOp<float, MeanOps<float>>>",
/// "elementwise_kernel<copy_kernel#3#1(float)>". "…" replaces parts that do not fit.
std::string shortKernelName(std::string_view name);

/// The same for the kernels of one table: different names never get the same short name. If they would, the template
/// arguments (or parts between underscores) that differ are shown, or, if these do not fit, a number. Identical names
/// get identical short names, regardless of their order. Time is linear in the length of the texts.
std::vector<std::string> shortKernelNames(std::span<const std::string_view> names);

} // namespace riffle
