// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/chrome_json/value_scan.h"

#include "model/base/ascii.h"
#include "model/ingest/chrome_json/event_splitter.h"

#include <simdjson.h>

#include <bit>
#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace riffle {

namespace {

bool endsValue(char c) { return c == ',' || c == '}' || c == ']' || isJsonBlank(c); }

/// Returns the first byte at or after \p at that is a quote, a backslash, a control character or not ASCII; `limit` if
/// there is none.
const char *findSpecialInString(const char *at, const char *limit)
{
#ifdef __SSE2__
    const __m128i quote = _mm_set1_epi8('"');
    const __m128i slash = _mm_set1_epi8('\\');
    const __m128i space = _mm_set1_epi8(0x20);
    while (limit - at >= 16) {
        const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i *>(at));
        // The comparison is signed: bytes from 0x80 on are negative and therefore also below the space.
        const __m128i special = _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(bytes, quote), _mm_cmpeq_epi8(bytes, slash)),
                                             _mm_cmplt_epi8(bytes, space));
        const auto mask = static_cast<unsigned>(_mm_movemask_epi8(special));
        if (mask)
            return at + std::countr_zero(mask);
        at += 16;
    }
#endif
    while (at < limit && *at != '"' && *at != '\\' && static_cast<signed char>(*at) >= 0x20)
        ++at;
    return at;
}

bool validEscape(const char *at, const char *limit, size_t &length)
{
    if (limit - at < 8)
        return false;
    switch (at[1]) {
    case '"':
    case '\\':
    case '/':
    case 'b':
    case 'f':
    case 'n':
    case 'r':
    case 't': length = 2; return true;
    case 'u':
        for (int i = 2; i < 6; ++i)
            if (!std::isxdigit(static_cast<unsigned char>(at[i])))
                return false;
        length = 6;
        return at[2] != 'd' && at[2] != 'D'; // may be half of a surrogate pair
    default: return false;
    }
}

/// Returns eight ASCII digits as a number, or -1 if a byte is not a digit.
int64_t eightDigits(const char *at)
{
    uint64_t word;
    std::memcpy(&word, at, 8);
    if (((word & 0xF0F0F0F0F0F0F0F0) | (((word + 0x0606060606060606) & 0xF0F0F0F0F0F0F0F0) >> 4)) != 0x3333333333333333)
        return -1;
    word = (word & 0x0F0F0F0F0F0F0F0F) * 2561 >> 8;
    word = (word & 0x00FF00FF00FF00FF) * 6553601 >> 16;
    return static_cast<int64_t>((word & 0x0000FFFF0000FFFF) * 42949672960001 >> 32);
}

/// Reads up to 18 digits into \p value and their number into \p count. Returns one past the last digit.
const char *scanDigits(const char *at, int64_t &value, int &count)
{
    const char *begin = at;
    value = 0;
    if constexpr (std::endian::native == std::endian::little) {
        while (at - begin <= 8) {
            const int64_t eight = eightDigits(at);
            if (eight < 0)
                break;
            value = value * 100'000'000 + eight;
            at += 8;
        }
    }
    while (asciiDigit(*at) && at - begin < 18)
        value = value * 10 + (*at++ - '0');
    count = static_cast<int>(at - begin);
    return at;
}

} // namespace

const char *scanString(const char *at, const char *limit, bool &escapes)
{
    const char *begin = ++at;
    bool ascii = true;
    while (true) {
        at = findSpecialInString(at, limit);
        if (at >= limit)
            return nullptr;
        const char c = *at;
        if (c == '"')
            break;
        if (c == '\\') {
            size_t length = 0;
            if (!validEscape(at, limit, length))
                return nullptr;
            escapes = true;
            at += length;
        } else if (static_cast<signed char>(c) < 0) {
            ascii = false;
            while (at < limit && static_cast<signed char>(*at) < 0)
                ++at;
        } else {
            return nullptr;
        }
    }
    if (!ascii && !simdjson::validate_utf8(begin, static_cast<size_t>(at - begin)))
        return nullptr;
    return at + 1;
}

const char *scanNumber(const char *at, const char *limit)
{
    const char *begin = at;
    at += *at == '-';
    const char *digits = at;
    while (at < limit && asciiDigit(*at))
        ++at;
    // Leading zeros and numbers that may not fit a double or an integer are left to the exact path.
    if (at == digits || (at - digits > 1 && *digits == '0') || at - digits > 18)
        return nullptr;
    if (at < limit && *at == '.') {
        const char *fraction = ++at;
        while (at < limit && asciiDigit(*at))
            ++at;
        if (at == fraction)
            return nullptr;
    }
    if (at < limit && (*at == 'e' || *at == 'E')) {
        ++at;
        at += at < limit && (*at == '+' || *at == '-');
        const char *exponent = at;
        while (at < limit && asciiDigit(*at))
            ++at;
        if (at == exponent || at - exponent > 2)
            return nullptr;
    }
    return at < limit && at > begin && endsValue(*at) ? at : nullptr;
}

