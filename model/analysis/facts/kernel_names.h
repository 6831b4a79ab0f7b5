// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace riffle {

/// Characters of a short name, at most.
inline constexpr size_t kShortNameLimit = 80;

/// A kernel's name for people: without return type, parameters, the namespaces of its arguments, numbers and PyTorch's
/// offset calculators among the template arguments; a lambda is called after the function that it stands in, with its
/// numbers and the types that it takes: "reduce_kernel<ReduceOp<float, MeanOps<float>>>",
/// "elementwise_kernel<copy_kernel#3#1(float)>". What does not fit is left out where "…" stands.
std::string shortKernelName(std::string_view name);

/// The same for the kernels of one table: different names never get the same short name. Where they would, those
/// template arguments (or parts between underscores) are shown that differ, and if these do not fit either, a number.
/// Identical names get identical short names, in whatever order they come. Time is linear in the text, whatever it is.
std::vector<std::string> shortKernelNames(std::span<const std::string_view> names);

} // namespace riffle
