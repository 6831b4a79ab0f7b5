// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/ingest/chrome_json/event_record.h"
#include "model/ingest/chrome_json/training_meta.h"
#include "model/ingest/part_filter.h"
#include "model/trace/trace_builder.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace riffle {

/// Turns event records into rows of a trace writer (phases, lanes, typed columns) and adds problems to the report. One
/// per worker.
class EventSink {
public:
    /// Times count from `origin`, in ns.
    EventSink(TraceWriter &writer, PartFilter filter, WideInteger origin)
        : m_writer(writer)
        , m_filter(filter)
        , m_origin(origin)
    {
    }
    /// Moves the time of the event to the sink's origin and adds the event.
    void addFromOrigin(EventRecord &event);
    void add(const EventRecord &event);
    /// Call this after the writer has discarded rows: ids remembered here may no longer exist.
    void forgetCaches();

    /// How many events have times that fit into 64 bits, how many have not, and the first of those.
    struct Times {
        uint64_t near = 0, far = 0;
        uint64_t firstOffset = UINT64_MAX;
        WideInteger first = 0;

        void add(const Times &more);
    };
    const Times &times() const { return m_times; }

private:
    struct CategoryEntry {
        uint32_t id = 0;
        CategoryTraits traits;
    };
    struct CachedLane {
        std::string pid, tid;
        LaneKind kind = LaneKind::Thread;
        uint32_t lane = UINT32_MAX;
    };

    CategoryEntry category(const EventRecord &event);
    static std::optional<RawId> numberOf(std::string_view raw, bool streamText, std::string &plain);
    RawId idOf(std::string_view raw, const EventRecord &event, bool streamText);
    static int64_t flowId(std::string_view raw);
    uint32_t lane(const EventRecord &event, LaneKind kind);
    uint32_t text(const EventRecord &event, TextArg arg);
    void noteFarTime(const EventRecord &event);
    bool timeIsGood(const EventRecord &event);
    bool leavesOut(const EventRecord &event) { return m_filter.leavesOut(event.ts, m_writer.report(), event.offset); }
    uint64_t groupOf(const EventRecord &event, bool byName) const;

    void addSlice(const EventRecord &event);
    void addHalf(const EventRecord &event, bool async);
    void addInstant(const EventRecord &event);
    void addMemory(const EventRecord &event);
    void addCounter(const EventRecord &event);
    void addFlow(const EventRecord &event);
    void addMetadata(const EventRecord &event);
    void reportOddities(const EventRecord &event);
    SliceRow sliceRow(const EventRecord &event, const CategoryEntry &category);
    /// Restores the digits of the row's start that Paddle cuts off from `ts`.
    void refineStart(const EventRecord &event, SliceRow &row);
    void addDetails(SliceRow row, uint32_t lane, const EventRecord &event, const CategoryEntry &category);

    TraceWriter &m_writer;
    const PartFilter m_filter;
    const WideInteger m_origin;
    Times m_times;
    std::vector<std::pair<std::string, CategoryEntry>> m_categories;
    CachedLane m_lanes[4];
    unsigned m_nextLane = 0;
};

} // namespace riffle
