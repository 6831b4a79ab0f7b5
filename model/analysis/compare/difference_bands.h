// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/compare/device_comparison.h"
#include "model/trace/bands.h"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace riffle {

/// The changes of device time as the timelines of both sides show them. Per device, each side has a track with what is
/// longer in B and one with what is shorter: a band per piece of device work, with B − A as its text. In A, work that
/// is gone is shorter; in B, work that is new is longer. Bands that overlap become one, with the sum of their changes,
/// so that a track has one row and all its bands together sum to the changes of its work.
struct DifferenceBands {
    /// A track has at most this many bands. The smallest changes are left out, which its note says.
    static constexpr size_t kMostBands = 100'000;

    std::array<std::vector<std::shared_ptr<const BandTrack>>, 2> sides; ///< A, B
};

DifferenceBands differenceBands(const DeviceComparison &comparison);

/// The slices of A and B that are partners: device work, operators, modules, annotations and marks of steps.
class PartnerSlices {
public:
    PartnerSlices() = default;
    explicit PartnerSlices(const DeviceComparison &comparison);

    /// The partner of a slice of A (0) or B (1); invalid if it has none.
    SliceId of(size_t side, SliceId slice) const;

private:
    std::array<BigVector<std::pair<uint32_t, uint32_t>>, 2> m_pairs; ///< per side: slice and partner, by slice
};

} // namespace riffle
