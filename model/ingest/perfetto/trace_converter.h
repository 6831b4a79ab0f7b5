// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/task.h"
#include "model/ingest/byte_source.h"
#include "model/ingest/perfetto/event_json.h"
#include "model/ingest/perfetto/packet_reader.h"
#include "model/ingest/perfetto/packet_state.h"
#include "model/ingest/perfetto/slice_pairs.h"
#include "model/ingest/perfetto/tracks.h"
#include "model/trace/import_report.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace riffle {

using OpenBytes = std::function<Result<std::unique_ptr<ByteSource>>()>;

/// Turns a Perfetto trace into the text of a trace in Chrome JSON. It reads the file twice: once for the tracks and the
/// ends of slices, which can be anywhere in it, and once for everything else.
class TraceConverter {
public:
    /// `memoryLimit` is for what is remembered about the file: slices, tracks and names, in bytes.
    TraceConverter(std::string path, OpenBytes open, uint64_t memoryLimit, Task task);

    /// Reads the file for the first time.
    Result<void> scan();
    /// Appends the text of some packets, or the end of the document. Returns false when the text is complete.
    Result<bool> convert(std::string &out);

    /// The problems found, with offsets in the inflated file.
    const ImportReport &report() const { return m_report; }
    const ByteSource *source() const { return m_source.get(); } ///< of the second reading; null before it

private:
    Result<void> withinLimits(const PacketState &state, uint64_t offset) const;
    void scanPacket(const PerfettoPacket &packet, PacketState &state);
    void convertPacket(const PerfettoPacket &packet);
    void convertTrackEvent(const PerfettoPacket &packet);
    void addFlows(const TrackEventFields &event, uint32_t track, Ns time);
    void reportPacket(const PerfettoPacket &packet);
    void finishReport();
    uint32_t trackOf(const TrackEventFields &event, PacketState &state, uint64_t sequence);

    const std::string m_path;
    const OpenBytes m_open;
    const uint64_t m_memoryLimit;
    const Task m_task;
    ImportReport m_report;
    PerfettoTracks m_tracks;
    SlicePairs m_pairs;
    std::optional<int64_t> m_unixOffset;

    // The second reading:
    std::unique_ptr<ByteSource> m_source;
    std::unique_ptr<PacketReader> m_reader;
    std::unique_ptr<EventJson> m_json;
    PacketState m_state{true};
    TrackEventFields m_event;
    uint64_t m_begins = 0, m_ends = 0;
    SeededSet<uint64_t> m_flows; ///< arrows that have started
    std::string m_text;          ///< what the last packets became
    bool m_done = false;
};

} // namespace riffle
