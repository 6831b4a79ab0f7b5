// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/collector_log/row_sink.h"

#include "model/base/quoted_text.h"
#include "model/ingest/chrome_json/event_record.h"
#include "model/ingest/chrome_json/training_meta.h"
#include "model/ingest/collector_log/json_text.h"

#include <algorithm>

namespace riffle {

using wire::ChunkType;
using wire::Field;

static_assert(wire::kAbsent == kNoInt);

namespace {

constexpr size_t kCachedCategories = 64;

/// Returns the element for a string's id in a list, which grows if necessary; null for very large ids.
template <typename T>
T *cached(std::vector<T> &list, int64_t id, T unknown)
{
    constexpr size_t kMost = 1 << 20;
    if (static_cast<uint64_t>(id) >= kMost)
        return nullptr;
    const auto place = static_cast<size_t>(id);
    if (place >= list.size())
        list.resize(std::max(place + 1, std::min(kMost, 2 * list.size())), unknown);
    return &list[place];
}

bool isSane(Ns time) { return time >= kEarliestTime && time <= kLatestTime; }

} // namespace

void RowSink::useWriter(TraceWriter &writer)
{
    m_writer = &writer;
    // The list is as long as the part has strings, and a small batch of a growing log uses few of them.
    for (const uint32_t id : m_interned)
        m_strings[id] = UINT32_MAX;
    m_interned.clear();
    m_categories.clear();
    m_ownCategories.clear();
    m_threadLanes.clear();
    m_collectives.clear();
    m_lastThread = {wire::kAbsent, UINT32_MAX};
    m_lastStreamLane = UINT32_MAX;
}

void RowSink::usePart(std::shared_ptr<const PartTables> tables)
{
    if (tables == m_tables)
        return;
    m_tables = std::move(tables);
    m_strings.clear();
    m_interned.clear();
    m_categories.clear();
    m_threadLanes.clear();
    m_shapeHashes.clear();
    m_listHashes.clear();
    m_stackHashes.clear();
    m_collectives.clear();
    m_lastThread = {wire::kAbsent, UINT32_MAX};
}

template <typename Add>
void RowSink::eachRow(uint64_t address, ChunkType type, const ChunkColumns &columns, Add add)
{
    m_columns = &columns;
    m_type = type;
    const EventText text(m_index, *m_tables, type, columns);
    m_text = &text;
    for (Place at; at.row < columns.rows(); ++at.row) {
        at.address = address + at.row;
        at.room = text.room(at.row);
        add(at);
    }
    m_text = nullptr;
}

void RowSink::add(uint64_t address, ChunkType type, const ChunkColumns &columns)
{
    const auto each = [&](void (RowSink::*one)(const Place &)) {
        eachRow(address, type, columns, [&](const Place &at) { (this->*one)(at); });
    };
    switch (type) {
    case ChunkType::Ranges: return each(&RowSink::addRange);
    case ChunkType::Kernels:
    case ChunkType::Copies:
    case ChunkType::Syncs: return each(&RowSink::addDeviceWork);
    case ChunkType::Calls: return each(&RowSink::addCall);
    case ChunkType::Overheads: return each(&RowSink::addOverhead);
    case ChunkType::Marks: return each(&RowSink::addMark);
    case ChunkType::Counters: return each(&RowSink::addCounter);
    case ChunkType::Allocations: return each(&RowSink::addAllocation);
    case ChunkType::Gaps: return each(&RowSink::addGap);
    default: return; // facts about the process and the log, or a newer chunk type
    }
}

void RowSink::addUnfinished(uint64_t address, ChunkType type, const ChunkColumns &columns,
                            const std::vector<uint32_t> &rows)
{
    auto next = rows.begin();
    eachRow(address, type, columns, [&](const Place &at) {
        if (next == rows.end() || *next != at.row)
            return;
        ++next;
        type == ChunkType::OpenGaps ? addGap(at) : addUnfinishedRange(at);
    });
}

int32_t RowSink::smallValue(Field field, const Place &at) const
{
    const int64_t number = value(field, at);
    return number < INT32_MIN || number > INT32_MAX ? kNoInt32 : static_cast<int32_t>(number);
}

uint32_t RowSink::string(Field field, const Place &at)
{
    const int64_t id = value(field, at);
    const auto place = static_cast<size_t>(id);
    if (static_cast<uint64_t>(id) < m_strings.size() && m_strings[place] != UINT32_MAX)
        return m_strings[place];
    const LogText &text = m_tables->text(id);
    if (!text.known)
        m_writer->report().add(Trouble::UnknownString, at.address, "string " + std::to_string(id));
    const uint32_t own = m_writer->intern(text.text, at.address);
    if (uint32_t *slot = text.known ? cached(m_strings, id, UINT32_MAX) : nullptr) {
        *slot = own;
        m_interned.push_back(static_cast<uint32_t>(id));
    }
    return own;
}

uint64_t RowSink::shapesHashOf(int64_t id)
{
    uint64_t *slot = cached(m_shapeHashes, id, uint64_t{0});
    if (slot && *slot)
        return *slot;
    const uint64_t hash = shapesHash(m_tables->text(id).text);
    if (slot)
        *slot = hash;
    return hash;
}

uint64_t RowSink::textListHashOf(int64_t id)
{
    uint64_t *slot = cached(m_listHashes, id, uint64_t{0});
    if (slot && *slot)
        return *slot;
    const uint64_t hash = textListHash(m_tables->text(id).text);
    if (slot)
        *slot = hash;
    return hash;
}

/// The hash that the stack has as an argument of an event in JSON; 0 without a stack.
uint64_t RowSink::stackHashOf(int64_t id)
{
    if (m_tables->stackRoom(id) == 0)
        return 0;
    uint64_t *slot = cached(m_stackHashes, id, uint64_t{0});
    if (slot && *slot)
        return *slot;
    const uint64_t hash = rawTextHash(jsonString(m_tables->stackText(id)));
    if (slot)
        *slot = hash;
    return hash;
}

RowSink::Category RowSink::category(int64_t id, const Place &at)
{
    for (const auto &[known, category] : m_categories)
        if (known == id)
            return category;
    const std::string name = hostCategory(m_tables->text(id).text);
    const Category category{m_writer->intern(name, at.address), traitsOf(name).annotation,
                            name == wire::kOperatorCategory, traitsOf(name).frame};
    if (m_categories.size() < kCachedCategories)
        m_categories.emplace_back(id, category);
    return category;
}

RowSink::Category RowSink::ownCategory(std::string_view name, const Place &at)
{
    for (const auto &[known, category] : m_ownCategories)
        if (known.data() == name.data())
            return category;
    const Category category{m_writer->intern(name, at.address), false, false};
    m_ownCategories.emplace_back(name, category);
    return category;
}

uint32_t RowSink::lane(int64_t pid, int64_t tid, LaneKind kind, const Place &at)
{
    LaneKey key;
    key.pid = {pid, RawId::Kind::Signed};
    key.tid = {tid, RawId::Kind::Signed};
    key.kind = kind;
    return m_writer->lane(key, at.address);
}

uint32_t RowSink::threadLane(const Place &at)
{
    const int64_t index = value(Field::Thread, at);
    if (m_lastThread.first == index && m_lastThread.second != UINT32_MAX)
        return m_lastThread.second;
    const auto [found, added] = m_threadLanes.try_emplace(index, 0);
    if (added)
        found->second = lane(m_index.pid, m_tables->osThread(index), LaneKind::Thread, at);
    m_lastThread = {index, found->second};
    return found->second;
}

uint32_t RowSink::streamLane(int64_t device, int64_t stream, const Place &at)
{
    if (m_lastStreamLane != UINT32_MAX && m_lastStream == std::pair(device, stream))
        return m_lastStreamLane;
    m_lastStream = {device, stream};
    m_streams.insert(m_lastStream);
    m_lastStreamLane = lane(device, stream, LaneKind::Stream, at);
    return m_lastStreamLane;
}

bool RowSink::timeOf(const Place &at, Field field, Ns &time)
{
    time = value(field, at);
    // A device clock that was never read is recorded as 0.
    if (time == wire::kAbsent || (time == 0 && isDeviceWork(m_type))) {
        m_writer->report().add(Trouble::MissingTimestamp, at.address, textOf(Field::Name, at));
        return false;
    }
    if (isSane(time)) {
        m_writer->noteTime(time);
        return true;
    }
    m_writer->report().add(Trouble::AbsurdTime, at.address, textOf(Field::Name, at));
    time = std::clamp(time, kEarliestTime, kLatestTime);
    return true;
}

bool RowSink::fill(SliceRow &row, const Place &at, Category category, uint16_t flags)
{
    const int64_t begin = value(Field::Start, at);
    if (!timeOf(at, Field::Start, row.start))
        return false;
    row.duration = m_type == ChunkType::OpenGaps ? m_text->gapDuration(at.row) : value(Field::Duration, at);
    row.flags = static_cast<uint16_t>(flags | (category.annotation ? slice_flag::Annotation : 0));
    if (!isSane(begin))
        row.flags |= slice_flag::AbsurdTime;
    if (row.duration < 0) {
        const bool absent = row.duration == wire::kAbsent;
        row.flags |= absent ? slice_flag::NoDuration : slice_flag::NegativeDuration;
        m_writer->report().add(absent ? Trouble::NoDuration : Trouble::NegativeDuration, at.address,
                               textOf(Field::Name, at));
        row.duration = 0;
    } else if (row.duration > kLatestTime - row.start && !(row.flags & slice_flag::AbsurdTime)) {
        row.flags |= slice_flag::AbsurdTime;
        m_writer->report().add(Trouble::AbsurdTime, at.address, textOf(Field::Name, at));
    }
    if (row.flags & slice_flag::AbsurdTime)
        row.duration = 0;
    else
        m_writer->noteTime(row.start + row.duration);
    row.sourceOffset = at.address;
    row.sourceLength = at.room;
    row.correlation = value(Field::Correlation, at);
    row.externalId = value(Field::ExternalId, at);
    row.category = category.id;
    row.phase = 'X';
    row.detail = SliceDetail::None;
    return true;
}

bool RowSink::leavesOutSlice(const SliceRow &row, bool device, const Place &at)
{
    return m_filter.leavesOutSlice(
        row, device, [&] { return textOf(Field::Name, at); }, m_writer->report(), at.address);
}

} // namespace riffle
