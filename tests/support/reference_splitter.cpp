// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/reference_splitter.h"

#include <bit>
#include <cstdint>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace riffle::bench {

namespace {

constexpr std::size_t kBlock = 64;

/// Collects batches from the event ends that a scanner reports.
class BatchCutter {
public:
    BatchCutter(std::string_view json, std::size_t firstEvent, std::size_t batchBytes)
        : m_json(json)
        , m_begin(firstEvent)
        , m_batchBytes(batchBytes)
    {
    }

    /// Takes the position after an event. False if the array ends there.
    bool eventEnds(std::size_t position)
    {
        m_lastEnd = position;
        std::size_t next = position;
        while (next < m_json.size() && static_cast<unsigned char>(m_json[next]) <= ' ')
            ++next;
        if (next >= m_json.size() || m_json[next] != ',')
            return false;
        if (position - m_begin >= m_batchBytes) {
            m_batches.push_back(m_json.substr(m_begin, position - m_begin));
            m_begin = next + 1;
        }
        return true;
    }

    std::vector<std::string_view> take()
    {
        if (m_lastEnd > m_begin)
            m_batches.push_back(m_json.substr(m_begin, m_lastEnd - m_begin));
        return std::move(m_batches);
    }

private:
    std::string_view m_json;
    std::size_t m_begin;
    std::size_t m_lastEnd = 0;
    std::size_t m_batchBytes;
    std::vector<std::string_view> m_batches;
};

void scanBytes(std::string_view json, std::size_t i, BatchCutter &cutter)
{
    std::int64_t depth = 0;
    bool inString = false;
    for (; i < json.size(); ++i) {
        const char c = json[i];
        if (inString) {
            if (c == '\\')
                ++i;
            else if (c == '"')
                inString = false;
        } else if (c == '"') {
            inString = true;
        } else if (c == '{') {
            ++depth;
        } else if (c == '}' && --depth <= 0 && !cutter.eventEnds(i + 1)) {
            return;
        }
    }
}

#if defined(__x86_64__)

#define RIFFLE_BLOCK_TARGET __attribute__((target("avx2,pclmul,bmi,popcnt")))

RIFFLE_BLOCK_TARGET inline std::uint64_t equalBits(__m256i low, __m256i high, char byte)
{
    const __m256i wanted = _mm256_set1_epi8(byte);
    const auto lowBits = static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(low, wanted)));
    const auto highBits = static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(high, wanted)));
    return lowBits | (std::uint64_t(highBits) << 32);
}

/// The bits of characters that follow an odd run of backslashes. `carry` is 1 if the first character of the next block
/// is one of them.
RIFFLE_BLOCK_TARGET inline std::uint64_t escapedBits(std::uint64_t backslashes, std::uint64_t &carry)
{
    constexpr std::uint64_t kEven = 0x5555555555555555ull;
    backslashes &= ~carry;
    const std::uint64_t followsEscape = backslashes << 1 | carry;
    const std::uint64_t oddStarts = backslashes & ~kEven & ~followsEscape;
    std::uint64_t evenSequences = 0;
    carry = __builtin_add_overflow(oddStarts, backslashes, &evenSequences) ? 1 : 0;
    return (kEven ^ (evenSequences << 1)) & followsEscape;
}

RIFFLE_BLOCK_TARGET void scanBlocks(std::string_view json, std::size_t i, BatchCutter &cutter)
{
    std::int64_t depth = 0;
    std::uint64_t escapeCarry = 0;
    std::uint64_t stringCarry = 0;
    const __m128i ones = _mm_set1_epi8(-1);
    for (; i < json.size(); i += kBlock) {
        alignas(32) char padded[kBlock];
        const char *bytes = json.data() + i;
        if (json.size() - i < kBlock) {
            std::memset(padded, ' ', kBlock);
            std::memcpy(padded, bytes, json.size() - i);
            bytes = padded;
        }
        const __m256i low = _mm256_loadu_si256(reinterpret_cast<const __m256i *>(bytes));
        const __m256i high = _mm256_loadu_si256(reinterpret_cast<const __m256i *>(bytes + 32));
        std::uint64_t quotes = equalBits(low, high, '"');
        const std::uint64_t backslashes = equalBits(low, high, '\\');
        if ((backslashes | escapeCarry) != 0)
            quotes &= ~escapedBits(backslashes, escapeCarry);
        const __m128i product = _mm_clmulepi64_si128(_mm_set_epi64x(0, static_cast<std::int64_t>(quotes)), ones, 0);
        const std::uint64_t inString = static_cast<std::uint64_t>(_mm_cvtsi128_si64(product)) ^ stringCarry;
        stringCarry = static_cast<std::uint64_t>(static_cast<std::int64_t>(inString) >> 63);
        const std::uint64_t opens = equalBits(low, high, '{') & ~inString;
        const std::uint64_t closes = equalBits(low, high, '}') & ~inString;
        const std::int64_t closeCount = std::popcount(closes);
        if (depth > closeCount || closes == 0) {
            depth += std::popcount(opens) - closeCount;
            continue;
        }
        for (std::uint64_t rest = opens | closes; rest != 0; rest &= rest - 1) {
            const int bit = std::countr_zero(rest);
            if ((opens >> bit & 1) != 0)
                ++depth;
            else if (--depth <= 0 && !cutter.eventEnds(i + static_cast<std::size_t>(bit) + 1))
                return;
        }
    }
}

#endif

void scan(std::string_view json, std::size_t firstEvent, BatchCutter &cutter)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("bmi")) {
        scanBlocks(json, firstEvent, cutter);
        return;
    }
#endif
    scanBytes(json, firstEvent, cutter);
}

} // namespace

std::vector<std::string_view> splitEvents(std::string_view json, std::size_t batchBytes)
{
    const std::size_t key = json.find("\"traceEvents\"");
    const std::size_t open = json.find('[', key == std::string_view::npos ? 0 : key);
    if (open == std::string_view::npos)
        return {};
    BatchCutter cutter(json, open + 1, batchBytes);
    scan(json, open + 1, cutter);
    return cutter.take();
}

} // namespace riffle::bench
