// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/run/place_in_name.h"
#include "model/trace/run/run_layout.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace riffle {

/// A file of a run, or one of its parts, with what its path and its contents tell.
struct PlacedFile {
    static constexpr uint32_t kUnplaced = UINT32_MAX;

    FileRef ref;
    const RunFile *file = nullptr;
    std::string name; ///< with the name of the part
    PlaceInName place;
    std::optional<int64_t> rank;
    RankEvidence rankFrom = RankEvidence::None;
    std::vector<ParallelCoordinate> coordinates;
    uint32_t identity = kUnplaced; ///< equal for files of equal rank, or without one, of equal coordinates

    const RecordedPlace &recorded() const { return file->recorded; }
    const std::string &host() const { return file->recorded.host.empty() ? place.host : file->recorded.host; }
    /// True if a second file of its kind and rank is unusual: snapshots are taken many times.
    bool isOnePerRank() const
    {
        return file->kind != RunFileKind::Snapshot && file->kind != RunFileKind::MemoryTimeline;
    }
};

using PlacedFiles = std::vector<const PlacedFile *>;

/// The files of one run.
struct RunFiles {
    PlacedFiles files;
    std::string family; ///< equal for runs that were told apart from each other
};

/// Divides files into runs by start times and folders.
std::vector<RunFiles> dividedIntoRuns(const PlacedFiles &files);

/// Makes a run of its files, which are in natural order. `room` is the number of cells that missing ranks may still
/// have; those of this run are subtracted.
Run runOf(const PlacedFiles &files, int64_t &room);

} // namespace riffle
