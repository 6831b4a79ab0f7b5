// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/src/operator_text.h"

#include "riffle/wire.h"

#include <charconv>

namespace riffle::collector {

namespace {

constexpr std::string_view kSequence = ", seq = ", kOperator = ", op_id = ";

/// Reads the parts of a text from its start. A part that is not there leaves the rest unchanged.
class Parts {
public:
    explicit Parts(std::string_view rest) : m_rest(rest) {}

    bool ended() const { return m_rest.empty(); }
    std::optional<int64_t> number(std::string_view key)
    {
        int64_t value = 0;
        if (!m_rest.starts_with(key))
            return std::nullopt;
        const char *end = m_rest.data() + m_rest.size();
        const auto [after, error] = std::from_chars(m_rest.data() + key.size(), end, value);
        if (error != std::errc())
            return std::nullopt;
        m_rest = {after, static_cast<size_t>(end - after)};
        return value;
    }
    /// A list of numbers, lists and pairs. A list without an end, because the text was cut, is empty.
    std::optional<std::string_view> list(std::string_view key)
    {
        if (!m_rest.starts_with(key) || !m_rest.substr(key.size()).starts_with('['))
            return std::nullopt;
        const std::string_view text = m_rest.substr(key.size());
        int depth = 0;
        for (size_t at = 0; at < text.size(); ++at) {
            if (std::string_view("[]()0123456789,- ").find(text[at]) == std::string_view::npos)
                return std::nullopt;
            depth += text[at] == '[';
            depth -= text[at] == ']';
            if (depth == 0) {
                m_rest = text.substr(at + 1);
                return text.substr(0, at + 1);
            }
        }
        m_rest = {};
        return std::string_view();
    }

private:
    std::string_view m_rest;
};

/// True for the ranges in which a process group carries out a collective. They have inputs, but are no operators.
bool isCollective(std::string_view name)
{
    for (const std::string_view backend : {"gloo:", "nccl:", "mpi:", "ucc:", "xccl:"})
        if (name.starts_with(backend))
            return !name.substr(backend.size()).starts_with(':');
    return false;
}

} // namespace

bool resemblesOperator(std::string_view text)
{
    const size_t end = text.rfind(kOperator);
    if (end == std::string_view::npos)
        return false;
    const std::string_view name = text.substr(0, end);
    return name.find("::") != std::string_view::npos || name.find(kSequence) != std::string_view::npos ||
           name == "detach" || name == "detach_" ||
           (text.find(", sizes = [", end) != std::string_view::npos && !isCollective(name));
}

std::optional<OperatorText> operatorText(std::string_view text)
{
    // A range that a program pushes itself can have any text. PyTorch's observer always writes the operator's id, and
    // nothing but its own parts after it.
    const size_t end = text.rfind(kOperator);
    if (end == std::string_view::npos || end == 0)
        return std::nullopt;
    Parts parts(text.substr(end));
    const std::optional<int64_t> id = parts.number(kOperator);
    const std::optional<std::string_view> shapes = parts.list(", sizes = ");
    parts.list(", input_op_ids = ");
    if (!id || !parts.ended())
        return std::nullopt;
    OperatorText found{text.substr(0, end), shapes.value_or(std::string_view()), wire::kAbsent, *id, true};
    if (const size_t at = found.name.rfind(kSequence); at != std::string_view::npos && at > 0) {
        Parts before(found.name.substr(at));
        const std::optional<int64_t> sequence = before.number(kSequence);
        if (sequence && before.ended()) {
            found.sequence = *sequence;
            found.name = found.name.substr(0, at);
        }
    }
    // The text does not say whether the range is an operator. But only operators have inputs, an autograd sequence
    // number or a namespace; "detach" and "detach_" are the ones without any of these.
    found.isOperator = found.sequence != wire::kAbsent || (shapes && !isCollective(found.name)) ||
                       found.name.find("::") != std::string_view::npos || found.name == "detach" ||
                       found.name == "detach_";
    return found;
}

} // namespace riffle::collector
