// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/import_report.h"
#include "model/trace/run/step_figures.h"
#include "model/trace/trace.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace riffle {

/// A device as the file describes it.
struct DeviceRecord {
    int64_t number = 0;
    std::string name;
    std::optional<int64_t> memoryBytes;
    bool operator==(const DeviceRecord &) const = default;
};

/// The facts about one rank that are small enough to be kept for every rank of a run, so that grids, heat maps and
/// tables of the run need no trace. Times are ns on the trace's own clock.
struct RankFacts {
    std::string format;                     ///< TraceInfo::format
    std::optional<int64_t> rank, worldSize; ///< as recorded
    std::string host;                       ///< as recorded; may be empty
    std::optional<int64_t> pid;             ///< as recorded
    std::optional<int64_t> baseTimeNs;      ///< TraceInfo::baseTimeNs
    std::vector<ClockReading> clocks;       ///< TraceInfo::clocks
    TimeSpan span;                          ///< Trace::span
    TimeSpan asked;                         ///< Trace::askedSpan()
    TimeSpan recorded;                      ///< Trace::recordedSpan()
    uint64_t slices = 0;
    uint64_t bytes = 0; ///< the size of the file
    std::vector<DeviceRecord> devices;
    /// The worst that the import had to report; nothing if there was no problem.
    std::optional<Severity> worst;
    bool ofTraining = false; ///< false if nothing tells that a program that uses a GPU or a framework was recorded
    uint64_t overlappingSteps = 0; ///< marks that are left out because they overlap others
    StepFigureTable steps;
};

/// The empty trace that has the name, the rank and the place on the clock of a rank, for questions about these alone.
/// `path` is the file of the rank.
Trace traceWithoutContents(const RankFacts &facts, const std::string &path);

} // namespace riffle
