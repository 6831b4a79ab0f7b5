// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/facts/operator_arguments.h"
#include "model/trace/json_entries.h"

#include <charconv>
#include <simdjson.h>

namespace riffle {

namespace {

std::optional<Shape> shapeOf(const simdjson::dom::element &value)
{
    simdjson::dom::array dimensions;
    if (value.get(dimensions) != simdjson::SUCCESS)
        return std::nullopt;
    Shape shape;
    for (const simdjson::dom::element each : dimensions) {
        int64_t dimension = 0;
        if (each.get(dimension) != simdjson::SUCCESS || dimension < 0)
            return std::nullopt;
        shape.push_back(dimension);
    }
    return shape;
}

/// The entries of "[a, b]"; empty if the text is not a list.
std::optional<std::vector<std::string_view>> entriesOf(std::string_view list)
{
    if (list.size() < 2 || list.front() != '[' || list.back() != ']')
        return std::nullopt;
    list = list.substr(1, list.size() - 2);
    std::vector<std::string_view> entries;
    while (!list.empty()) {
        const size_t comma = list.find(',');
        std::string_view entry = list.substr(0, comma);
        while (entry.starts_with(' '))
            entry.remove_prefix(1);
        entries.push_back(entry);
        list.remove_prefix(comma == std::string_view::npos ? list.size() : comma + 1);
    }
    return entries;
}

std::optional<int64_t> integerOf(std::string_view text)
{
    int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc{} && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

std::optional<bool> flagOf(std::string_view text)
{
    if (text == "True" || text == "true")
        return true;
    return text == "False" || text == "false" ? std::optional(false) : std::nullopt;
}

template <typename Value>
std::optional<std::vector<Value>> listOf(std::string_view text, std::optional<Value> (*read)(std::string_view))
{
    const auto entries = entriesOf(text);
    if (!entries)
        return std::nullopt;
    std::vector<Value> values;
    for (const std::string_view entry : *entries) {
        const std::optional<Value> value = read(entry);
        if (!value)
            return std::nullopt;
        values.push_back(*value);
    }
    return values;
}

} // namespace

OperatorArguments::OperatorArguments(std::string_view inputDims, std::string_view concreteInputs)
{
    simdjson::dom::parser parser;
    simdjson::dom::array entries;
    if (!inputDims.empty() && parser.parse(simdjson::padded_string(inputDims)).get(entries) == simdjson::SUCCESS)
        for (const simdjson::dom::element each : entries)
            m_shapes.push_back(shapeOf(each));
    if (!concreteInputs.empty() &&
        parser.parse(simdjson::padded_string(concreteInputs)).get(entries) == simdjson::SUCCESS)
        for (const simdjson::dom::element each : entries) {
            std::string_view value;
            m_texts.emplace_back(each.get(value) == simdjson::SUCCESS ? value : std::string_view());
        }
}

std::optional<Shape> OperatorArguments::shape(size_t place) const
{
    return place < m_shapes.size() ? m_shapes[place] : std::nullopt;
}

std::string_view OperatorArguments::text(size_t place) const
{
    return place < m_texts.size() ? std::string_view(m_texts[place]) : std::string_view();
}

std::optional<std::vector<int64_t>> OperatorArguments::integers(size_t place) const
{
    return listOf(text(place), integerOf);
}
std::optional<std::vector<bool>> OperatorArguments::flags(size_t place) const { return listOf(text(place), flagOf); }
std::optional<int64_t> OperatorArguments::integer(size_t place) const { return integerOf(text(place)); }
std::optional<bool> OperatorArguments::flag(size_t place) const { return flagOf(text(place)); }

} // namespace riffle
