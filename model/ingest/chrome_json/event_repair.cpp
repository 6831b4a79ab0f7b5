// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/chrome_json/event_repair.h"

#include "model/ingest/chrome_json/event_splitter.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace riffle {

namespace {

bool isWordChar(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '/' ||
           c == '-' || c == '+' || c == '.' || c == '#' || static_cast<unsigned char>(c) >= 0x80;
}

/// Returns the length of the valid UTF-8 sequence at \p at; 0 if there is none.
size_t utf8Length(std::string_view text, size_t at)
{
    const auto byte = [&](size_t i) { return static_cast<unsigned char>(at + i < text.size() ? text[at + i] : 0); };
    const unsigned char lead = byte(0);
    const size_t length = lead < 0x80                   ? 1
                          : lead >= 0xC2 && lead < 0xE0 ? 2
                          : lead >= 0xE0 && lead < 0xF0 ? 3
                          : lead >= 0xF0 && lead < 0xF5 ? 4
                                                        : 0;
    for (size_t i = 1; i < length; ++i)
        if ((byte(i) & 0xC0) != 0x80)
            return 0;
    if (length == 3) {
        const unsigned code = (lead & 0x0Fu) << 12 | (byte(1) & 0x3Fu) << 6;
        if (code < 0x800 || (code >= 0xD800 && code < 0xE000))
            return 0;
    }
    if (length == 4) {
        const unsigned code = (lead & 0x07u) << 18 | (byte(1) & 0x3Fu) << 12;
        if (code < 0x10000 || code >= 0x110000)
            return 0;
    }
    return length;
}

class Repairer {
public:
    explicit Repairer(std::string_view text) : m_text(text) { m_result.text.reserve(text.size() + 64); }

    RepairedEvent run()
    {
        while (m_at < m_text.size()) {
            const char c = m_text[m_at];
            if (c == '"') {
                string();
            } else if ((c == '{' || c == '[') && m_open.size() >= kMaxDepth) {
                skipDeepValue();
            } else if (c == '{' || c == '[') {
                m_open.push_back(c);
                put(c);
                m_expectKey = c == '{';
            } else if (c == '}' || c == ']') {
                if (!m_open.empty())
                    m_open.pop_back();
                put(c);
                m_expectKey = false;
            } else if (c == ',') {
                comma();
            } else if (c == ':') {
                put(c);
                m_expectKey = false;
            } else if (isJsonBlank(c)) {
                put(c);
            } else if (isWordChar(c)) {
                word();
            } else {
                note(Trouble::BareWord);
                ++m_at; // no JSON token starts with this character
            }
        }
        return std::move(m_result);
    }

private:
    /// Values nested more deeply become null. The JSON parser reads 1,024 levels, so this limit is below that.
    static constexpr size_t kMaxDepth = 1000;

    bool inObject() const { return !m_open.empty() && m_open.back() == '{'; }
    void put(char c)
    {
        m_result.text += c;
        ++m_at;
    }
    void note(Trouble kind)
    {
        if (std::find(m_result.troubles.begin(), m_result.troubles.end(), kind) == m_result.troubles.end())
            m_result.troubles.push_back(kind);
    }

    void skipDeepValue()
    {
        note(Trouble::DeepValue);
        m_result.text += "null";
        m_at = std::min(m_text.size(), endOfJsonValue(m_text, m_at, m_text.size()));
        m_expectKey = false;
    }

    void comma()
    {
        const size_t next = skipJsonBlanks(m_text, m_at + 1);
        if (next >= m_text.size() || m_text[next] == '}' || m_text[next] == ']' || m_text[next] == ',') {
            note(Trouble::TrailingComma);
            ++m_at;
            return;
        }
        put(',');
        m_expectKey = inObject();
    }

    /// True if the quote at \p at probably ends its string, judging by the text that follows.
    bool closes(size_t at, bool key) const
    {
        const size_t next = skipJsonBlanks(m_text, at + 1);
        if (next >= m_text.size())
            return true;
        const char c = m_text[next];
        if (key)
            return c == ':';
        if (c == '}' || c == ']')
            return true;
        if (c != ',')
            return false;
        const size_t after = skipJsonBlanks(m_text, next + 1);
        if (after >= m_text.size())
            return true;
        if (!inObject())
            return m_text[after] != '}';
        if (m_text[after] == '}')
            return true;
        // In an object, a key and a colon must follow. The key's first quote may itself be missing.
        size_t keyAt = after + (m_text[after] == '"' ? 1 : 0);
        while (keyAt < m_text.size() && m_text[keyAt] != '"' && m_text[keyAt] != '\n')
            keyAt += m_text[keyAt] == '\\' ? 2 : 1;
        if (keyAt >= m_text.size() || m_text[keyAt] != '"')
            return false;
        const size_t colon = skipJsonBlanks(m_text, keyAt + 1);
        return colon < m_text.size() && m_text[colon] == ':';
    }

