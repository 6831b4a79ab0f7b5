// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/cuda_snapshot/html_pickle.h"

#include "model/ingest/resume_index.h"

#include <algorithm>
#include <array>

namespace riffle {

namespace {

constexpr uint8_t kNoDigit = 0xFF;

constexpr std::array<uint8_t, 256> makeDigits()
{
    std::array<uint8_t, 256> digits{};
    digits.fill(kNoDigit);
    constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (uint8_t at = 0; at < kAlphabet.size(); ++at)
        digits[static_cast<uint8_t>(kAlphabet[at])] = at;
    return digits;
}
constexpr std::array<uint8_t, 256> kDigits = makeDigits();

} // namespace

std::optional<uint64_t> findPickleInHtml(std::string_view html)
{
    constexpr size_t kLargestCode = 64 << 20; // the page's own text, in front of the data; programs write about 1 MiB
    html = html.substr(0, kLargestCode);
    const size_t list = html.find("local_files");
    if (list == std::string_view::npos)
        return std::nullopt;
    const size_t key = html.find("base64\"", list);
    if (key == std::string_view::npos)
        return std::nullopt;
    size_t at = html.find_first_not_of(" \t\r\n:", key + 7);
    if (at == std::string_view::npos || html[at] != '"')
        return std::nullopt;
    return at + 1;
}

std::vector<std::string> otherPicklesInHtml(std::string_view html, uint64_t first)
{
    constexpr size_t kMost = 1000, kLongestName = 200;
    constexpr std::string_view kKey = "\"base64\"", kName = "\"name\"";
    std::vector<std::string> names;
    size_t end = html.find('"', static_cast<size_t>(first));
    while (end != html.npos && names.size() < kMost) {
        const size_t key = html.find(kKey, end + 1);
        const size_t begin = key == html.npos ? html.npos : html.find('"', key + kKey.size());
        if (begin == html.npos)
            break;
        const std::string_view before = html.substr(end + 1, key - end - 1);
        const size_t named = before.find(kName),
                     from = named == before.npos ? before.npos : before.find('"', named + kName.size());
        const size_t to = from == before.npos ? before.npos : before.find('"', from + 1);
        names.push_back(to == before.npos
                            ? "(without a name)"
                            : std::string(before.substr(from + 1, std::min(to - from - 1, kLongestName))));
        end = html.find('"', begin + 1);
    }
    return names;
}

Base64Source::Base64Source(std::shared_ptr<const MappedFile> file, uint64_t begin, Ends ends)
    : m_file(std::move(file))
    , m_at(begin)
    , m_ends(ends)
{
}

Result<size_t> Base64Source::read(std::span<char> into)
{
    const auto *text = reinterpret_cast<const uint8_t *>(m_file->data());
    const uint64_t end = m_file->size();
    size_t written = 0;
    while (written < into.size() && m_at < end) {
        const uint8_t digit = kDigits[text[m_at]];
        if (digit == kNoDigit) { // the closing quote, or padding
            if (m_ends == Ends::AtQuote && text[m_at] != '"' && text[m_at] != '=')
                m_stray = m_at;
            break;
        }
        ++m_at;
        m_bits = m_bits << 6 | digit;
        m_bitCount += 6;
        if (m_bitCount >= 8) {
            m_bitCount -= 8;
            into[written++] = static_cast<char>(m_bits >> m_bitCount);
        }
    }
    if (m_file->lost())
        return sourceChanged(m_file->path());
    if (m_stray && written == 0)
        return Error{"The base64 data of the page contains another character at byte " + std::to_string(*m_stray) + ".",
                     m_file->path(), m_stray};
    return written;
}

} // namespace riffle
