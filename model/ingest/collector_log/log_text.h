// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/ingest/collector_log/log_index.h"
#include "model/trace/source_text.h"

#include <memory>
#include <string>

namespace riffle {

/// The text of a log's events, as JSON. It is not stored but written from the chunk on request. Each event has room for
/// the longest text that it could have; the rest of the room is filled with blanks.
std::shared_ptr<const SourceText> openLogText(std::shared_ptr<const CollectorLog> log,
                                              std::shared_ptr<const LogIndex> index);
/// For a trace that was opened from the store: the log is opened when the first text is requested.
std::shared_ptr<const SourceText> openLogText(const std::string &path);

} // namespace riffle
