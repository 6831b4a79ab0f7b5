// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/chrome_json/fast_reader.h"

#include "model/ingest/chrome_json/event_splitter.h"
#include "model/ingest/chrome_json/value_scan.h"

#include <cstring>

namespace riffle {

namespace {

constexpr uint32_t kDecline = UINT32_MAX;

uint64_t load8(const char *at)
{
    uint64_t word;
    std::memcpy(&word, at, 8);
    return word;
}

const char *skipBlanks(const char *at, const char *limit)
{
    while (at < limit && isJsonBlank(*at))
        ++at;
    return at;
}

} // namespace

FastReader::FastReader() { m_steps.emplace_back(); }

bool FastReader::matches(const Step &step, const char *at) const
{
    for (size_t word = 0; word < step.words; ++word)
        if ((load8(at + 8 * word) ^ step.text[word]) & step.mask[word])
            return false;
    return true;
}

uint32_t FastReader::follow(uint32_t from, const char *at, const char *limit)
{
    for (const uint32_t next : m_steps[from].next) {
        const Step &step = m_steps[next];
        // The step was learnt from an event whose args were not an object. Here they are an object, whose members must
        // be read.
        const bool missesArgs = step.field.kind == EventField::Kind::Args && at[step.length] == '{';
        if (matches(step, at) && !missesArgs)
            return next;
    }
    return learn(from, at, limit);
}

uint32_t FastReader::learn(uint32_t from, const char *begin, const char *limit)
{
    if (m_steps.size() >= kMaxSteps || m_steps[from].next.size() >= kMaxBranches)
        return kDecline;
    Step step;
    bool inArgs = m_steps[from].inArgs;
    const char *at = begin;
    if (from == 0) {
        ++at; // the event's '{'
    } else {
        at = skipBlanks(at, limit);
        if (at < limit && *at == '}' && inArgs) {
            inArgs = false;
            at = skipBlanks(at + 1, limit);
        }
        if (at < limit && *at == '}' && !inArgs) {
            step.endsEvent = true;
            ++at;
        } else if (at < limit && *at == ',') {
            ++at;
        } else {
            return kDecline;
        }
    }
    while (!step.endsEvent) {
        at = skipBlanks(at, limit);
        if (at >= limit || *at != '"')
            return kDecline;
        bool escapes = false;
        const char *keyEnd = scanString(at, limit, escapes);
        if (!keyEnd || escapes)
            return kDecline;
        const std::string_view name(at + 1, static_cast<size_t>(keyEnd - at) - 2);
        at = skipBlanks(keyEnd, limit);
        if (at >= limit || *at != ':')
            return kDecline;
        at = skipBlanks(at + 1, limit);
        if (at >= limit)
            return kDecline;
        step.field = fieldOf(name, inArgs);
        if (step.field.kind == EventField::Kind::Args && *at == '{') {
            if (step.opensArgs)
                return kDecline;
            step.opensArgs = true;
            inArgs = true;
            const char *inner = skipBlanks(at + 1, limit);
            if (inner < limit && *inner == '}')
                return kDecline; // empty args are rare and left to the strict reader
            ++at;
            continue;
        }
        break;
    }
    const auto length = static_cast<size_t>(at - begin);
    if (length > 8 * kWords)
        return kDecline;
    step.inArgs = inArgs;
    step.length = static_cast<uint8_t>(length);
    step.words = static_cast<uint8_t>((length + 7) / 8);
    char padded[8 * kWords] = {};
    std::memcpy(padded, begin, length);
    for (size_t word = 0; word < step.words; ++word) {
        step.text[word] = load8(padded + 8 * word);
        const size_t left = length - 8 * word;
        step.mask[word] = left >= 8 ? ~uint64_t(0) : (uint64_t(1) << (8 * left)) - 1;
    }
    const auto id = static_cast<uint32_t>(m_steps.size());
    m_steps.push_back(std::move(step));
    m_steps[from].next.push_back(id);
    return id;
}

const char *FastReader::readValue(const Step &step, const char *at, const char *limit, EventRecord &record)
{
    using Kind = EventField::Kind;
    const EventField field = step.field;
    if (*at == '"') {
        bool escapes = false;
        const char *end = scanString(at, limit, escapes);
        if (!end)
            return nullptr;
        const std::string_view raw(at, static_cast<size_t>(end - at));
        if (field.kind == Kind::Hash) {
            record.set(field, raw);
            return end;
        }
        if (field.kind == Kind::Unknown)
            return end;
        if (escapes && field.kind != Kind::Pid && field.kind != Kind::Tid && field.kind != Kind::Id)
            return nullptr;
        const std::string_view content(at + 1, raw.size() - 2);
        if (field.kind == Kind::Name) {
            record.name = content;
            record.hasName = true;
        } else if (field.kind == Kind::Category) {
            record.category = content;
        } else if (field.kind == Kind::Phase) {
            record.phase = content;
        } else {
            record.set(field, raw);
            return end;
        }
        const uint64_t bit = uint64_t(1) << static_cast<unsigned>(field.kind);
        record.duplicates += (record.topSeen & bit) != 0;
        record.topSeen |= bit;
        return end;
    }
    if ((*at >= '0' && *at <= '9') || *at == '-') {
        if (field.kind == Kind::Int) {
            int64_t value = 0;
            if (const char *end = scanInteger(at, value)) {
                const uint64_t bit = uint64_t(1) << field.index;
                record.ints[field.index] = value;
                record.intSeen |= bit;
                record.intUnsigned &= ~bit;
                return end;
            }
        } else if (field.kind == Kind::Ts || field.kind == Kind::Dur) {
            const uint64_t bit = uint64_t(1) << static_cast<unsigned>(field.kind);
            Ns time = 0;
            if (const char *end = scanMicroseconds(at, time); end && !(record.topSeen & bit)) {
                (field.kind == Kind::Ts ? record.ts : record.dur) = time;
                (field.kind == Kind::Ts ? record.tsState : record.durState) = EventRecord::TimeState::Good;
                record.topSeen |= bit;
                return end;
            }
        }
        const char *end = scanNumber(at, limit);
        if (end && field.kind != Kind::Unknown)
            record.set(field, {at, static_cast<size_t>(end - at)});
        return end;
    }
    const char *end = scanOther(at, limit);
    if (end && field.kind != Kind::Unknown)
        record.set(field, {at, static_cast<size_t>(end - at)});
    return end;
}

const char *FastReader::read(const char *at, const char *limit, EventRecord &record)
{
    uint32_t step = 0;
    while (true) {
        if (limit - at < static_cast<std::ptrdiff_t>(8 * kWords) + kScanReach)
            return nullptr;
        const uint32_t next = follow(step, at, limit);
        if (next == kDecline)
            return nullptr;
        const Step &now = m_steps[next];
        at += now.length;
        if (now.opensArgs)
            record.set({EventField::Kind::Args}, {});
        if (now.endsEvent)
            return record.duplicates ? nullptr : at;
        at = readValue(now, at, limit, record);
        if (!at)
            return nullptr;
        step = next;
    }
}

} // namespace riffle
