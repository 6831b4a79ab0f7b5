// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

/// Floating-point operations of one call of an operator, from the shapes of its inputs (DEFINITIONS R11). A
/// multiplication and the addition that follows it are two.
namespace riffle {

enum class FlopsKind : uint8_t {
    ElementWise,   ///< add, mul: one for each element of the first operand, as PyTorch's with_flops has it
    MatrixProduct, ///< 2·m·n·k for each matrix of a batch
    Convolution,   ///< 2 · images · positions of the output · elements of the weight; each gradient is as much again
    Attention,     ///< 2·b·h·s_q·s_k·(d_qk + d_v), half of it when causal, 2.5 times as much backward
};

/// None: there is no formula for that operator. Names are those of the dispatcher, in exact case.
std::optional<FlopsKind> flopsKindOf(std::string_view operatorName);
inline bool hasFlopsFormula(std::string_view operatorName) { return flopsKindOf(operatorName).has_value(); }

/// Whether an operator adds nothing because it has one inside that is counted: "aten::linear" around "aten::addmm".
/// What is added or multiplied element by element inside a product is not the product.
inline bool isCountedInside(FlopsKind outer, FlopsKind inner)
{
    return outer == FlopsKind::ElementWise || inner != FlopsKind::ElementWise;
}

/// The operators that PyTorch's with_flops counts, wherever they are called: what its "Total FLOPs" sums.
bool isCountedByTorch(std::string_view operatorName);

/// `inputDims` and `concreteInputs` are the raw values of the arguments "Input Dims" and "Concrete Inputs", empty where
/// the call has none. None without a formula, and where the shapes do not say it: none or no sensible ones, attention
/// over packed sequences, a convolution whose stride, padding or dilation is not there, more than 64 bits.
std::optional<int64_t> operatorFlops(std::string_view operatorName, std::string_view inputDims,
                                     std::string_view concreteInputs);

} // namespace riffle
