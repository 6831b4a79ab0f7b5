// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/trace/event_arguments.h"

#include "model/base/quoted_text.h"
#include "model/trace/json_entries.h"

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>

namespace riffle {

std::string ArgumentValue::text() const
{
    return visit([](const auto &value) {
        using Type = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<Type, Text>)
            return value.text;
        else if constexpr (std::is_same_v<Type, Json>)
            return plainText(value.json);
        else
            return fmt::format("{}", value);
    });
}

std::string ArgumentValue::json() const
{
    return visit([](const auto &value) {
        using Type = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<Type, Text>)
            return jsonString(value.text);
        else if constexpr (std::is_same_v<Type, Json>)
            return value.json;
        else
            return fmt::format("{}", value);
    });
}

std::optional<RawId> ArgumentValue::integer() const
{
    return std::holds_alternative<double>(m_value) ? std::nullopt : integerId(text());
}

EventArguments argumentsOfJson(std::string_view objectText)
{
    EventArguments arguments;
    for (JsonEntry &entry : entriesOf(objectText))
        arguments.push_back({std::move(entry.key), ArgumentValue::ofJson(std::move(entry.value))});
    return arguments;
}

std::string objectOf(const EventArguments &arguments)
{
    std::string object;
    for (const auto &[key, value] : arguments) {
        object += object.empty() ? '{' : ',';
        appendJsonString(object, key);
        object += ':' + value.json();
    }
    return object.empty() ? object : object + '}';
}

const ArgumentValue *findArgument(const EventArguments &arguments, ArgumentKeys keys)
{
    const auto last = std::find_if(arguments.rbegin(), arguments.rend(), [&](const EventArgument &argument) {
        return std::find(keys.begin(), keys.end(), argument.key) != keys.end();
    });
    return last == arguments.rend() ? nullptr : &last->value;
}

std::string argumentJson(const EventArguments &arguments, ArgumentKeys keys)
{
    const ArgumentValue *value = findArgument(arguments, keys);
    return value ? value->json() : std::string();
}

std::string argumentText(const EventArguments &arguments, ArgumentKeys keys)
{
    const ArgumentValue *value = findArgument(arguments, keys);
    return value ? value->text() : std::string();
}

} // namespace riffle
