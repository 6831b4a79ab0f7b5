// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/facts/template_argument.h"

#include "model/base/ascii.h"

#include <algorithm>
#include <vector>

namespace riffle {

namespace {

constexpr size_t kLimit = 400; ///< the maximum length of a result, in bytes
constexpr int kDeepest = 6;    ///< the maximum depth of lambdas inside the parameters of lambdas

bool isTemplateNameChar(char c)
{
    return asciiDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           static_cast<unsigned char>(c) >= 0x80;
}

class Shortening {
public:
    Shortening(std::string_view text, bool keepScopes, int depth)
        : m_text(text)
        , m_keepScopes(keepScopes)
        , m_depth(depth)
    {
    }

    std::string run()
    {
        while (m_at < m_text.size() && m_out.size() < kLimit)
            step();
        if (m_out.size() >= kLimit) { // do not cut inside a character
            while (!m_out.empty() && (static_cast<unsigned char>(m_out.back()) & 0xC0) == 0x80)
                m_out.pop_back();
            if (!m_out.empty() && static_cast<unsigned char>(m_out.back()) >= 0xC0)
                m_out.pop_back();
        }
        return std::move(m_out);
    }

private:
    std::string_view rest() const { return m_text.substr(m_at); }
    bool skip(std::string_view word)
    {
        if (!rest().starts_with(word))
            return false;
        m_at += word.size();
        return true;
    }

    void step()
    {
        const char c = m_text[m_at];
        if (skip("(anonymous namespace)::") || skip("<unnamed>::") || skip(" const"))
            return;
        if (skip("::")) {
            if (skip("operator()"))
                skipCall(); // the call operator of the lambda around the next one
            else if (m_keepScopes && !rest().starts_with("{lambda"))
                m_out += "::";
            else if (!rest().starts_with("{lambda") && !m_afterScope)
                m_out.resize(m_begins.empty() ? m_begin : m_begins.back());
            m_afterScope = false;
            return;
        }
        m_afterScope = false;
        if (rest().starts_with("{lambda("))
            return lambda();
        if (c == '(' && !m_out.empty() && (isTemplateNameChar(m_out.back()) || m_out.back() == '>')) {
            skipCall();
            return;
        }
        if (asciiDigit(c) && (m_out.empty() || !isTemplateNameChar(m_out.back())))
            return number();
        ++m_at;
        if (c == '<' || c == '(' || c == '[' || c == '{') {
            m_out += c;
            m_begins.push_back(m_out.size());
        } else if (c == '>' || c == ')' || c == ']' || c == '}') {
            if (c == '>' && !m_out.empty() && m_out.back() == ' ')
                m_out.pop_back();
            if (!m_begins.empty())
                m_begins.pop_back();
            m_out += c;
        } else {
            m_out += c;
            if (c == ' ' || c == ',' || c == '&' || c == '*')
                begin() = m_out.size();
        }
    }

    size_t &begin() { return m_begins.empty() ? m_begin : m_begins.back(); }

    /// Skips the parameters of a function type or of a function that is the scope of the following name.
    void skipCall()
    {
        if (m_at < m_text.size() && m_text[m_at] == '(')
            m_at = closing(m_at) + 1;
        m_at = std::min(m_at, m_text.size());
        if (rest().starts_with(" const::"))
            m_at += 6;
        m_afterScope = true;
    }

    void lambda()
    {
        const size_t parameters = m_at + 7;
        const size_t end = closing(parameters);
        size_t number = end + 1;
        m_at = std::min(number, m_text.size());
        if (skip("#")) {
            m_out += '#';
            while (m_at < m_text.size() && asciiDigit(m_text[m_at]))
                m_out += m_text[m_at++];
        } else {
            m_out += "#1";
        }
        skip("}");
        if (!rest().starts_with("::") && m_depth < kDeepest && end > parameters + 1) {
            const std::string_view taken = m_text.substr(parameters + 1, end - parameters - 1);
            m_out.append("(").append(Shortening(taken, m_keepScopes, m_depth + 1).run()).append(")");
        }
    }

    void number()
    {
        while (m_at < m_text.size() && (asciiDigit(m_text[m_at]) || m_text[m_at] == '.'))
            m_out += m_text[m_at++];
        while (m_at < m_text.size() && std::string_view("uUlL").find(m_text[m_at]) != std::string_view::npos)
            ++m_at;
    }

    /// The position of the parenthesis that closes the one at `open`; the end of the text if there is none.
    size_t closing(size_t open) const
    {
        int depth = 0;
        for (size_t at = open; at < m_text.size(); ++at) {
            depth += m_text[at] == '(' ? 1 : m_text[at] == ')' ? -1 : 0;
            if (depth == 0)
                return at;
        }
        return m_text.size();
    }

    std::string_view m_text;
    bool m_keepScopes;
    int m_depth;
    size_t m_at = 0;
    std::string m_out;
    size_t m_begin = 0;           ///< the start in m_out of the name at the outermost level
    std::vector<size_t> m_begins; ///< the same inside each open bracket
    bool m_afterScope = false;    ///< true after skipped parameters: the function's name stays if "::" follows
};

} // namespace

std::string shortTemplateArgument(std::string_view text, bool keepScopes)
{
    return Shortening(text, keepScopes, 0).run();
}

} // namespace riffle
