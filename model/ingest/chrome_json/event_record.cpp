// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/chrome_json/event_record.h"

#include "model/base/decimal.h"
#include "model/trace/json_entries.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <charconv>
#include <limits>

namespace riffle {

namespace {

bool isString(std::string_view raw) { return raw.size() >= 2 && raw.front() == '"'; }

/// Returns the text of a number, even if it is written as a string.
std::string_view numberText(std::string_view raw) { return isString(raw) ? raw.substr(1, raw.size() - 2) : raw; }

void appendUtf8(uint32_t code, std::string &out)
{
    if (code < 0x80) {
        out += static_cast<char>(code);
    } else if (code < 0x800) {
        out += static_cast<char>(0xC0 | code >> 6);
        out += static_cast<char>(0x80 | (code & 0x3F));
    } else if (code < 0x10000) {
        out += static_cast<char>(0xE0 | code >> 12);
        out += static_cast<char>(0x80 | (code >> 6 & 0x3F));
        out += static_cast<char>(0x80 | (code & 0x3F));
    } else {
        out += static_cast<char>(0xF0 | code >> 18);
        out += static_cast<char>(0x80 | (code >> 12 & 0x3F));
        out += static_cast<char>(0x80 | (code >> 6 & 0x3F));
        out += static_cast<char>(0x80 | (code & 0x3F));
    }
}

uint32_t hex4(std::string_view text)
{
    uint32_t code = 0xFFFD;
    if (text.size() >= 4)
        std::from_chars(text.data(), text.data() + 4, code, 16);
    return code;
}

} // namespace

uint64_t rawTextHash(std::string_view raw)
{
    const uint64_t hash = XXH3_64bits(raw.data(), raw.size());
    return hash ? hash : 1;
}

void unescapeJson(std::string_view content, std::string &out)
{
    for (size_t at = 0; at < content.size(); ++at) {
        if (content[at] != '\\' || at + 1 >= content.size()) {
            out += content[at];
            continue;
        }
        switch (const char c = content[++at]) {
        case 'b': out += '\b'; break;
        case 'f': out += '\f'; break;
        case 'n': out += '\n'; break;
        case 'r': out += '\r'; break;
        case 't': out += '\t'; break;
        case 'u': {
            uint32_t code = hex4(content.substr(at + 1));
            at += 4;
            if (code >= 0xD800 && code < 0xDC00 && content.substr(at + 1).starts_with("\\u")) {
                const uint32_t low = hex4(content.substr(at + 3));
                if (low >= 0xDC00 && low < 0xE000) {
                    code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
                    at += 6;
                }
            }
            appendUtf8(code >= 0xD800 && code < 0xE000 ? 0xFFFD : code, out);
            break;
        }
        default: out += c; break; // \" \\ \/
        }
    }
}

void EventRecord::clear()
{
    phase = category = name = pid = tid = id = asyncScope = {};
    tsState = durState = TimeState::Absent;
    bindPoint = scope = 0;
    hasName = hasArgs = repaired = false;
    topSeen = intSeen = intUnsigned = 0;
    hashSeen = textSeen = floatSeen = vectorSeen = 0;
    wrongTypes = outOfRange = duplicates = 0;
    if (!scratch.empty())
        scratch.clear();
}

float EventRecord::floatOrNan(FloatArg arg) const
{
    return floatSeen >> static_cast<unsigned>(arg) & 1 ? floats[size_t(arg)] : std::numeric_limits<float>::quiet_NaN();
}

std::string_view EventRecord::plain(std::string_view raw)
{
    if (raw == "null")
        return {};
    if (!isString(raw))
        return raw; // numbers and bare words are kept as written
    const std::string_view content = raw.substr(1, raw.size() - 2);
    if (content.find('\\') == std::string_view::npos)
        return content;
    std::string &unescaped = scratch.emplace_back();
    unescapeJson(content, unescaped);
    return unescaped;
}

std::optional<WideInteger> EventRecord::wideTime() const
{
    std::optional<WideInteger> time;
    for (const JsonEntry &field : entriesOf(text))
        if (field.key == "ts")
            time = decimalToWide(numberText(field.value), 3);
    return time;
}

void EventRecord::countFrom(WideInteger origin)
{
    if (tsState != TimeState::Good && tsState != TimeState::Absurd)
        return;
    const std::optional<WideInteger> time = tsState == TimeState::Good ? ts : wideTime();
    if (!time)
        return;
    ts = static_cast<Ns>(std::clamp<WideInteger>(*time - origin, kEarliestTime, kLatestTime));
    tsState = ts == *time - origin ? TimeState::Good : TimeState::Absurd;
}

void EventRecord::setTime(std::string_view raw, Ns &time, TimeState &state)
{
    const std::string_view digits = numberText(raw);
    if (const auto ns = microsecondsToNs(digits)) {
        time = std::clamp(*ns, kEarliestTime, kLatestTime);
        state = time == *ns ? TimeState::Good : TimeState::Absurd;
        return;
    }
    double value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (!digits.empty() && (error == std::errc() || error == std::errc::result_out_of_range) &&
        end == digits.data() + digits.size() && (digits[0] == '-' || (digits[0] >= '0' && digits[0] <= '9')) &&
        digits.find_first_of("nN") == std::string_view::npos) {
        time = digits[0] == '-' ? kEarliestTime : kLatestTime;
        state = TimeState::Absurd;
        return;
    }
    state = TimeState::Bad;
}

void EventRecord::setInt(uint8_t index, std::string_view raw)
{
    const uint64_t bit = uint64_t(1) << index;
    if (raw == "null")
        return;
    const std::string_view digits = numberText(raw);
    if (const auto whole = integerId(digits)) {
        ints[index] = whole->bits;
        intSeen |= bit;
        intUnsigned = whole->kind == RawId::Kind::Unsigned ? intUnsigned | bit : intUnsigned & ~bit;
    } else if (const auto rounded = decimalToInteger(digits, 0)) {
        ints[index] = *rounded; // such as 4.0 or 1e3
        intSeen |= bit;
        intUnsigned &= ~bit;
    } else if (!digits.empty() && (digits[0] == '-' || (digits[0] >= '0' && digits[0] <= '9'))) {
        ++outOfRange;
    } else if (!digits.empty()) {
        ++wrongTypes;
    }
}

void EventRecord::setVector(uint8_t index, std::string_view raw)
{
    std::array<int32_t, 3> values{1, 1, 1};
    size_t count = 0;
    const char *at = raw.data();
    const char *end = at + raw.size();
    while (at < end && count < 3) {
        if (*at != '-' && (*at < '0' || *at > '9')) {
            ++at;
            continue;
        }
        const auto [next, error] = std::from_chars(at, end, values[count]);
        if (error != std::errc()) {
            ++outOfRange;
            return;
        }
        ++count;
        at = next;
    }
    if (count == 0 && raw != "null" && raw != "[]") {
        ++wrongTypes;
        return;
    }
    vectors[index] = values;
    vectorSeen |= count ? 1u << index : 0;
}

void EventRecord::set(EventField field, std::string_view raw)
{
    using Kind = EventField::Kind;
    if (field.kind <= Kind::Args && field.kind != Kind::Unknown) {
        const uint64_t bit = uint64_t(1) << static_cast<unsigned>(field.kind);
        duplicates += (topSeen & bit) != 0;
        topSeen |= bit;
    }
    switch (field.kind) {
    case Kind::Unknown: break;
    case Kind::Phase: phase = isString(raw) ? plain(raw) : std::string_view(); break;
    case Kind::Category: category = plain(raw); break;
    case Kind::Name:
        name = plain(raw);
        hasName = true;
        break;
    case Kind::Pid: pid = raw; break;
    case Kind::Tid: tid = raw; break;
    case Kind::Id: id = raw; break;
    case Kind::Ts: setTime(raw, ts, tsState); break;
    case Kind::Dur: setTime(raw, dur, durState); break;
    case Kind::BindPoint: bindPoint = raw.size() > 2 ? raw[1] : 0; break;
    case Kind::Scope: scope = raw.size() > 2 ? raw[1] : 0; break;
    case Kind::AsyncScope: asyncScope = plain(raw); break;
    case Kind::Args: hasArgs = true; break;
    case Kind::Int: setInt(field.index, raw); break;
    case Kind::Hash:
        hashes[field.index] = rawTextHash(raw);
        hashSeen |= 1u << field.index;
        break;
    case Kind::Text:
        texts[field.index] = plain(raw);
        textSeen |= 1u << field.index;
        break;
    case Kind::Float: {
        const std::string_view digits = numberText(raw);
        float value = 0;
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
        if (error == std::errc() && end == digits.data() + digits.size()) {
            floats[field.index] = value;
            floatSeen |= 1u << field.index;
        } else if (raw != "null") {
            ++wrongTypes;
        }
        break;
    }
    case Kind::Vector: setVector(field.index, raw); break;
    }
}

} // namespace riffle
