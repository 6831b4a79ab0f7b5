// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/ingest/gathering/trace_estimate.h"

#include <QString>

#include <cstdint>
#include <optional>

namespace riffle {

/// The facts about large traces that are known before they are read, when the user chooses which part to read.
struct PartQuestion {
    int files = 1;                         ///< all files of the opening
    uint64_t bytes = 0;                    ///< on disk, of all of them
    QString largest;                       ///< the path of the largest trace
    std::optional<TraceEstimate> estimate; ///< of all files, from the start of the largest; nothing if it has none
};

} // namespace riffle
