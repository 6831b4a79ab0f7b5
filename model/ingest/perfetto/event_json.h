// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/time.h"
#include "model/ingest/perfetto/interned_names.h"
#include "model/ingest/perfetto/tracks.h"
#include "model/trace/import_report.h"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace riffle {

/// The content of a TrackEvent message. The views point into the message.
struct TrackEventFields {
    uint64_t type = 0;
    std::optional<uint64_t> track;
    uint64_t nameIid = 0;
    std::string_view name;
    std::vector<std::string_view> categories, annotations;
    std::vector<uint64_t> categoryIids, flows, lastFlows;
    int64_t counter = 0;
    std::optional<double> realCounter;

    /// Reads the message in place of what was there. Returns false if it is damaged.
    bool read(std::string_view message);
};

/// Writes events of Chrome JSON, as Kineto would have written them, into a text: each on a line of its own, with a
/// comma before it unless it is the first. Ids without a text are counted in the report.
class EventJson {
public:
    EventJson(std::string &out, ImportReport &report) : m_out(out), m_report(report) {}

    /// Where the next events come from: the names of their sequence, and the packet's place for the report.
    void from(const InternedNames &names, uint64_t offset)
    {
        m_names = &names;
        m_offset = offset;
    }
    void names(const PerfettoTracks &tracks, uint32_t track);
    /// Writes a slice, or without a duration the begin of one that never ends.
    void slice(const TrackEventFields &event, const PerfettoTracks &tracks, uint32_t track, Ns begin,
               std::optional<Ns> duration);
    void instant(const TrackEventFields &event, const PerfettoTracks &tracks, uint32_t track, Ns time);
    void counter(const PerfettoTracks &tracks, uint32_t track, Ns time, double value);
    /// Writes a GpuRenderStageEvent, which has its own duration, on the lane of its stream. Returns false if the
    /// message is damaged.
    bool renderStage(std::string_view message, Ns begin);
    /// Writes the samples of a GpuCounterEvent. Returns false if the message is damaged.
    bool gpuCounters(std::string_view message, Ns time);
    /// Writes one end of an arrow on a track: 's' starts it, 't' continues it, 'f' ends it.
    void flow(char phase, uint64_t id, const PerfettoTracks &tracks, uint32_t track, Ns time);

private:
    /// True if the text of this packet is longer than any event may be; counts it.
    bool full();
    void begin(char phase);
    void key(std::string_view name);
    void time(std::string_view name, Ns time);
    void head(const TrackEventFields &event, const PerfettoTracks &tracks, uint32_t track);
    void arguments(const TrackEventFields &event);
    void value(std::string_view annotation, int depth);
    void scalar(std::string_view annotation);
    std::string nameOf(std::string_view annotation);
    void nameStream(std::string_view place, int64_t gpu, std::string_view name);
    void launchArguments(std::string_view launch);
    void launchArgument(std::string_view message);
    std::string interned(InternedNames::Kind kind, uint64_t iid);

    std::string &m_out;
    ImportReport &m_report;
    const InternedNames *m_names = nullptr;
    uint64_t m_offset = 0;
    bool m_any = false;
    std::set<std::pair<int64_t, std::string>> m_namedStreams;
};

} // namespace riffle
