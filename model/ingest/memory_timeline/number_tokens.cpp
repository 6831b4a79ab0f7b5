// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/memory_timeline/number_tokens.h"

namespace riffle {

namespace {

constexpr size_t kWindow = 256 << 10;

bool isOfNumber(int c) { return (c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E'; }
bool isLetter(int c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

} // namespace

NumberTokens::NumberTokens(ByteSource &source) : m_source(source)
{
    if (const auto whole = source.mapped()) {
        m_begin = m_at = whole->data();
        m_end = m_begin + whole->size();
    } else {
        m_buffer.resize(kWindow);
    }
}

bool NumberTokens::refill()
{
    if (m_buffer.empty() || m_failure)
        return false;
    m_offset += static_cast<uint64_t>(m_end - m_begin);
    m_begin = m_at = m_end = m_buffer.data();
    const Result<size_t> read = m_source.read({m_buffer.data(), m_buffer.size()});
    if (!read) {
        m_failure = read.error();
        return false;
    }
    m_end = m_begin + *read;
    return *read > 0;
}

int NumberTokens::peek() { return m_at != m_end || refill() ? static_cast<unsigned char>(*m_at) : kEnd; }

void NumberTokens::skipString()
{
    ++m_at;
    for (int c = peek(); c != kEnd; c = peek()) {
        ++m_at;
        if (c == '"')
            return;
        if (c == '\\' && peek() != kEnd)
            ++m_at;
    }
}

NumberTokens::Token NumberTokens::skipObject()
{
    uint64_t depth = 0;
    for (int c = peek(); c != kEnd; c = peek()) {
        if (c == '"') {
            skipString();
            continue;
        }
        ++m_at;
        depth += c == '{' || c == '[';
        if ((c == '}' || c == ']') && --depth == 0)
            return Token::Other;
    }
    return Token::End;
}

NumberTokens::Token NumberTokens::next()
{
    int c = peek();
    while (c == ' ' || c == '\n' || c == '\r' || c == '\t') {
        ++m_at;
        c = peek();
    }
    m_tokenOffset = position();
    switch (c) {
    case kEnd: return Token::End;
    case '[': ++m_at; return Token::Open;
    case ']': ++m_at; return Token::Close;
    case ',': ++m_at; return Token::Comma;
    case '{': return skipObject();
    case '"': skipString(); return Token::Other;
    default: break;
    }
    if (isOfNumber(c) && c != 'e' && c != 'E') {
        bool fits = true;
        for (m_numberSize = 0; isOfNumber(c); c = peek()) {
            fits = fits && m_numberSize < m_number.size();
            if (fits)
                m_number[m_numberSize++] = static_cast<char>(c);
            ++m_at;
        }
        // A number at the end of the text may be the start of a longer one.
        return c == kEnd ? Token::End : fits ? Token::Number : Token::Other;
    }
    if (isLetter(c)) {
        for (; isLetter(c); c = peek())
            ++m_at;
        return Token::Other;
    }
    return Token::Wrong;
}

} // namespace riffle
