// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/ingest/importer.h"
#include "model/ingest/sniffed_file.h"

#include <string>
#include <string_view>

namespace riffle {

/// True if a text starts with packets of a Perfetto trace. `head` may end inside a packet.
bool looksLikePerfetto(std::string_view head);
bool isPerfetto(const SniffedFile &file);

/// Reads a Perfetto trace (.pftrace), plain or compressed, as PyTorch writes it: the tracks of processes and threads,
/// slices, instants, counters and flows, stages and counters of GPUs. All other packets are counted in the report.
Result<std::shared_ptr<const Trace>> importPerfetto(const std::string &path, const ImportOptions &options, Task task);

} // namespace riffle
