// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/facts/function_name.h"

#include "model/base/ascii.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace riffle {

namespace {

/// True for a character that a name can contain, including all bytes above 127 (UTF-8).
bool isNameChar(char c)
{
    return asciiDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' ||
           static_cast<unsigned char>(c) >= 0x80;
}

/// The ways in which compilers, demanglers and LLVM spell an anonymous namespace.
constexpr std::array<std::string_view, 4> kAnonymous{
    "(anonymous namespace)::", "<unnamed>::", "{anonymous}::", "`anonymous namespace'::"};

/// The position of the final E of the numeric literal L<type><digits>E that starts at `at`; 0 if there is none. The
/// type is one letter, or the full name of an enumeration.
size_t literalEnd(std::string_view text, size_t at)
{
    ++at;
    if (at < text.size() && text[at] >= 'a' && text[at] <= 'z') {
        ++at;
    } else if (at < text.size() && (text[at] == 'N' || asciiDigit(text[at]))) {
        const bool nested = text[at] == 'N';
        at += nested ? 1 : 0;
        while (at < text.size() && (asciiDigit(text[at]) || text[at] == 'S')) {
            if (text[at] == 'S') {
                const size_t end = text.find('_', at);
                if (end == std::string_view::npos || end - at > 4)
                    return 0;
                at = end + 1;
                continue;
            }
            size_t length = 0;
            const auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), length);
            const size_t begin = static_cast<size_t>(end - text.data());
            if (error != std::errc{} || length > text.size() - begin)
                return 0;
            at = begin + length;
            if (!nested)
                break;
        }
        if (nested && (at >= text.size() || text[at++] != 'E'))
            return 0;
    }
    const size_t digits = at;
    while (at < text.size() && at - digits < 20 && (asciiDigit(text[at]) || text[at] == 'n'))
        ++at;
    return at > digits && at < text.size() && text[at] == 'E' ? at : 0;
}

/// Reads a mangled name, in which every identifier follows its length: "_ZN2ck6device4gemmIfEE…".
FunctionName mangledName(std::string_view text)
{
    FunctionName result;
    result.mangled = true;
    size_t at = 2;
    // The parts of the name come first; once its template arguments have started, all further parts are arguments.
    bool inArguments = false;
    bool nested = false;
    while (at < text.size()) {
        const char c = text[at];
        if (asciiDigit(c)) {
            size_t length = 0;
            const auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), length);
            const size_t begin = static_cast<size_t>(end - text.data());
            if (error != std::errc{} || length == 0 || length > text.size() - begin)
                break;
            const std::string_view name = text.substr(begin, length);
            at = begin + length;
            if (inArguments) {
                result.templateArguments.push_back(name);
            } else if (!name.starts_with("_GLOBAL__N_")) {
                if (!result.qualified.empty())
                    result.qualified += "::";
                result.qualified += name;
                if (!nested && (at == text.size() || text[at] != 'I'))
                    break;
            }
        } else if (inArguments) {
            if (c == 'L') {
                if (const size_t end = literalEnd(text, at); end != 0) {
                    const size_t number = text.find_last_not_of("0123456789n", end - 1) + 1;
                    result.templateArguments.push_back(text.substr(number, end - number));
                    at = end;
                }
            } else if (c == 'S' || c == 'T') { // a reference to an earlier part: S1A_, T0_
                while (at + 1 < text.size() &&
                       (asciiDigit(text[at + 1]) || (text[at + 1] >= 'A' && text[at + 1] <= 'Z')))
                    ++at;
            } else if (text.substr(at).starts_with("DF16")) { // half precision; other built-in types are skipped
                const size_t length = at + 4 < text.size() && (text[at + 4] == 'b' || text[at + 4] == '_') ? 5 : 4;
                result.templateArguments.push_back(text.substr(at, length));
                at += length - 1;
            }
            ++at;
        } else if (c == 'N' && result.qualified.empty() && !nested) {
            nested = true;
            ++at;
        } else if (c == 'I' && !result.qualified.empty()) {
            inArguments = true;
            ++at;
        } else if ((c == 'L' || c == 'K' || c == 'V') &&
                   (nested || result.qualified.empty())) { // internal, const, volatile
            ++at;
        } else {
            break;
        }
    }
    return result;
}

/// Walks through a demangled name. Brackets of all kinds are kept on one stack, so that `>` inside parentheses does not
/// count as a bracket.
class Walk {
public:
    explicit Walk(std::string_view text) : m_text(text) {}

