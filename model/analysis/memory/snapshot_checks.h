// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/memory/snapshot_facts.h"
#include "model/analysis/summary/checks.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace riffle {

/// A figure of a device that checks compare with bounds.
struct SnapshotFigure {
    const char *name; ///< "memory.peak"
    const char *meaning;
    Check::Unit unit;
};

/// All figures, in the order in which they are shown to the user.
std::span<const SnapshotFigure> snapshotFigures();

/// Runs checks on the devices of snapshots. Several snapshots are those of the ranks of one job. The worst device
/// counts. A check of a figure that a snapshot does not hold, or of which a cut-off file may lack a part, fails.
class SnapshotChecks {
public:
    /// The devices that count: all of them, or only one; or the pinned memory of the host.
    struct Devices {
        std::optional<int> number;
        bool host = false;
    };

    SnapshotChecks(std::vector<Check> checks, Devices devices);

    /// Returns an Error if a figure does not exist, or if it has another unit.
    static Result<void> areFigures(std::span<const Check> checks);
    /// Adds the devices of a snapshot. Returns an Error if it does not have the wanted device.
    Result<void> add(const SnapshotFacts &facts);
    /// One outcome per check.
    std::vector<CheckOutcome> outcomes() const;

private:
    struct Place {
        std::string device, path; ///< no device if the snapshot has none
    };
    struct Lack {
        std::string why; ///< empty if nothing is lacking
        Place place;
    };
    /// The figure of a check, as far as it is known.
    struct Found {
        std::optional<double> worst;
        Place worstPlace;
        Lack missing; ///< the first device whose figure is not known
        Lack idle;    ///< the first device that holds nothing; it counts only if no device has the figure
    };

    /// Names a place, as far as there are several: " on device 0 of rank1.pickle".
    std::string text(const Place &place) const;

    std::vector<Check> m_checks;
    Devices m_devices;
    std::vector<Found> m_found; ///< per check
    size_t m_deviceCount = 0, m_snapshotCount = 0;
};

} // namespace riffle
