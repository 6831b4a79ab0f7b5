// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace riffle::collector {

/// The parts of the text of PyTorch's NVTX range for an operator: "aten::mm, seq = 12, op_id = 3, sizes = [[2, 3]], …".
struct OperatorText {
    std::string_view name;
    std::string_view shapes; ///< raw text of `sizes`; empty if absent
    int64_t sequence;        ///< wire::kAbsent if absent
    int64_t operatorId;      ///< wire::kAbsent if absent
    bool isOperator;         ///< false: a range that the program created with record_function
};

/// PyTorch gives the sequence number of a backward node only to the function inside the range that starts with this.
inline constexpr std::string_view kBackwardNode = "autograd::engine::evaluate_function: ";

/// A quick test for the program's own thread: true for the texts of operators, and for a few that only resemble them.
bool resemblesOperator(std::string_view text);

/// Splits such a text into its parts; nullopt if the text does not have this form.
std::optional<OperatorText> operatorText(std::string_view text);

} // namespace riffle::collector
