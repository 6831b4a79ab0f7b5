// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/collector_log/json_text.h"

#include "model/ingest/chrome_json/event_record.h"

#include <fmt/format.h>

#include <iterator>

namespace riffle {

namespace {

/// Length of the valid UTF-8 sequence at `at`; 0 when there is none.
size_t sequenceLength(std::string_view text, size_t at)
{
    const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char lead = byte(at);
    const size_t length = lead < 0x80 ? 1 : lead < 0xC2 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF5 ? 4 : 0;
    if (length > text.size() - at)
        return 0;
    for (size_t i = 1; i < length; ++i)
        if ((byte(at + i) & 0xC0) != 0x80)
            return 0;
    // Too long for their value, surrogates, beyond U+10FFFF.
    if (length > 2) {
        const unsigned char second = byte(at + 1);
        if ((lead == 0xE0 && second < 0xA0) || (lead == 0xED && second > 0x9F) || (lead == 0xF0 && second < 0x90) ||
            (lead == 0xF4 && second > 0x8F))
            return 0;
    }
    return length;
}

/// The character behind the backslash of a short escape, 0 for those that stand as they are or as \u00XX.
char shortEscape(char c)
{
    switch (c) {
    case '"': return '"';
    case '\\': return '\\';
    case '\n': return 'n';
    case '\t': return 't';
    case '\r': return 'r';
    default: return 0;
    }
}

bool isControl(char c) { return static_cast<unsigned char>(c) < 0x20; }

/// Walks over numbers, commas and brackets.
class ArrayWalk {
public:
    explicit ArrayWalk(std::string_view text) : m_text(text) {}
    bool whole() { return array(0) && (skipBlanks(), m_at == m_text.size()); }

private:
    static constexpr int kMaxDepth = 32;

    char next()
    {
        skipBlanks();
        return m_at < m_text.size() ? m_text[m_at] : 0;
    }
    void skipBlanks()
    {
        while (m_at < m_text.size() && m_text[m_at] == ' ')
            ++m_at;
    }
    bool array(int depth)
    {
        if (depth > kMaxDepth || next() != '[')
            return false;
        ++m_at;
        if (next() == ']')
            return ++m_at, true;
        while (next() == '[' ? array(depth + 1) : number()) {
            const char c = next();
            ++m_at;
            if (c == ']')
                return true;
            if (c != ',')
                return false;
        }
        return false;
    }
    bool number()
    {
        if (next() == '-')
            ++m_at;
        const size_t first = m_at;
        while (m_at < m_text.size() && m_text[m_at] >= '0' && m_text[m_at] <= '9')
            ++m_at;
        return m_at > first && (m_text[first] != '0' || m_at == first + 1);
    }

    std::string_view m_text;
    size_t m_at = 0;
};

} // namespace

void appendJsonString(std::string &out, std::string_view text)
{
    out += '"';
    size_t plain = 0; // begin of what stands as it is
    for (size_t at = 0; at < text.size(); ++at) {
        const char escape = shortEscape(text[at]);
        if (!escape && !isControl(text[at]))
            continue;
        out.append(text, plain, at - plain);
        plain = at + 1;
        if (escape)
            (out += '\\') += escape;
        else
            fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<unsigned char>(text[at]));
    }
    out.append(text, plain);
    out += '"';
}

size_t jsonStringBytes(std::string_view text)
{
    size_t bytes = text.size() + 2;
    for (const char c : text)
        bytes += shortEscape(c) ? 1 : isControl(c) ? 5 : 0;
    return bytes;
}

void appendMicroseconds(std::string &out, Ns time)
{
    const uint64_t size = time < 0 ? 0 - static_cast<uint64_t>(time) : static_cast<uint64_t>(time);
    if (time < 0)
        out += '-';
    fmt::format_to(std::back_inserter(out), "{}.{:03}", size / 1000, size % 1000);
}

bool isUtf8(std::string_view text)
{
    for (size_t at = 0; at < text.size();) {
        const size_t length = sequenceLength(text, at);
        if (!length)
            return false;
        at += length;
    }
    return true;
}

std::string validUtf8(std::string_view text)
{
    std::string out;
    for (size_t at = 0; at < text.size();) {
        const size_t length = sequenceLength(text, at);
        if (length)
            out.append(text, at, length);
        else
            out += "\xEF\xBF\xBD";
        at += length ? length : 1;
    }
    return out;
}

bool isNumberArray(std::string_view text) { return ArrayWalk(text).whole(); }

void appendShapes(std::string &out, std::string_view shapes)
{
    if (isNumberArray(shapes))
        out += shapes;
    else
        appendJsonString(out, shapes);
}

uint64_t shapesHash(std::string_view shapes)
{
    if (shapes.empty())
        return 0;
    std::string value;
    appendShapes(value, shapes);
    return rawTextHash(value);
}

} // namespace riffle