const char *scanInteger(const char *at, int64_t &value)
{
    const bool negative = *at == '-';
    at += negative;
    const bool zero = *at == '0';
    int count = 0;
    at = scanDigits(at, value, count);
    if (count == 0 || count > 18 || (zero && count > 1) || !endsValue(*at))
        return nullptr;
    if (negative)
        value = -value;
    return at;
}

const char *scanMicroseconds(const char *at, Ns &value)
{
    const bool negative = *at == '-';
    at += negative;
    const bool zero = *at == '0';
    int count = 0;
    int64_t whole = 0;
    at = scanDigits(at, whole, count);
    if (count == 0 || count > 15 || (zero && count > 1)) {
        // Microseconds since 1970 have 16 digits today; the exact path handles numbers far beyond that.
        if (count != 16 || zero || whole > INT64_MAX / 4 / 1000 - 1)
            return nullptr;
    }
    int64_t nanoseconds = whole * 1000;
    if (*at == '.') {
        int64_t scale = 100;
        ++at;
        if (!asciiDigit(*at))
            return nullptr;
        for (; asciiDigit(*at); ++at) {
            if (scale == 0)
                return nullptr;
            nanoseconds += (*at - '0') * scale;
            scale /= 10;
        }
    }
    if (!endsValue(*at))
        return nullptr;
    if (negative && nanoseconds > INT64_MAX / 256)
        return nullptr;
    value = negative ? -nanoseconds : nanoseconds;
    return at;
}

const char *scanOther(const char *at, const char *limit)
{
    // The token that may come next. The order matters: a value may come in the first two states, a key in the next two.
    enum class State : uint8_t { Value, FirstValue, Key, FirstKey, Colon, Separator };
    constexpr std::ptrdiff_t kLookAhead = 24;
    State state = State::Value;
    uint64_t objects = 0; // one bit per open bracket, the innermost lowest; set for an object
    int depth = 0;
    const auto word = [&](const char *text, size_t length) -> const char * {
        return state <= State::FirstValue && std::memcmp(at, text, length) == 0 ? at + length : nullptr;
    };
    while (limit - at > kLookAhead) {
        const char c = *at;
        switch (c) {
        case '[':
        case '{':
            if (state > State::FirstValue || ++depth > 64)
                return nullptr;
            objects = objects << 1 | (c == '{');
            state = c == '{' ? State::FirstKey : State::FirstValue;
            ++at;
            continue;
        case ']':
        case '}':
            if (depth == 0 || (objects & 1) != (c == '}') ||
                (state != State::Separator && state != (c == '}' ? State::FirstKey : State::FirstValue)))
                return nullptr;
            objects >>= 1;
            --depth;
            ++at;
            break;
        case '"': {
            bool escapes = false;
            if (depth == 0 || state > State::FirstKey || !(at = scanString(at, limit, escapes)))
                return nullptr;
            if (state >= State::Key) {
                state = State::Colon;
                continue;
            }
            break;
        }
        case ',':
            if (state != State::Separator)
                return nullptr;
            state = objects & 1 ? State::Key : State::Value;
            ++at;
            continue;
        case ':':
            if (state != State::Colon)
                return nullptr;
            state = State::Value;
            ++at;
            continue;
        case ' ':
        case '\n':
        case '\r':
        case '\t':
            if (depth == 0)
                return nullptr;
            ++at;
            continue;
        case 't': at = word("true", 4); break;
        case 'f': at = word("false", 5); break;
        case 'n': at = word("null", 4); break;
        case '-':
        case '0':
        case '1':
        case '2':
        case '3':
        case '4':
        case '5':
        case '6':
        case '7':
        case '8':
        case '9': {
            if (state > State::FirstValue)
                return nullptr;
            const char *next = at + 1;
            while (asciiDigit(*next) && next - at < 17) // the common case: a short integer
                ++next;
            at = endsValue(*next) && next - at < 17 && next[-1] != '-' && !(*at == '0' && next - at > 1)
                     ? next
                     : scanNumber(at, limit);
            break;
        }
        default: return nullptr;
        }
        if (!at)
            return nullptr;
        if (depth == 0)
            return endsValue(*at) ? at : nullptr;
        state = State::Separator;
    }
    return nullptr;
}

} // namespace riffle
