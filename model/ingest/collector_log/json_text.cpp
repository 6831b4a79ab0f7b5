// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/collector_log/json_text.h"

#include "model/base/quoted_text.h"
#include "model/ingest/chrome_json/event_record.h"

#include <fmt/format.h>

#include <iterator>

namespace riffle {

namespace {

/// Checks that a text is an array of whole numbers and nested arrays.
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

void appendMicroseconds(std::string &out, Ns time)
{
    const uint64_t size = time < 0 ? 0 - static_cast<uint64_t>(time) : static_cast<uint64_t>(time);
    if (time < 0)
        out += '-';
    fmt::format_to(std::back_inserter(out), "{}.{:03}", size / 1000, size % 1000);
}

bool isNumberArray(std::string_view text) { return ArrayWalk(text).whole(); }

namespace {

/// Appends a text that is JSON as it is, and any other as a string.
void appendAsJson(std::string &out, std::string_view text, bool isJson)
{
    if (isJson)
        out += text;
    else
        appendJsonString(out, text);
}

} // namespace

void appendShapes(std::string &out, std::string_view shapes) { appendAsJson(out, shapes, isNumberArray(shapes)); }

bool isTextArray(std::string_view text)
{
    if (text.size() < 2 || text.front() != '[' || text.back() != ']')
        return false;
    text = text.substr(1, text.size() - 2);
    if (text.empty())
        return true;
    for (;;) {
        if (text.empty() || text.front() != '"')
            return false;
        size_t end = 1;
        while (end < text.size() && text[end] != '"' && text[end] != '\\' &&
               static_cast<unsigned char>(text[end]) >= ' ')
            ++end;
        if (end == text.size() || text[end] != '"')
            return false;
        text.remove_prefix(end + 1);
        if (text.empty())
            return true;
        if (!text.starts_with(", "))
            return false;
        text.remove_prefix(2);
    }
}

void appendTextList(std::string &out, std::string_view list) { appendAsJson(out, list, isTextArray(list)); }

uint64_t textListHash(std::string_view list)
{
    if (list.empty())
        return 0;
    std::string value;
    appendTextList(value, list);
    return rawTextHash(value);
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
