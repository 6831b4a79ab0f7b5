// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/cuda_snapshot/html_pickle.h"

#include "model/ingest/resume_index.h"

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

Base64Source::Base64Source(std::shared_ptr<const MappedFile> file, uint64_t begin) : m_file(std::move(file)), m_at(begin) {}

Result<size_t> Base64Source::read(std::span<char> into)
{
    const auto *text = reinterpret_cast<const uint8_t *>(m_file->data());
    const uint64_t end = m_file->size();
    size_t written = 0;
    while (written < into.size() && m_at < end) {
        const uint8_t digit = kDigits[text[m_at]];
        if (digit == kNoDigit)
            break; // the closing quote, or padding
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
    return written;
}

} // namespace riffle
