// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/trace/source_text.h"

#include "model/trace/json_entries.h"

#include <algorithm>

namespace riffle {

/// Returns what `readAnswer` reads, and remembers that something was read or that the file had changed.
template <typename Answer>
Result<Answer> SourceText::remembering(uint32_t length, auto readAnswer) const
{
    if (m_changed.load(std::memory_order_acquire))
        return m_failure;
    Result<Answer> answer = readAnswer();
    if (length > 0 && !m_wasRead.load(std::memory_order_relaxed))
        m_wasRead.store(true, std::memory_order_release);
    if (!answer && answer.error().kind == ErrorKind::Changed)
        keepFailure(answer.error());
    return answer;
}

Result<std::string> SourceText::read(uint64_t offset, uint32_t length) const
{
    return remembering<std::string>(length, [&] { return readText(offset, length); });
}

Result<EventArguments> SourceText::arguments(TextPlace place) const
{
    if (place.length == 0) // a slice that the importer made
        return EventArguments();
    place.length = std::min(place.length, kMostEventBytes);
    return remembering<EventArguments>(place.length, [&] { return readArguments(place); });
}

Result<std::string> SourceText::argumentsObject(TextPlace place) const
{
    if (!hasTypedArguments()) {
        Result<std::string> text = read(place.offset, place.length);
        return text ? Result<std::string>(argsText(*text)) : text;
    }
    const Result<EventArguments> typed = arguments(place);
    return typed ? Result<std::string>(objectOf(*typed)) : typed.error();
}

Result<EventArguments> SourceText::readArguments(TextPlace place) const
{
    const Result<std::string> text = readText(place.offset, place.length);
    if (!text)
        return text.error();
    return argumentsOfJson(argsText(*text));
}

std::optional<Error> SourceText::failure() const
{
    if (!m_changed.load(std::memory_order_acquire)) {
        const std::optional<Error> found = m_wasRead.load(std::memory_order_acquire) ? cut() : std::nullopt;
        if (!found)
            return std::nullopt;
        keepFailure(*found);
    }
    return m_failure;
}

void SourceText::keepFailure(const Error &error) const
{
    std::call_once(m_once, [&] {
        m_failure = error;
        m_changed.store(true, std::memory_order_release);
    });
}

} // namespace riffle
