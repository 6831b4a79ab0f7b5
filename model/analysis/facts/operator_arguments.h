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

/// The inputs of an operator's call as far as Kineto writes them: by place, shapes of tensors and texts of everything
/// else.
class OperatorArguments {
public:
    /// The raw values of "Input Dims" ([[2,3],[],[[1],[2]]]) and "Concrete Inputs" (["","[1, 1]","False"]). What is no
    /// such list counts as absent: Ascend's "2,3;4" too.
    OperatorArguments(std::string_view inputDims, std::string_view concreteInputs);

    size_t count() const { return m_shapes.size(); }
    /// Of a tensor; none where there is none, for a list of tensors and for negative dimensions. Scalars have the shape
    /// of a tensor without dimensions.
    std::optional<Shape> shape(size_t place) const;
    /// "[1, 1]"
    std::optional<std::vector<int64_t>> integers(size_t place) const;
    /// "[True, False]"
    std::optional<std::vector<bool>> flags(size_t place) const;
    std::optional<int64_t> integer(size_t place) const;
    std::optional<bool> flag(size_t place) const;

private:
    std::string_view text(size_t place) const;

    std::vector<std::optional<Shape>> m_shapes;
    std::vector<std::string> m_texts;
};

} // namespace riffle
