// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/src/operator_text.h"

#include "riffle/wire.h"

#include <algorithm>
#include <charconv>

namespace riffle::collector {

namespace {

int64_t numberAfter(std::string_view text, std::string_view key)
{
    const size_t at = text.find(key);
    int64_t value = wire::kAbsent;
    if (at != std::string_view::npos)
        std::from_chars(text.data() + at + key.size(), text.data() + text.size(), value);
    return value;
}

/// The bracketed list at the start of the text; empty if it has no end.
std::string_view list(std::string_view text)
{
    int depth = 0;
    for (size_t at = 0; at < text.size(); ++at) {
        depth += text[at] == '[';
        depth -= text[at] == ']';
        if (depth == 0)
            return text.substr(0, text[at] == ']' ? at + 1 : 0);
    }
    return {};
}

} // namespace

std::optional<OperatorText> operatorText(std::string_view text)
{
    constexpr std::string_view kKeys[] = {", seq = ", ", op_id = ", ", sizes = ", ", input_op_ids = "};
    size_t end = std::string_view::npos;
    for (const std::string_view key : kKeys)
        end = std::min(end, text.find(key));
    if (end == std::string_view::npos || end == 0)
        return std::nullopt;
    OperatorText found{text.substr(0, end), {}, numberAfter(text, kKeys[0]), numberAfter(text, kKeys[1]), true};
    if (const size_t sizes = text.find(kKeys[2]); sizes != std::string_view::npos)
        found.shapes = list(text.substr(sizes + kKeys[2].size()));
    // The text does not say whether the range is an operator. But only operators have inputs, an autograd sequence
    // number or a namespace; "detach" is the one operator without any of these.
    found.isOperator = found.sequence != wire::kAbsent || text.find(kKeys[2]) != std::string_view::npos ||
                       found.name.find("::") != std::string_view::npos || found.name == "detach";
    return found;
}

} // namespace riffle::collector
