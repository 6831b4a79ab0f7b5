// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/chrome_json/document.h"

#include "model/ingest/chrome_json/event_splitter.h"
#include "model/trace/source_text.h"

namespace riffle {

namespace {
}

/// The next non-blank byte, at which the feed then stands; 0 at the end.
char ChromeDocument::peek()
{
    while (true) {
        const size_t at = skipJsonBlanks(m_feed.text(), 0);
        m_feed.consume(std::min(at, m_feed.text().size()));
        if (!m_feed.text().empty())
            return m_feed.text().front();
        if (!m_feed.more())
            return 0;
    }
}

/// End of the value that begins at the feed's position, reading on as needed; std::string_view::npos when the text ends
/// inside it.
size_t ChromeDocument::valueEnd()
{
    while (true) {
        const std::string_view text = m_feed.text();
        const size_t end = endOfJsonValue(text, 0, text.size());
        if (end != std::string_view::npos && (end < text.size() || m_feed.atEnd()))
            return end;
        if (text.size() > kMaxTopValue || !m_feed.more(std::max<size_t>(1 << 20, text.size())))
            return m_feed.atEnd() ? endOfJsonValue(m_feed.text(), 0, m_feed.text().size()) : std::string_view::npos;
    }
}

/// True when the object at the feed's position is itself an event.
bool ChromeDocument::looksLikeLines()
{
    // A document with its events inside is longer than any one event; only a short object needs the question.
    while (m_feed.text().size() < kMaxKeptValue && m_feed.more()) {
    }
    const size_t end = endOfJsonValue(m_feed.text(), 0, kMaxKeptValue);
    if (end == std::string_view::npos)
        return false;
    for (const EventArgument &member : argumentsOf(m_feed.text().substr(0, end))) {
        if (member.key == "traceEvents")
            return false;
        if (member.key == "ph")
            return true;
    }
    return false;
}

Result<void> ChromeDocument::read(const ReadEvents &readEvents)
{
    peek();
    if (m_feed.text().starts_with("\xEF\xBB\xBF"))
        m_feed.consume(3);
    const char first = peek();
    if (m_feed.error())
        return *m_feed.error();
    if (first == '[') {
        m_feed.consume(1);
        if (!readEvents())
            m_report.add(Trouble::MissingClose, m_feed.offset(), {});
        if (peek() != 0)
            m_report.add(Trouble::TrailingText, m_feed.offset(), m_feed.text());
        return {};
    }
    if (first != '{')
        return Error{first || !m_feed.text().empty() ? "this is no JSON: neither an object nor an array"
                                                     : "the file is empty",
                     {},
                     m_feed.offset()};
    const size_t key = skipJsonBlanks(m_feed.text(), 1);
    if (key < m_feed.text().size() && m_feed.text()[key] == '"' && looksLikeLines()) {
        readEvents();
        return {};
    }
    return readObject(readEvents);
}

Result<void> ChromeDocument::readObject(const ReadEvents &readEvents)
{
    m_feed.consume(1);
    bool sawEvents = false;
    while (true) {
        const char c = peek();
        if (c == ',') {
            m_feed.consume(1);
            continue;
        }
        if (c == '"' && readMember(readEvents, sawEvents))
            continue;
        if (m_feed.error())
            return *m_feed.error();
        if (!sawEvents && (c == 0 || c == '}' || c == '"'))
            return Error{"this JSON holds no trace: it has no traceEvents", {}, std::nullopt};
        if (!sawEvents)
            return Error{"this is no valid JSON object", {}, m_feed.offset()};
        if (c == '}') {
            m_feed.consume(1);
            if (peek() != 0)
                m_report.add(Trouble::TrailingText, m_feed.offset(), m_feed.text());
        } else {
            m_report.add(Trouble::MissingClose, m_feed.offset(), m_feed.text());
        }
        return {};
    }
}

/// One key and its value; false when the text is damaged here or ends.
bool ChromeDocument::readMember(const ReadEvents &readEvents, bool &sawEvents)
{
    const size_t keyEnd = valueEnd();
    if (keyEnd == std::string_view::npos)
        return false;
    const std::string key = plainText(m_feed.text().substr(0, keyEnd));
    m_feed.consume(keyEnd);
    if (peek() != ':')
        return false;
    m_feed.consume(1);
    const char first = peek();
    if (key == "traceEvents" && first == '[') {
        if (sawEvents)
            m_report.add(Trouble::DuplicateKey, m_feed.offset(), key);
        sawEvents = true;
        m_feed.consume(1);
        return readEvents();
    }
    const uint64_t offset = m_feed.offset();
    const size_t end = valueEnd();
    if (end == std::string_view::npos || end == 0)
        return false;
    for (const auto &known : m_metadata)
        if (known.first == key)
            m_report.add(Trouble::DuplicateKey, offset, key);
    if (end <= kMaxKeptValue)
        m_metadata.emplace_back(key, std::string(m_feed.text().substr(0, end)));
    m_feed.consume(end);
    return true;
}

} // namespace riffle
