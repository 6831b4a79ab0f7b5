// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/chrome_json/event_sink.h"

#include "model/base/decimal.h"
#include "model/ingest/chrome_json/paddle_event.h"
#include "model/trace/json_entries.h"

#include <algorithm>

namespace riffle {

namespace {

/// Phases that are known and counted but have no row: samples, clock syncs, memory dumps, …
constexpr std::string_view kIgnored = "PvVc()";
constexpr std::string_view kInstants = "iIRnNODTp";

uint64_t mixed(uint64_t a, uint64_t b) { return (a ^ b * 0x9E3779B97F4A7C15ull) * 0xD6E8FEB86659FD93ull; }

} // namespace

void EventSink::forgetCaches()
{
    m_categories.clear();
    for (CachedLane &cached : m_lanes)
        cached = {};
}

EventSink::CategoryEntry EventSink::category(const EventRecord &event)
{
    for (auto &entry : m_categories)
        if (entry.first == event.category)
            return entry.second;
    CategoryEntry entry{m_writer.intern(event.category, event.offset), traitsOf(event.category)};
    if (m_categories.size() < 64)
        m_categories.emplace_back(event.category, entry);
    return entry;
}

/// Returns the number that an id is or spells. Otherwise sets `plain` to its text and returns nullopt.
std::optional<RawId> EventSink::numberOf(std::string_view raw, bool streamText, std::string &plain)
{
    if (raw.front() == '"') {
        unescapeJson(raw.substr(1, raw.size() - 2), plain);
        std::string_view text = plain;
        if (streamText && text.starts_with("stream "))
            text.remove_prefix(7);
        while (streamText && !text.empty() && text.back() == ' ')
            text.remove_suffix(1);
        text = paddleThread(text);
        const bool padded = text.size() > 1 && text[0] == '0'; // "025738" and "0x…" are names, not numbers
        return padded ? std::nullopt : integerId(text);
    }
    if (const auto id = integerId(raw))
        return id;
    if (const auto whole = decimalToInteger(raw, 0))
        return RawId{*whole, RawId::Kind::Signed};
    plain = raw;
    return std::nullopt;
}

RawId EventSink::idOf(std::string_view raw, const EventRecord &event, bool streamText)
{
    if (raw.empty())
        return {};
    std::string plain;
    if (const std::optional<RawId> number = numberOf(raw, streamText, plain))
        return *number;
    return {static_cast<int64_t>(m_writer.intern(plain, event.offset)), RawId::Kind::Text};
}

/// Returns the id of a flow: its number, or the hash of its text, which is the same for all workers.
int64_t EventSink::flowId(std::string_view raw)
{
    if (raw.empty())
        return 0;
    std::string plain;
    const std::optional<RawId> number = numberOf(raw, false, plain);
    return number ? number->bits : static_cast<int64_t>(rawTextHash(plain));
}

uint32_t EventSink::lane(const EventRecord &event, LaneKind kind)
{
    for (const CachedLane &cached : m_lanes)
        if (cached.lane != UINT32_MAX && cached.kind == kind && cached.tid == event.tid && cached.pid == event.pid)
            return cached.lane;
    LaneKey key;
    key.pid = idOf(event.pid, event, false);
    key.tid = idOf(event.tid, event, kind == LaneKind::Stream);
    key.kind = kind;
    CachedLane &cached = m_lanes[m_nextLane++ % std::size(m_lanes)];
    cached = {std::string(event.pid), std::string(event.tid), kind, m_writer.lane(key, event.offset)};
    return cached.lane;
}

uint32_t EventSink::text(const EventRecord &event, TextArg arg)
{
    return event.has(arg) ? m_writer.intern(event.texts[size_t(arg)], event.offset) : 0;
}

void EventSink::Times::add(const Times &more)
{
    near += more.near;
    far += more.far;
    if (more.firstOffset < firstOffset) {
        firstOffset = more.firstOffset;
        first = more.first;
    }
}

void EventSink::noteFarTime(const EventRecord &event)
{
    ++m_times.far;
    if (event.offset < m_times.firstOffset)
        if (const std::optional<WideInteger> time = event.wideTime()) {
            m_times.firstOffset = event.offset;
            m_times.first = *time;
        }
}

bool EventSink::timeIsGood(const EventRecord &event)
{
    switch (event.tsState) {
    case EventRecord::TimeState::Good:
        m_writer.noteTime(event.ts);
        ++m_times.near;
        return true;
    case EventRecord::TimeState::Absurd:
        noteFarTime(event);
        m_writer.report().add(Trouble::AbsurdTime, event.offset, event.text);
        return true;
    case EventRecord::TimeState::Absent:
        m_writer.report().add(Trouble::MissingTimestamp, event.offset, event.text);
        return false;
    case EventRecord::TimeState::Bad:
        m_writer.report().add(Trouble::BadTimestamp, event.offset, event.text);
        return false;
    }
    return false;
}

uint64_t EventSink::groupOf(const EventRecord &event, bool byName) const
{
    // Async events belong together if category, scope and id, and for S and F the name, are equal. Local ids are unique
    // only within a process.
    uint64_t group = rawTextHash(event.category);
    std::string_view id = event.id;
    if (!id.empty() && id.front() == '{') {
        const std::vector<JsonEntry> parts = entriesOf(id);
        for (const JsonEntry &part : parts) {
            group = mixed(group, rawTextHash(plainText(part.value)));
            if (part.key == "local")
                group = mixed(group, rawTextHash(event.pid));
        }
    } else {
        group = mixed(group, rawTextHash(plainText(id)));
    }
    group = mixed(group, rawTextHash(event.asyncScope));
    if (byName)
        group = mixed(group, rawTextHash(event.name));
    return group ? group : 1;
}

SliceRow EventSink::sliceRow(const EventRecord &event, const CategoryEntry &category)
{
    SliceRow row;
    row.start = event.ts;
    row.duration = event.dur;
    row.sourceOffset = event.offset;
    row.correlation = event.intOr(IntArg::Correlation, kNoInt);
    row.externalId = event.intOr(IntArg::ExternalId, kNoInt);
    row.sourceLength = event.length;
    row.category = category.id;
    row.flags = static_cast<uint16_t>((event.repaired ? slice_flag::Repaired : 0) |
                                      (category.traits.device ? slice_flag::OnStream : slice_flag::Host) |
                                      (category.traits.annotation ? slice_flag::Annotation : 0) |
                                      (event.tsState == EventRecord::TimeState::Absurd ? slice_flag::AbsurdTime : 0));
    if (event.intUnsigned & (uint64_t(1) << size_t(IntArg::Correlation)))
        row.flags |= slice_flag::UnsignedCorrelation;
    if (event.intUnsigned & (uint64_t(1) << size_t(IntArg::ExternalId)))
        row.flags |= slice_flag::UnsignedExternalId;
    row.phase = event.phase.empty() ? 'X' : event.phase.front();
    row.detail = SliceDetail::None;
    row.name = m_writer.intern(category.traits.paddle ? paddleName(event.name) : event.name, event.offset);
    if (category.traits.paddle && event.has(TextArg::StartTime))
        refineStart(event, row);
    return row;
}

void EventSink::refineStart(const EventRecord &event, SliceRow &row)
{
    const std::optional<Ns> exact = paddleTime(event.texts[size_t(TextArg::StartTime)]);
    if (!exact || event.tsState != EventRecord::TimeState::Good || event.ts % 1'000 != 0)
        return;
    row.start += ((*exact % 1'000) + 1'000) % 1'000;
    row.flags |= slice_flag::LooseDigits;
    m_writer.noteOrigin(event.ts - *exact);
}

void EventSink::addSlice(const EventRecord &event)
{
    if (!timeIsGood(event))
        return;
    const CategoryEntry entry = category(event);
    SliceRow row = sliceRow(event, entry);
    ImportReport &report = m_writer.report();
    switch (event.durState) {
    case EventRecord::TimeState::Good:
        if (event.dur < 0) {
            row.duration = 0;
            row.flags |= slice_flag::NegativeDuration;
            report.add(Trouble::NegativeDuration, event.offset, event.text);
        }
        break;
    case EventRecord::TimeState::Absurd:
        row.duration = 0;
        row.flags |= slice_flag::AbsurdTime;
        report.add(Trouble::AbsurdTime, event.offset, event.text);
        break;
    case EventRecord::TimeState::Absent:
        row.duration = 0;
        row.flags |= slice_flag::NoDuration;
        report.add(Trouble::NoDuration, event.offset, event.text);
        break;
    case EventRecord::TimeState::Bad:
        row.duration = 0;
        row.flags |= slice_flag::NoDuration;
        report.add(Trouble::BadDuration, event.offset, event.text);
        break;
    }
    if (row.duration > kLatestTime - row.start && !(row.flags & slice_flag::AbsurdTime)) {
        row.flags |= slice_flag::AbsurdTime;
        report.add(Trouble::AbsurdTime, event.offset, event.text);
    }
    if (row.flags & slice_flag::AbsurdTime)
        row.duration = 0; // otherwise the slice would enclose unrelated ones
    if (!(row.flags & slice_flag::AbsurdTime))
        m_writer.noteTime(event.ts + row.duration);
    if (m_filter.leavesOutSlice(
            row, entry.traits.device, [&] { return event.name; }, report, event.offset))
        return;
    addDetails(row, lane(event, entry.traits.device ? LaneKind::Stream : LaneKind::Thread), event, entry);
}

void EventSink::addHalf(const EventRecord &event, bool async)
{
    if (!timeIsGood(event))
        return;
    const CategoryEntry entry = category(event);
    HalfRow row;
    row.time = event.ts;
    row.sourceOffset = event.offset;
    row.correlation = event.intOr(IntArg::Correlation, kNoInt);
    row.externalId = event.intOr(IntArg::ExternalId, kNoInt);
    row.group = async ? groupOf(event, event.phase == "S" || event.phase == "F") : 0;
    row.sourceLength = event.length;
    row.name = event.hasName ? m_writer.intern(event.name, event.offset) : 0;
    row.category = entry.id;
    row.flags = static_cast<uint16_t>((event.repaired ? slice_flag::Repaired : 0) | slice_flag::Host |
                                      (entry.traits.annotation ? slice_flag::Annotation : 0) |
                                      (event.tsState == EventRecord::TimeState::Absurd ? slice_flag::AbsurdTime : 0));
    row.phase = event.phase.front();
    if (async) {
        LaneKey key;
        key.pid = idOf(event.pid, event, false);
        key.kind = LaneKind::Async;
        key.name = entry.id;
        row.lane = m_writer.lane(key, event.offset);
    } else {
        row.lane = lane(event, LaneKind::Thread);
    }
    m_writer.half(row);
}

void EventSink::addInstant(const EventRecord &event)
{
    if (!timeIsGood(event))
        return;
    const bool isMemory =
        event.name == "[memory]" && event.has(IntArg::DeviceType) + event.has(IntArg::MemoryBytes) > 0;
    if (isMemory ? m_filter.leavesOutMemory(event.ts, m_writer.report(), event.offset) : leavesOut(event))
        return;
    if (isMemory)
        addMemory(event);
    InstantRow row;
    row.time = event.ts;
    row.sourceOffset = event.offset;
    row.sourceLength = event.length;
    row.name = m_writer.intern(event.name, event.offset);
    row.category = category(event).id;
    row.lane = lane(event, LaneKind::Thread);
    row.phase = event.phase.front();
    row.scope = event.scope;
    m_writer.instant(row);
}

void EventSink::addFlow(const EventRecord &event)
{
    if (!timeIsGood(event))
        return;
    FlowRow row;
    row.time = event.ts;
    row.id = flowId(event.id);
    if (m_filter.leavesOutFlow(row.time, row.id, event.category == "ac2g", m_writer.report(), event.offset))
        return;
    row.sourceOffset = event.offset;
    row.sourceLength = event.length;
    row.category = category(event).id;
    row.lane = lane(event, LaneKind::Thread);
    row.slice = SliceId::kNone;
    row.phase = event.phase.front();
    row.enclosing = event.phase != "f" || event.bindPoint == 'e';
    m_writer.flow(row);
}

void EventSink::reportOddities(const EventRecord &event)
{
    ImportReport &report = m_writer.report();
    if (event.wrongTypes)
        report.add(Trouble::WrongType, event.offset, event.text, event.wrongTypes);
    if (event.outOfRange)
        report.add(Trouble::NumberOutOfRange, event.offset, event.text, event.outOfRange);
    if (event.duplicates)
        report.add(Trouble::DuplicateKey, event.offset, event.text, event.duplicates);
}

void EventSink::addFromOrigin(EventRecord &event)
{
    if (m_origin != 0)
        event.countFrom(m_origin);
    add(event);
}

void EventSink::add(const EventRecord &event)
{
    if (event.wrongTypes | event.outOfRange | event.duplicates)
        reportOddities(event);
    if (event.phase.size() != 1 || static_cast<unsigned char>(event.phase.front()) >= 128) {
        m_writer.countPhaseText(event.phase);
        if (event.tsState == EventRecord::TimeState::Good)
            m_writer.noteTime(event.ts);
        m_writer.report().add(event.phase.empty() ? Trouble::MissingPhase : Trouble::UnknownPhase, event.offset,
                              event.text);
        return;
    }
    const char phase = event.phase.front();
    m_writer.countEvent(phase);
    switch (phase) {
    case 'X': return addSlice(event);
    case 'B':
    case 'E': return addHalf(event, false);
    case 'b':
    case 'e':
    case 'S':
    case 'F': return addHalf(event, true);
    case 's':
    case 't':
    case 'f': return addFlow(event);
    case 'M': return addMetadata(event);
    case 'C': return addCounter(event);
    default: break;
    }
    if (kInstants.find(phase) != std::string_view::npos)
        return addInstant(event);
    if (event.tsState == EventRecord::TimeState::Good)
        m_writer.noteTime(event.ts);
    const bool ignored = kIgnored.find(phase) != std::string_view::npos;
    m_writer.report().add(ignored ? Trouble::IgnoredPhase : Trouble::UnknownPhase, event.offset, event.text);
}

} // namespace riffle