    void string()
    {
        const bool key = m_expectKey;
        put('"');
        while (m_at < m_text.size()) {
            const char c = m_text[m_at];
            if (c == '"') {
                if (closes(m_at, key)) {
                    put('"');
                    m_expectKey = false;
                    return;
                }
                note(Trouble::UnescapedQuote);
                m_result.text += '\\';
                put('"');
            } else if (c == '\\') {
                escape();
            } else if (static_cast<unsigned char>(c) < 0x20) {
                note(Trouble::ControlCharacter);
                constexpr char kHex[] = "0123456789abcdef";
                m_result.text += "\\u00";
                m_result.text += kHex[c >> 4 & 1];
                m_result.text += kHex[c & 15];
                ++m_at;
            } else if (const size_t length = utf8Length(m_text, m_at); length == 0) {
                note(Trouble::BadUtf8);
                m_result.text += "\xEF\xBF\xBD";
                ++m_at;
            } else {
                m_result.text.append(m_text, m_at, length);
                m_at += length;
            }
        }
    }

    bool hexAt(size_t at) const
    {
        for (size_t i = 0; i < 4; ++i)
            if (at + i >= m_text.size() || !std::isxdigit(static_cast<unsigned char>(m_text[at + i])))
                return false;
        return true;
    }

    unsigned codeAt(size_t at) const
    {
        unsigned code = 0;
        std::from_chars(m_text.data() + at, m_text.data() + at + 4, code, 16);
        return code;
    }

    void escape()
    {
        const char next = m_at + 1 < m_text.size() ? m_text[m_at + 1] : 0;
        if (next == 'u' && hexAt(m_at + 2)) {
            const unsigned code = codeAt(m_at + 2);
            const bool paired = code >= 0xD800 && code < 0xDC00 && m_text.substr(m_at + 6).starts_with("\\u") &&
                                hexAt(m_at + 8) && codeAt(m_at + 8) >= 0xDC00 && codeAt(m_at + 8) < 0xE000;
            if (code >= 0xD800 && code < 0xE000 && !paired) {
                note(Trouble::LoneSurrogate);
                m_result.text += "\\ufffd";
                m_at += 6;
                return;
            }
            m_result.text.append(m_text, m_at, paired ? 12 : 6);
            m_at += paired ? 12 : 6;
            return;
        }
        if (next != 0 && std::string_view("\"\\/bfnrt").find(next) != std::string_view::npos) {
            m_result.text.append(m_text, m_at, 2);
            m_at += 2;
            return;
        }
        note(Trouble::BadEscape);
        m_result.text += "\\\\";
        ++m_at;
    }

    void word()
    {
        size_t end = m_at;
        while (end < m_text.size() && isWordChar(m_text[end]))
            ++end;
        const std::string_view word = m_text.substr(m_at, end - m_at);
        m_at = end;
        if (m_expectKey && end < m_text.size() && m_text[end] == '"') {
            note(Trouble::UnescapedQuote); // the key's opening quote is missing
            m_result.text += '"';
            m_result.text += word;
            put('"');
            m_expectKey = false;
            return;
        }
        if (word == "true" || word == "false" || word == "null") {
            m_result.text += word;
        } else if (word == "True" || word == "False") {
            note(Trouble::BareWord);
            m_result.text += word == "True" ? "true" : "false";
        } else {
            number(word);
        }
    }

    void number(std::string_view word)
    {
        double value = 0;
        const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
        const bool whole = end == word.data() + word.size();
        const bool leadingZero =
            word.size() > 1 && word[0] == '0' && word[1] != '.' && word[1] != 'e' && word[1] != 'E';
        const bool plain = whole && error == std::errc() && std::isfinite(value) && !leadingZero && word[0] != '.' &&
                           word.back() != '.';
        const bool huge = word.find_first_of(".eE") == std::string_view::npos && word.size() > 18;
        if (plain && !huge) {
            m_result.text += word;
            return;
        }
        const bool digits =
            !word.empty() && (word[0] == '-' || word[0] == '+' || word[0] == '.' || (word[0] >= '0' && word[0] <= '9'));
        const bool numeric = digits && word.find_first_not_of("+-.eE0123456789") == std::string_view::npos;
        note(numeric ? Trouble::NumberOutOfRange : Trouble::BareWord);
        if (!numeric) {
            m_result.text += "null";
            return;
        }
        m_result.text += '"'; // kept as text, so that readers can still use the value
        m_result.text += word;
        m_result.text += '"';
    }

    std::string_view m_text;
    RepairedEvent m_result;
    std::string m_open; ///< the open brackets
    size_t m_at = 0;
    bool m_expectKey = false;
};

} // namespace

RepairedEvent repairEvent(std::string_view text) { return Repairer(text).run(); }

} // namespace riffle
