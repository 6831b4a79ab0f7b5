// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace riffle {

using Shape = std::vector<int64_t>;

/// The inputs of an operator's call as far as Kineto writes them: per position, the shape of a tensor or the text of
/// any other input.
class OperatorArguments {
public:
    /// Takes the raw values of "Input Dims" ([[2,3],[],[[1],[2]]]) and "Concrete Inputs" (["","[1, 1]","False"]). Any
    /// other text, such as Ascend's "2,3;4", counts as absent.
    OperatorArguments(std::string_view inputDims, std::string_view concreteInputs);

    /// The shape of the tensor at a position; empty if the input is a list of tensors or no tensor, or if a dimension
    /// is negative. A scalar counts as a tensor without dimensions.
    std::optional<Shape> shape(size_t place) const;
    /// The numbers of a list such as "[1, 1]"; empty if the input is not a list of integers.
    std::optional<std::vector<int64_t>> integers(size_t place) const;
    /// The flags of a list such as "[True, False]"; empty if the input is not a list of flags.
    std::optional<std::vector<bool>> flags(size_t place) const;
    std::optional<int64_t> integer(size_t place) const;
    std::optional<bool> flag(size_t place) const;

private:
    std::string_view text(size_t place) const;

    std::vector<std::optional<Shape>> m_shapes;
    std::vector<std::string> m_texts;
};

} // namespace riffle