    FunctionName run()
    {
        while (m_at < m_text.size() && !m_done)
            step();
        FunctionName result;
        // The return type, if any, comes first: "std::enable_if<…>::type f", "unsigned long f".
        std::string_view name = trimmed(m_plain);
        if (const size_t space = name.rfind(' '); space != std::string_view::npos) {
            m_noFunction |= !m_hasBrackets; // words without brackets are not a function's name
            name.remove_prefix(space + 1);
        }
        if (name.empty() || m_noFunction) {
            result.qualified = std::string(m_text);
            return result;
        }
        result.qualified = std::string(name);
        if (m_argumentsEnd > m_argumentsBegin)
            splitArguments(m_text.substr(m_argumentsBegin, m_argumentsEnd - m_argumentsBegin),
                           result.templateArguments);
        return result;
    }

private:
    void step()
    {
        const char c = m_text[m_at];
        for (const std::string_view anonymous : kAnonymous) {
            if (m_text.substr(m_at).starts_with(anonymous)) {
                m_at += anonymous.size();
                return;
            }
        }
        if (m_text.substr(m_at).starts_with("operator") && (m_plain.empty() || !isNameChar(m_plain.back())) &&
            m_at + 8 < m_text.size() && !isNameChar(m_text[m_at + 8])) {
            m_plain += "operator";
            m_at += 8;
            if (m_text.substr(m_at).starts_with("()"))
                take(2);
            while (m_at < m_text.size() &&
                   std::string_view("<>=-+*/!&|^~%,").find(m_text[m_at]) != std::string_view::npos)
                take(1);
        } else if (c == '<' || c == '{' || c == '[') {
            const size_t begin = m_at;
            m_hasBrackets = true;
            skipBrackets();
            if (c == '<') {
                m_argumentsBegin = begin + 1;
                m_argumentsEnd = std::max(begin + 1, m_at - (m_at > begin + 1 && m_text[m_at - 1] == '>' ? 1 : 0));
            } else if (c == '{') { // {lambda(float)#1}
                m_plain += "lambda";
            }
        } else if (c == '(') {
            // Parameters follow a name or its arguments; anything else ("Memcpy HtoD (Device -> Device)") is not a
            // signature.
            if (m_at == 0 || m_text[m_at - 1] == ' ')
                m_noFunction = true;
            m_hasBrackets = true;
            skipBrackets();
            const std::string_view rest = m_text.substr(m_at);
            const size_t scope = rest.starts_with("::") ? 0 : rest.starts_with(" const::") ? 6 : std::string_view::npos;
            if (scope == std::string_view::npos || m_noFunction)
                m_done = true;
            else
                m_at += scope;
        } else {
            if (c == ' ' || c == ':')
                m_argumentsBegin = m_argumentsEnd = 0; // these belonged to a namespace or to the return type
            take(1);
        }
    }

    void take(size_t count)
    {
        m_plain += m_text.substr(m_at, count);
        m_at += std::min(count, m_text.size() - m_at);
    }

    /// Moves past the bracket that closes the current one, or to the end if there is none.
    void skipBrackets()
    {
        std::string open;
        size_t parentheses = 0;
        do {
            const char c = m_text[m_at];
            if (c == '(' || c == '{' || c == '[' || c == '<') {
                open += c;
                parentheses += c != '<' ? 1 : 0;
            } else if (c == '>') {
                if (open.back() == '<' && m_text[m_at - 1] != '-')
                    open.pop_back();
            } else if ((c == ')' || c == '}' || c == ']') && parentheses > 0) {
                while (open.back() == '<')
                    open.pop_back();
                open.pop_back();
                --parentheses;
            }
            ++m_at;
        } while (m_at < m_text.size() && !open.empty());
    }

    static void splitArguments(std::string_view text, std::vector<std::string_view> &arguments)
    {
        int depth = 0;
        size_t begin = 0;
        for (size_t at = 0; at <= text.size(); ++at) {
            const char c = at < text.size() ? text[at] : ',';
            if (c == '<' || c == '(' || c == '{' || c == '[')
                ++depth;
            else if (c == '>' || c == ')' || c == '}' || c == ']')
                --depth;
            if ((c == ',' && depth <= 0) || at == text.size()) {
                arguments.push_back(trimmed(text.substr(begin, at - begin)));
                begin = at + 1;
            }
        }
    }

    std::string_view m_text;
    size_t m_at = 0;
    std::string m_plain;                             ///< the text outside brackets
    size_t m_argumentsBegin = 0, m_argumentsEnd = 0; ///< the last template arguments of the name
    bool m_hasBrackets = false;
    bool m_noFunction = false;
    bool m_done = false;
};

} // namespace

FunctionName functionName(std::string_view text)
{
    if (text.starts_with("_Z")) {
        FunctionName mangled = mangledName(text);
        if (!mangled.qualified.empty())
            return mangled;
    }
    return Walk(text).run();
}

} // namespace riffle
