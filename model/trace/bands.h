// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/big_vector.h"
#include "model/trace/per_trace.h"
#include "model/trace/trace.h"

#include <cassert>
#include <memory>
#include <string>
#include <vector>

namespace riffle {

/// Time ranges that an analysis or a query found, shown as a separate lane: idle gaps by cause, a critical path, rows
/// of a table. Bands are drawn and hit-tested like slices, but they are not slices of the trace.
struct BandTrack {
    /// The colour of all bands of a track that shows changes, instead of one per name.
    enum class Tone : uint8_t { None, Longer, Shorter };

    std::string key; ///< stays the same: the user's order and folding refer to it
    std::string title;
    std::string note;     ///< what the bands show, for the user; may be empty
    bool hatched = false; ///< drawn as a thin hatch, without colours unless there is a tone
    Tone tone = Tone::None;
    int32_t device = -1;            ///< the GPU it is shown under; -1 for the first process
    std::vector<std::string> names; ///< names of bands; the name column of `bands` is an index into them
    std::vector<std::string> kinds; ///< per name, the text that determines its colour; empty if the name itself does
    std::shared_ptr<const Segment> bands; ///< in trace time; bands that overlap are on different drawing rows
    BigVector<SliceId> slices;            ///< per band, the slice to select on a click; may be invalid
    uint64_t leftOut = 0;                 ///< number of bands that are omitted because all drawing rows are taken

    /// Returns the name of a band, which is the text shown on it.
    const std::string &nameOf(uint32_t band) const
    {
        assert(bands && band < bands->size());
        return names[bands->slices.name[band]];
    }
    const std::string &kindOf(uint32_t name) const
    {
        assert(name < names.size() && (kinds.empty() || kinds.size() == names.size()));
        return kinds.empty() ? names[name] : kinds[name];
    }
};

/// The tracks of each trace of a set.
using SetBands = PerTrace<std::vector<std::shared_ptr<const BandTrack>>>;

struct Band {
    TimeSpan span;
    uint32_t name = 0; ///< index into BandTrack::names
    SliceId slice;
};

inline constexpr uint32_t kMostBandRows = 50;

/// Fills in the bands, slices and rows of a track from bands in any order. Bands that would need more than
/// kMostBandRows rows are left out.
std::shared_ptr<const BandTrack> bandTrack(BandTrack track, BigVector<Band> bands);

} // namespace riffle
