// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/trace.h"

#include <memory>
#include <string>
#include <vector>

namespace riffle {

/// Times that an analysis or a query found, shown as a lane of their own: idle gaps by cause, a critical path, rows of
/// a table. Drawn and hit like slices, but no slices of the trace.
struct BandTrack {
    std::string key; ///< stable, for the user's order and folding
    std::string title;
    std::string note;                     ///< of what it is made, for people; may be empty
    int32_t device = -1;                  ///< the GPU it stands under; -1: the first process
    std::vector<std::string> names;       ///< of bands: what the name column of `bands` counts
    std::vector<std::string> kinds;       ///< by name: what its colour goes by; empty: the name
    std::shared_ptr<const Segment> bands; ///< trace time; in as many drawing rows as bands overlap
    std::vector<SliceId> slices;          ///< by band: the slice to select on a click; may be invalid
    uint64_t leftOut = 0;                 ///< bands that overlap more others than there are drawing rows

    /// The band's own text: its name.
    const std::string &nameOf(uint32_t band) const { return names[bands->slices.name[band]]; }
    const std::string &kindOf(uint32_t name) const { return kinds.empty() ? names[name] : kinds[name]; }
};

/// Per trace of a set its tracks.
using SetBands = std::vector<std::vector<std::shared_ptr<const BandTrack>>>;

struct Band {
    TimeSpan span;
    uint32_t name = 0; ///< index into BandTrack::names
    SliceId slice;
};

inline constexpr uint32_t kMostBandRows = 50;

/// Fills bands, slices and rows of a track from bands in any order. What would need more than kMostBandRows is left
/// out.
std::shared_ptr<const BandTrack> bandTrack(BandTrack track, std::vector<Band> bands);

} // namespace riffle
