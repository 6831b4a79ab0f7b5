// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/chrome_json/batch_reader.h"

#include "model/ingest/chrome_json/event_repair.h"
#include "model/ingest/chrome_json/event_splitter.h"

#include <algorithm>

namespace riffle {

void BatchReader::begin(const Batch &batch, size_t at)
{
    m_record.clear();
    m_record.offset = batch.windowOffset + at;
}

void BatchReader::accept(const Batch &batch, size_t begin, size_t end)
{
    m_record.text = batch.window.substr(begin, end - begin);
    m_record.length = static_cast<uint32_t>(end - begin);
    m_sink.addFromOrigin(m_record);
    ++m_events;
}

BatchResult BatchReader::read(const Batch &batch, ImportReport &report)
{
    m_matchBudget = kMaxEventBytes + 4 * (batch.to - batch.from);
    size_t at = batch.from;
    unsigned commas = 0; // the comma before a batch belongs to the previous batch
    bool any = false;
    for (unsigned count = 1;; ++count) {
        const size_t reach = std::min(batch.window.size(), std::max(at, batch.to) + kMaxEventBytes);
        while (at < reach && (isJsonBlank(batch.window[at]) || batch.window[at] == ',')) {
            if (batch.window[at] == ',' && ++commas > 1)
                report.add(Trouble::TrailingComma, batch.windowOffset + at, batch.window.substr(at, 1));
            ++at;
        }
        if (at >= batch.to || ((count & 1023) == 0 && m_task.stopped()))
            return {at, false, false};
        Outcome outcome = Outcome::Read;
        if (batch.window[at] == '{') {
            outcome = readEvent(batch, at, report);
        } else if (batch.window[at] == ']') {
            if (commas > 0 && any)
                report.add(Trouble::TrailingComma, batch.windowOffset + at, batch.window.substr(at, 1));
            return {at + 1, true, false};
        } else {
            outcome = skipForeign(batch, at, report);
        }
        if (outcome == Outcome::NeedsMore)
            return {at, false, true};
        commas = 0;
        any = true;
    }
}

BatchReader::Outcome BatchReader::readEvent(const Batch &batch, size_t &at, ImportReport &report)
{
    const std::string_view text = batch.window;
    begin(batch, at);
    const char *first = text.data() + at;
    const char *limit = text.data() + std::min(text.size(), at + kMaxEventBytes);
    if (const char *last = m_fast.read(first, limit, m_record)) {
        const size_t end = at + static_cast<size_t>(last - first);
        accept(batch, at, end);
        at = end;
        return Outcome::Read;
    }
    const size_t end = endOfEvent(text, at);
    if (end == std::string_view::npos && mayGrow(batch, at) && m_goesOn)
        return Outcome::NeedsMore;
    if (end != std::string_view::npos) {
        begin(batch, at);
        if (m_strict.read(text.substr(at, end - at), m_record)) {
            accept(batch, at, end);
            at = end;
            return Outcome::Read;
        }
    }
    return readDamaged(batch, at, end, report);
}

size_t BatchReader::endOfValue(std::string_view text, size_t at)
{
    const size_t limit = std::min(kMaxEventBytes, m_matchBudget);
    const size_t end = endOfJsonValue(text, at, limit);
    m_matchBudget -= end == std::string_view::npos ? std::min(limit, text.size() - at) : std::min(limit, end - at);
    return end;
}

/// Returns the end of the event, found by matching its brackets; npos if it is damaged or continues beyond the text.
size_t BatchReader::endOfEvent(std::string_view text, size_t at)
{
    const std::string_view reach = text.substr(0, std::min(text.size(), at + kMaxEventBytes));
    const size_t next = findEventStart(reach, at + 1);
    m_goesOn = false;
    if (next != std::string_view::npos) {
        // Where another event could start, an intact event has already ended or has an open list of objects.
        const size_t end = endOfJsonValue(text, at, next - at);
        if (end != std::string_view::npos || openBracketAt(text, at, next) != '[')
            return end;
    }
    const size_t end = endOfValue(text, at);
    m_goesOn = next != std::string_view::npos && end == std::string_view::npos;
    return end;
}

/// True if the text that starts at \p at may be requested again in a larger window. The cost of this is bounded, so
/// that a file full of events that never end is read in reasonable time.
bool BatchReader::mayGrow(const Batch &batch, size_t at) const
{
    return !batch.windowEndsSource && batch.window.size() - at < kMaxEventBytes &&
           batch.bytesReadAgain < 4 * (kMaxEventBytes + batch.windowOffset + at);
}

bool BatchReader::repair(const Batch &batch, size_t from, size_t to, ImportReport &report)
{
    const RepairedEvent mended = repairEvent(batch.window.substr(from, to - from));
    begin(batch, from);
    if (!m_strict.read(mended.text, m_record))
        return false;
    m_record.repaired = !mended.troubles.empty();
    for (const Trouble kind : mended.troubles)
        report.add(kind, batch.windowOffset + from, batch.window.substr(from, to - from));
    accept(batch, from, to);
    return true;
}

BatchReader::Outcome BatchReader::readDamaged(const Batch &batch, size_t &at, size_t end, ImportReport &report)
{
    const std::string_view text = batch.window.substr(0, std::min(batch.window.size(), at + kMaxEventBytes));
    const bool seesEnd = batch.windowEndsSource && text.size() == batch.window.size();
    // The damaged event reaches at most to the next plausible event or to the end of the list.
    const size_t next = findEventStart(text, at + 1);
    const size_t listEnd = findEventListEnd(text.substr(0, next), at + 1);
    size_t boundary = listEnd != std::string_view::npos ? listEnd - 1 : next;
    if (boundary == std::string_view::npos) {
        if (!seesEnd && text.size() == batch.window.size())
            return Outcome::NeedsMore;
        boundary = text.size();
    }
    size_t trimmed = boundary;
    while (trimmed > at && (isJsonBlank(text[trimmed - 1]) || text[trimmed - 1] == ','))
        --trimmed;
    if (end != std::string_view::npos && end <= boundary && repair(batch, at, end, report)) {
        at = end;
        return Outcome::Read;
    }
    if (trimmed != end && repair(batch, at, trimmed, report)) {
        at = boundary;
        return Outcome::Read;
    }
    const std::string_view lost = text.substr(at, trimmed - at);
    const bool cutOff = seesEnd && boundary == text.size();
    report.add(cutOff                                ? Trouble::TruncatedText
               : trimmed - at >= kMaxEventBytes - 64 ? Trouble::OversizedEvent
                                                     : Trouble::BrokenEvent,
               batch.windowOffset + at, lost);
    at = boundary;
    return Outcome::Read;
}

BatchReader::Outcome BatchReader::skipForeign(const Batch &batch, size_t &at, ImportReport &report)
{
    // The window of a plain file is all of it, so look only as far as events of any size could reach.
    const std::string_view text = batch.window.substr(0, std::min(batch.window.size(), at + 4 * kMaxEventBytes));
    const char c = text[at];
    // A value that is not an object is skipped as a whole; anything else is skipped up to where an event may start.
    const bool value = c == '"' || c == '[' || c == '-' || (c >= '0' && c <= '9') || c == 't' || c == 'f' || c == 'n';
    const size_t end = value ? endOfValue(text, at) : std::string_view::npos;
    if (value && end == std::string_view::npos && mayGrow(batch, at))
        return Outcome::NeedsMore;
    // A long value with events inside is more likely a stray quote or bracket than a real value.
    constexpr size_t kSurelyValue = 64 * 1024;
    const bool holdsEvents =
        end != std::string_view::npos && findEventStart(text.substr(0, end), at + 1) != std::string_view::npos;
    if (end != std::string_view::npos && end > at && (!holdsEvents || (end - at < kSurelyValue && c == '['))) {
        report.add(holdsEvents ? Trouble::SkippedText : Trouble::NotAnEvent, batch.windowOffset + at,
                   text.substr(at, end - at));
        at = end;
        return Outcome::Read;
    }
    const size_t next = findEventStart(text, at + 1);
    const size_t listEnd = findEventListEnd(text.substr(0, next), at + 1);
    size_t boundary = listEnd != std::string_view::npos ? listEnd - 1 : next;
    if (boundary == std::string_view::npos) {
        if (!batch.windowEndsSource && text.size() - at < kMaxEventBytes)
            return Outcome::NeedsMore;
        boundary = text.size();
    }
    report.add(Trouble::SkippedText, batch.windowOffset + at, text.substr(at, boundary - at));
    at = boundary;
    return Outcome::Read;
}

} // namespace riffle
