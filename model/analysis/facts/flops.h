// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

/// The floating-point operations of one call of an operator, from the shapes of its inputs (DEFINITIONS R11). A
/// multiplication and the addition that follows it count as two.
namespace riffle {

enum class FlopsKind : uint8_t {
    ElementWise,   ///< add, mul: one for each element of the first operand, as in PyTorch's with_flops
    MatrixProduct, ///< 2·m·n·k for each matrix of a batch
    Convolution,   ///< 2 · images · positions of the output · elements of the weight; the same for each gradient
    Attention,     ///< 2·b·h·s_q·s_k·(d_qk + d_v), half of that if causal; backward takes 2.5 times as many
};

/// The kind of formula for an operator; empty if there is no formula. Names are those of the dispatcher and are
/// case-sensitive.
std::optional<FlopsKind> flopsKindOf(std::string_view operatorName);
inline bool hasFlopsFormula(std::string_view operatorName) { return flopsKindOf(operatorName).has_value(); }

/// True if an outer operator does not count because an operator inside it already counts: "aten::linear" around
/// "aten::addmm". An element-wise operator inside a product does not count in place of the product.
inline bool isCountedInside(FlopsKind outer, FlopsKind inner)
{
    return outer == FlopsKind::ElementWise || inner != FlopsKind::ElementWise;
}

/// True for the operators that PyTorch's with_flops counts, even inside other operators. Its "Total FLOPs" is their
/// sum.
bool isCountedByTorch(std::string_view operatorName);

/// The FLOPs of a call. `inputDims` and `concreteInputs` are the raw values of the arguments "Input Dims" and "Concrete
/// Inputs", or empty. The result is empty if there is no formula, or if the arguments do not determine it: missing or
/// nonsensical shapes, attention over packed sequences, a convolution whose stride, padding or dilation is missing, or
/// a result that does not fit into 64 bits.
std::optional<int64_t> operatorFlops(std::string_view operatorName, std::string_view inputDims,
                                     std::string_view concreteInputs);

} // namespace riffle
