// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace riffle::collector {

/// What PyTorch writes into an NVTX range of an operator: "aten::mm, seq = 12, op_id = 3, sizes = [[2, 3]], …".
struct OperatorText {
    std::string_view name;
    std::string_view shapes; ///< raw text of `sizes`, empty when absent
    int64_t sequence;        ///< wire::kAbsent when absent
    int64_t operatorId;      ///< likewise
    bool isOperator;         ///< false: a range of the program's own, by record_function
};

/// Nothing when the text is none of an operator.
std::optional<OperatorText> operatorText(std::string_view text);

} // namespace riffle::collector
