// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/seeded_hash.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace riffle {

/// The tracks of a trace: threads, processes, counters, and lanes that are neither.
class PerfettoTracks {
public:
    struct Track {
        uint64_t uuid = 0, parent = 0;
        std::string name; ///< of the thread, the process or the track itself
        int64_t pid = 0, tid = 0;
        int64_t multiplier = 1; ///< of a counter's values
        double sum = 0;         ///< of an incremental counter so far
        bool described = false; ///< false if there are only events of it
        bool isProcess = false, isThread = false, isIncremental = false;
    };

    /// Adds what a TrackDescriptor message says. Returns false if it is damaged.
    bool describe(std::string_view message);
    /// Returns the index of a track, which need not be described (yet).
    uint32_t index(uint64_t uuid);
    Track &track(uint32_t index) { return m_tracks[index]; }
    const std::string &name(uint32_t index) const { return m_tracks[index].name; }
    size_t count() const { return m_tracks.size(); }
    /// The bytes of memory that the tracks take, roughly.
    uint64_t bytes() const { return m_bytes; }

    /// Appends the members "pid" and "tid" of an event on the track, followed by a comma; only "pid" for a counter.
    void appendPlace(std::string &out, uint32_t index, bool withThread = true) const;
    /// Appends the event that names the process or thread; nothing for other tracks.
    void appendNames(std::string &out, uint32_t index) const;

private:
    /// The process or thread to which the track belongs: itself or an ancestor; null if there is none.
    const Track *owner(const Track &track) const;

    SeededMap<uint64_t, uint32_t> m_indexes;
    std::vector<Track> m_tracks;
    uint64_t m_bytes = 0;
};

} // namespace riffle
