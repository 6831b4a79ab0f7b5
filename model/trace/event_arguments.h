// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/decimal.h"

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace riffle {

/// The value of an argument. Formats with types give numbers and texts; JSON gives the text of its values, byte for
/// byte.
class ArgumentValue {
public:
    explicit ArgumentValue(int64_t value) : m_value(value) {}
    explicit ArgumentValue(uint64_t value) : m_value(value) {}
    explicit ArgumentValue(double value) : m_value(value) {} ///< finite
    static ArgumentValue ofText(std::string text) { return ArgumentValue(Text{std::move(text)}); }
    static ArgumentValue ofJson(std::string json) { return ArgumentValue(Json{std::move(json)}); }

    /// The value for people: texts without quotes and escapes, everything else as JSON.
    std::string text() const;
    /// The value as JSON.
    std::string json() const;
    /// The value if it is a whole number of 64 bits, also one that is written as a text or in hexadecimal.
    std::optional<RawId> integer() const;
    /// Calls one of visitor(int64_t), (uint64_t), (double), (const Text &), (const Json &).
    template <typename Visitor>
    decltype(auto) visit(Visitor &&visitor) const
    {
        return std::visit(std::forward<Visitor>(visitor), m_value);
    }

    struct Text {
        std::string text;
    };
    struct Json {
        std::string json;
    };

private:
    explicit ArgumentValue(Text text) : m_value(std::move(text)) {}
    explicit ArgumentValue(Json json) : m_value(std::move(json)) {}

    std::variant<int64_t, uint64_t, double, Text, Json> m_value;
};

struct EventArgument {
    std::string key;
    ArgumentValue value;
};

/// The arguments of an event, in the order of the file.
using EventArguments = std::vector<EventArgument>;

/// Reads the raw text of a JSON object.
EventArguments argumentsOfJson(std::string_view objectText);
/// The arguments as a JSON object; empty if there are none.
std::string objectOf(const EventArguments &arguments);

using ArgumentKeys = std::initializer_list<std::string_view>;
/// The last argument with one of these keys; null if there is none.
const ArgumentValue *findArgument(const EventArguments &arguments, ArgumentKeys keys);
/// The JSON of this argument; empty if there is none.
std::string argumentJson(const EventArguments &arguments, ArgumentKeys keys);
/// The plain text of this argument; empty if there is none.
std::string argumentText(const EventArguments &arguments, ArgumentKeys keys);

/// The keys under which profilers record the shapes of an operator's inputs.
inline const ArgumentKeys kShapeKeys{"Input Dims", "Input dims"};

} // namespace riffle
