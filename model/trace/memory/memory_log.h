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

/// What InternEvo's memory profiler tells apart: parameters, gradients, the optimizer's copies of parameters, its
/// states, and activations.
enum class MemoryLogPart : uint8_t { Params, Grads, OsParams, OsState, Activation, Count };
inline constexpr size_t kMemoryLogParts = static_cast<size_t>(MemoryLogPart::Count);
/// "params", "grads", "os_params", "os_state", "activation"
std::string_view memoryLogPartWord(MemoryLogPart part);

/// A size as it was printed, in hundredths of MB (1 MB is 1024² bytes): sums of parts may differ from a printed total
/// by some, and nothing is computed anew.
using PrintedSize = int64_t;
inline constexpr PrintedSize kNotPrinted = INT64_MIN;
/// "13965.51"; empty for kNotPrinted.
std::string printedText(PrintedSize size);

/// Layers of one part, parents before what is in them. Points with the same text share one.
struct MemoryLogLayout {
    MemoryLogPart part = MemoryLogPart::Params;
    std::vector<uint32_t> paths;    ///< of MemoryLogRank::paths
    std::vector<uint32_t> depth;    ///< of the tree that dots in paths make
    std::vector<PrintedSize> own;   ///< layer_mem
    std::vector<PrintedSize> total; ///< total_mem

    uint32_t count() const { return static_cast<uint32_t>(paths.size()); }
};

/// What the log says of one moment.
struct MemoryLogPoint {
    static constexpr uint32_t kNone = UINT32_MAX;
    static constexpr int64_t kNoTime = INT64_MIN;

    int64_t time = kNoTime; ///< ns since the start, rounded from timeText
    std::string timeText;   ///< seconds as printed
    PrintedSize total = kNotPrinted;
    std::array<PrintedSize, kMemoryLogParts> parts;
    std::array<uint32_t, kMemoryLogParts> layouts; ///< rows of MemoryLogRank::layouts; kNone where not printed
    uint64_t line = 0, offset = 0;                 ///< where it begins

    MemoryLogPoint()
    {
        parts.fill(kNotPrinted);
        layouts.fill(kNone);
    }
    bool hasLayout() const;
};

/// A page with a sunburst: a tree of whole MB.
struct MemoryLogPage {
    std::string file;  ///< "params_memory_sunburst.html"
    std::string title; ///< "params_memory"
    std::vector<std::string> names;
    std::vector<uint32_t> depth;
    std::vector<int64_t> megabytes; ///< as it stands there; where a node has none, the sum of those in it
    std::optional<Error> damage;    ///< why it could not be read
};

/// What one rank wrote.
struct MemoryLogRank {
    std::string path;   ///< of memory.log, or of the folder or page where there is none
    std::string folder; ///< "rank0_dp0_tp0"; empty where the log stands by itself
    std::vector<std::pair<std::string, int64_t>> coordinates; ///< from the folder's name, in its order
    uint64_t fileBytes = 0;
    uint64_t lines = 0;
    bool hasLog = false;
    std::vector<MemoryLogPoint> points; ///< in the log's order
    std::vector<MemoryLogLayout> layouts;
    std::vector<std::string> paths;
    std::vector<MemoryLogPage> pages;
    std::vector<FileTrouble> troubles;
    std::optional<Error> damage;

    std::string name() const; ///< the folder's, or the file's
    std::optional<int64_t> rank() const;
    /// The first point of the largest printed total; kNone without any.
    uint32_t peak() const;
    /// The point nearest in time, so that a time that was rounded finds its own; of two as near the earlier. kNone:
    /// none has a time.
    uint32_t pointNear(int64_t ns) const;
};

/// What a job's memory profiler wrote: one log, one rank's folder, or those of several ranks by rank.
class MemoryLog {
public:
    std::string path;
    std::vector<MemoryLogRank> ranks;
    double loadSeconds = 0;

    /// Numbers below the largest rank that no folder has.
    std::vector<int64_t> missingRanks() const;
};

} // namespace riffle
