// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/sharing/private_texts.h"

#include "model/base/ascii.h"
#include "views/common/look/qt_text.h"

#include <QDir>
#include <QSysInfo>

#include <algorithm>

namespace riffle {

namespace {

constexpr size_t kShortest = 2; ///< shorter names of users and machines are not replaced

bool isOfWord(char c)
{
    return asciiDigit(c) || c == '_' || c == '-' || (asciiLower(c) >= 'a' && asciiLower(c) <= 'z') ||
           static_cast<unsigned char>(c) >= 0x80;
}

/// "/home/me" in JSON is often written as "\/home\/me".
std::string escapedSlashes(const std::string &path)
{
    std::string out;
    for (const char c : path)
        (out += c == '/' ? "\\" : "") += c;
    return out;
}

} // namespace

PrivateTexts::PrivateTexts(const std::vector<std::string> &folders)
{
    const std::string home = toUtf8(QDir::homePath()), user = home.substr(home.rfind('/') + 1);
    for (const std::string &folder : folders)
        add(folder, ".");
    add(home, "~");
    add(toUtf8(QDir::tempPath()), "~temporary");
    // The name of a user is only replaced as a folder: as a word, it can be a function's name, such as "root".
    if (user.size() >= kShortest)
        add('/' + user, "/user");
    if (const std::string host = toUtf8(QSysInfo::machineHostName()); host.size() >= kShortest)
        add(host, "host");
    std::ranges::stable_sort(m_texts, std::ranges::greater(), [](const Private &one) { return one.text.size(); });
}

void PrivateTexts::add(const std::string &text, const std::string &by)
{
    if (text.size() < 2) // "/" is no private folder
        return;
    m_texts.push_back({text, by});
    if (text.find('/') != text.npos)
        m_texts.push_back({escapedSlashes(text), escapedSlashes(by)});
    m_longest = std::max(m_longest, m_texts.back().text.size());
}

bool PrivateTexts::touches(std::string_view text) const
{
    const std::string lower = asciiLower(text);
    return std::ranges::any_of(m_texts, [&](const Private &one) {
        const std::string own = asciiLower(one.text);
        return lower.find(own.starts_with('/') ? own.substr(1) : own) != lower.npos;
    });
}

template <typename F>
void PrivateTexts::forEachMatch(const std::string &text, const Private &one, F visit) const
{
    for (size_t at = text.find(one.text); at != text.npos; at = text.find(one.text, at)) {
        const size_t end = at + one.text.size();
        const bool begins = at == 0 || !isOfWord(text[at - 1]) || one.text.front() == '/' || one.text.front() == '\\';
        const bool ends = end == text.size() || !isOfWord(text[end]);
        at = begins && ends ? visit(at, end) : at + 1;
    }
}

void PrivateTexts::replaceIn(std::string &text) const
{
    for (const Private &one : m_texts)
        forEachMatch(text, one, [&](size_t at, size_t end) {
            text.replace(at, end - at, one.by);
            return at + one.by.size();
        });
}

void PrivateTexts::coverIn(std::string &bytes, bool isEnd) const
{
    for (const Private &one : m_texts)
        forEachMatch(bytes, one, [&](size_t at, size_t end) {
            if (end < bytes.size() || isEnd)
                for (size_t byte = at; byte < end; ++byte)
                    bytes[byte] = bytes[byte] == '/' || bytes[byte] == '\\' ? bytes[byte] : 'x';
            return end;
        });
}

} // namespace riffle
