// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/chrome_json/paddle_event.h"

#include "model/base/ascii.h"
#include "model/base/decimal.h"

#include <algorithm>
#include <charconv>

namespace riffle {

namespace {

/// Returns the text without the suffix "(Python)" or "(C++)"; the whole text if it has neither.
std::string_view withoutSide(std::string_view text)
{
    for (const std::string_view side : {"(Python)", "(C++)"})
        if (text.ends_with(side))
            return text.substr(0, text.size() - side.size());
    return text;
}

} // namespace

std::string_view paddleThread(std::string_view tid)
{
    const std::string_view number = withoutSide(tid);
    return !number.empty() && std::all_of(number.begin(), number.end(), asciiDigit) ? number : tid;
}

std::string_view paddleThreadName(std::string_view name)
{
    const std::string_view thread = withoutSide(name);
    return name.starts_with("thread ") && !thread.ends_with(' ') ? thread : name;
}

std::string_view paddleName(std::string_view name)
{
    const size_t open = name.rfind('[');
    if (open == name.npos || !name.ends_with(']'))
        return name;
    const std::string_view inside = name.substr(open + 1, name.size() - open - 2);
    const size_t blank = inside.find(' ');
    if (blank == inside.npos || !decimalToInteger(inside.substr(0, blank), 3))
        return name;
    const std::string_view unit = inside.substr(blank + 1);
    const bool isTime = unit == "ns" || unit == "us" || unit == "ms" || unit == "s";
    return isTime ? name.substr(0, open) : name;
}

std::optional<Ns> paddleTime(std::string_view text)
{
    return text.ends_with(" us") ? microsecondsToNs(text.substr(0, text.size() - 3)) : std::nullopt;
}

std::optional<PaddlePlace> paddlePlace(std::string_view text)
{
    if (!text.starts_with("Place(") || !text.ends_with(')'))
        return std::nullopt;
    const std::string_view place = text.substr(6, text.size() - 7);
    const size_t colon = place.find(':');
    const std::string_view device = place.substr(0, colon);
    PaddlePlace found;
    if (colon != place.npos)
        if (std::from_chars(place.data() + colon + 1, place.data() + place.size(), found.deviceId).ptr !=
            place.data() + place.size())
            return std::nullopt;
    constexpr struct {
        std::string_view word;
        int32_t type;
    } kTypes[] = {{"cpu", 0}, {"gpu", 1}, {"xpu", 12}, {"ipu", 18}};
    for (const auto &[word, type] : kTypes)
        if (device == word) {
            found.deviceType = type;
            return found;
        }
    return std::nullopt;
}

} // namespace riffle
