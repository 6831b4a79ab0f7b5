// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/trace_builder.h"

#include <vector>

namespace riffle {

/// Gives the processes and lanes of a trace the names and places that metadata events say. The rows have the trace's
/// strings; in the order of the source, the last one counts.
void applyNames(std::vector<MetadataRow> rows, Trace &trace);

} // namespace riffle
