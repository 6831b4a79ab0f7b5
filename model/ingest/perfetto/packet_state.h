// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/time.h"
#include "model/ingest/perfetto/interned_names.h"
#include "model/ingest/perfetto/packet_reader.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace riffle {

/// The parts of a packet that Riffle reads. The views point into the packet.
struct PerfettoPacket {
    uint64_t offset = 0;
    uint64_t sequence = 0;
    std::optional<Ns> time; ///< on the trace's clock; nothing if there is none, or on a clock that is not known
    std::string_view trackEvent, trackDescriptor, internedData, renderStage, gpuCounter, clockSnapshot, defaults;
    bool hasTrackEvent = false, hasRenderStage = false, hasGpuCounter = false;
    bool broken = false;
    uint64_t dropped = 0;     ///< true if packets before this one were lost when the trace was recorded
    uint32_t unknownKind = 0; ///< field number of content that Riffle does not read; 0 if there is none
};

/// The facts in earlier packets that later ones need: clocks, and for each sequence its defaults and its interned
/// texts. Packets must come in the order of the file.
class PacketState {
public:
    /// `withNames` is false for a pass that needs no interned texts.
    explicit PacketState(bool withNames) : m_withNames(withNames) {}

    PerfettoPacket read(const PacketReader::Packet &packet);

    const InternedNames &names(uint64_t sequence) { return m_sequences[sequence].names; }
    uint64_t defaultTrack(uint64_t sequence) { return m_sequences[sequence].track; }
    /// Returns what to add to the trace's clock to get Unix time, if the file says so.
    std::optional<int64_t> unixOffset() const { return m_unixOffset; }
    uint64_t bytes() const { return m_bytes; }        ///< memory, roughly
    uint64_t brokenNames() const { return m_broken; } ///< interned texts that are damaged

private:
    struct Sequence {
        InternedNames names;
        uint64_t namesBytes = 0;
        uint64_t track = 0;
        uint64_t clock = 0;
    };
    struct Clock {
        int64_t offset = 0; ///< to the trace's clock, or for incremental clocks the last time
        uint64_t multiplier = 1;
        bool incremental = false;
    };
    static uint64_t clockKey(uint64_t clock, uint64_t sequence);
    void readClocks(std::string_view snapshot, uint64_t sequence);
    void readDefaults(std::string_view defaults, Sequence &sequence);
    std::optional<Ns> toTraceTime(uint64_t time, uint64_t clock, uint64_t sequence);

    const bool m_withNames;
    SeededMap<uint64_t, Sequence> m_sequences;
    SeededMap<uint64_t, Clock> m_clocks;
    std::optional<int64_t> m_unixOffset;
    uint64_t m_bytes = 0, m_broken = 0;
};

} // namespace riffle
