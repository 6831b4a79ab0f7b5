// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/result.h"
#include "model/trace/memory/memory_timeline.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace riffle {

/// The parts that InternEvo's memory profiler distinguishes: parameters, gradients, the optimizer's copies of
/// parameters, its states, and activations.
enum class MemoryLogPart : uint8_t { Params, Grads, OsParams, OsState, Activation, Count };
inline constexpr size_t kMemoryLogParts = static_cast<size_t>(MemoryLogPart::Count);
/// "params", "grads", "os_params", "os_state", "activation"
std::string_view memoryLogPartWord(MemoryLogPart part);

/// A size as printed, in hundredths of MB (1 MB is 1024² bytes). Because sizes are rounded, a sum of parts may differ
/// slightly from a printed total; totals are not recomputed.
using PrintedSize = int64_t;
inline constexpr PrintedSize kNotPrinted = INT64_MIN;
/// "13965.51"; empty for kNotPrinted.
std::string printedText(PrintedSize size);

/// The layers of one part, parents before their children. Points with the same text share a layout.
struct MemoryLogLayout {
    MemoryLogPart part = MemoryLogPart::Params;
    std::vector<uint32_t> paths;    ///< rows of MemoryLogRank::paths
    std::vector<uint32_t> depth;    ///< in the tree that the dots in the paths define
    std::vector<PrintedSize> own;   ///< layer_mem
    std::vector<PrintedSize> total; ///< total_mem

    uint32_t count() const { return static_cast<uint32_t>(paths.size()); }
};

/// The sizes that the log prints for one moment.
struct MemoryLogPoint {
    static constexpr uint32_t kNone = UINT32_MAX;
    static constexpr int64_t kNoTime = INT64_MIN;

    int64_t time = kNoTime; ///< ns since the start, rounded from timeText
    std::string timeText;   ///< seconds as printed
    PrintedSize total = kNotPrinted;
    std::array<PrintedSize, kMemoryLogParts> parts;
    std::array<uint32_t, kMemoryLogParts> layouts; ///< rows of MemoryLogRank::layouts; kNone if not printed
    uint64_t line = 0, offset = 0;                 ///< where it starts in the log

    MemoryLogPoint()
    {
        parts.fill(kNotPrinted);
        layouts.fill(kNone);
    }
    bool hasLayout() const;
};

/// A page with a sunburst: a tree of sizes in whole MB.
struct MemoryLogPage {
    std::string file;  ///< "params_memory_sunburst.html"
    std::string title; ///< "params_memory"
    std::vector<std::string> names;
    std::vector<uint32_t> depth;
    std::vector<int64_t> megabytes; ///< per node, as in the page; for a node without a size, the sum of its children
    std::optional<Error> damage;    ///< why it could not be read
};

/// The output of one rank.
struct MemoryLogRank {
    std::string path;   ///< of memory.log, or of the folder or page if there is none
    std::string folder; ///< "rank0_dp0_tp0"; empty for a log outside such a folder
    std::vector<std::pair<std::string, int64_t>> coordinates; ///< parsed from the folder's name, in the same order
    uint64_t fileBytes = 0;
    uint64_t lines = 0;
    bool hasLog = false;
    std::vector<MemoryLogPoint> points; ///< in the log's order
    std::vector<MemoryLogLayout> layouts;
    std::vector<std::string> paths;
    std::vector<MemoryLogPage> pages;
    std::vector<FileTrouble> troubles;
    std::optional<Error> damage;

    std::string name() const; ///< name of the folder or the file
    std::optional<int64_t> rank() const;
    /// Returns the first point with the largest printed total; kNone if no total was printed.
    uint32_t peak() const;
    /// Returns the point nearest in time, so that a rounded time still finds its point; of two equally near, the
    /// earlier. kNone if no point has a time.
    uint32_t pointNear(int64_t ns) const;
};

/// The output of a job's memory profiler: one log, one rank's folder, or the folders of several ranks ordered by rank.
class MemoryLog {
public:
    std::string path;
    std::vector<MemoryLogRank> ranks;
    double loadSeconds = 0;

    /// Returns the ranks below the largest one for which there is no folder.
    std::vector<int64_t> missingRanks() const;
};

} // namespace riffle
