// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/chrome_json/document.h"

#include "model/ingest/chrome_json/event_splitter.h"
#include "model/trace/json_entries.h"

namespace riffle {

/// Moves the feed to the next non-blank byte and returns that byte; 0 at the end. Skips at most \p most blanks.
char ChromeDocument::peek(size_t most)
{
    while (true) {
        const size_t blanks = skipJsonBlanks(m_feed.text().substr(0, most), 0);
        m_feed.consume(blanks);
        most -= blanks;
        if (!m_feed.text().empty())
            return m_feed.text().front();
        if (!m_feed.more())
            return 0;
    }
}

/// Returns the end of the value that starts at the feed's position, reading on as needed; npos if the text ends inside
/// it.
size_t ChromeDocument::valueEnd()
{
    while (true) {
        const std::string_view text = m_feed.text();
        const size_t end = endOfJsonValue(text, 0, m_feed.wholeInMemory() ? kMaxHead : text.size());
        if (end != std::string_view::npos && (end < text.size() || m_feed.atEnd()))
            return end;
        if (m_feed.wholeInMemory() && text.size() > kMaxHead)
            return std::string_view::npos;
        if (text.size() > kMaxTopValue || !m_feed.more(std::max<size_t>(1 << 20, text.size())))
            return m_feed.atEnd() ? endOfJsonValue(m_feed.text(), 0, m_feed.text().size()) : std::string_view::npos;
    }
}

/// True if the object at the feed's position is itself an event.
bool ChromeDocument::looksLikeLines()
{
    // A document that contains events is longer than any single event, so only a short object needs this check.
    while (m_feed.text().size() < kMaxKeptValue && m_feed.more()) {
    }
    const size_t end = endOfJsonValue(m_feed.text(), 0, kMaxKeptValue);
    if (end == std::string_view::npos)
        return false;
    for (const JsonEntry &member : entriesOf(m_feed.text().substr(0, end))) {
        if (member.key == "traceEvents")
            return false;
        if (member.key == "ph")
            return true;
    }
    return false;
}

Result<void> ChromeDocument::read(const ReadEvents &readEvents)
{
    char first = peek(kMaxHead);
    if (m_feed.text().starts_with("\xEF\xBB\xBF")) {
        m_feed.consume(3);
        first = peek(kMaxHead);
    }
    if (m_feed.error())
        return *m_feed.error();
    if (first == '[') {
        m_feed.consume(1);
        // In the array form, the closing bracket is optional: it is missing if the program was killed.
        if (readEvents())
            reportRest();
        else
            m_report.add(Trouble::MissingClose, m_feed.offset(), {});
        return {};
    }
    if (first != '{')
        return noJson();
    const size_t key = skipJsonBlanks(m_feed.text(), 1);
    if (key < m_feed.text().size() && m_feed.text()[key] == '"' && looksLikeLines()) {
        if (readEvents())
            reportRest();
        return {};
    }
    return readObject(readEvents);
}

Error ChromeDocument::noJson() const
{
    if (m_feed.text().empty())
        return {m_feed.wholeInMemory() ? "The file is empty." : "The archive is empty.", {}, std::nullopt};
    if (const char *sentence = foreignSentence(m_feed.text()))
        return {sentence, {}, std::nullopt};
    return {"This is not JSON: the text starts with neither an object nor an array.", {}, m_feed.offset()};
}

/// Reports what follows the end of the document: it is not read. Zeros are padding; anything else, such as a second
/// document, is a loss.
void ChromeDocument::reportRest()
{
    using namespace std::string_view_literals;
    if (peek() == 0 && m_feed.text().empty())
        return;
    const uint64_t begin = m_feed.offset();
    const std::string example(m_feed.text().substr(0, ImportReport::kExampleBytes));
    bool padding = true;
    do {
        padding = m_feed.text().find_first_not_of(" \t\r\n\0"sv) == std::string_view::npos;
        m_feed.consume(padding ? m_feed.text().size() : 0);
    } while (padding && m_feed.more());
    m_report.add(padding ? Trouble::TrailingText : Trouble::UnreadText, begin, example);
}

/// Reports an object that ends without its closing brace.
void ChromeDocument::reportEnd(bool listIsOpen, bool expectsMember)
{
    if (!m_feed.text().empty())
        m_report.add(Trouble::UnreadText, m_feed.offset(), m_feed.text());
    else if (listIsOpen || expectsMember)
        m_report.add(Trouble::CutDocument, m_feed.offset(), {});
    else
        m_report.add(Trouble::MissingClose, m_feed.offset(), {});
}

Result<void> ChromeDocument::readObject(const ReadEvents &readEvents)
{
    m_feed.consume(1);
    bool sawEvents = false, listIsOpen = false, afterComma = false;
    const ReadEvents readList = [&] {
        listIsOpen = !readEvents();
        return !listIsOpen;
    };
    while (true) {
        const char c = peek();
        if (c == ',') {
            m_feed.consume(1);
            afterComma = true;
            continue;
        }
        if (!sawEvents && m_feed.offset() > kMaxHead)
            return Error{"This JSON contains no trace: there are no traceEvents in its first GiB.", {}, std::nullopt};
        if (c == '"' && readMember(readList, sawEvents)) {
            afterComma = false;
            continue;
        }
        if (m_feed.error())
            return *m_feed.error();
        if (!sawEvents && (c == 0 || c == '}' || c == '"'))
            return Error{"This JSON contains no trace: it has no traceEvents.", {}, std::nullopt};
        if (!sawEvents)
            return Error{"This is not a valid JSON object.", {}, m_feed.offset()};
        if (c == '}') {
            m_feed.consume(1);
            reportRest();
        } else {
            reportEnd(listIsOpen, afterComma);
        }
        return {};
    }
}

/// Reads one key and its value; returns false if the text is damaged here or ends.
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
    if (!m_keys.insert(key).second)
        m_report.add(Trouble::DuplicateKey, offset, key);
    if (end <= kMaxKeptValue)
        m_metadata.emplace_back(key, std::string(m_feed.text().substr(0, end)));
    m_feed.consume(end);
    return true;
}

} // namespace riffle
