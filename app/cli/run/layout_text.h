// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/ingest/gathering/skipped_file.h"
#include "model/trace/run/run_layout.h"

#include <cstddef>
#include <span>
#include <string>

namespace riffle::cli {

/// A layout for people: each run with its ranks, at most `mostRanks` of them, and what to know about it.
std::string layoutText(const RunLayout &layout, std::span<const RunFile> files, size_t mostRanks);
/// The same as one JSON object, with the paths of all files. `skipped` are files that were found but do not belong to a
/// run or could not be read.
std::string layoutJson(const RunLayout &layout, std::span<const RunFile> files, std::span<const SkippedFile> skipped);

} // namespace riffle::cli
