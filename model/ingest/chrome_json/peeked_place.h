// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/ingest/sniffed_file.h"
#include "model/trace/run/run_layout.h"

#include <string_view>

namespace riffle {

/// Returns the place in a job that a piece of a trace's text tells: Kineto's `distributedInfo`, the last one in it. It
/// may be cut at its end. Coordinates are those of the process groups in `pg_config` that are named after an axis, as
/// Megatron and PyTorch's DeviceMesh name them, if all of their ranks are listed.
RecordedPlace placeInText(std::string_view text);

/// Notes in `file` what the ends of a trace tell without reading it: the first and the last 64 KiB of a plain file, or
/// the first MiB of the text in an archive. Everything is a hint: the text between may say something else.
void peekChromeJson(const SniffedFile &sniffed, RunFile &file);

} // namespace riffle
