// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/ingest/collector_log/log_index.h"
#include "model/trace/source_text.h"

#include <memory>
#include <string>

namespace riffle {

/// The text of a log's events, as JSON. It stands nowhere: it is written from the chunk when it is asked for. Every
/// event has room for the longest text that it could have; the rest is blanks.
std::shared_ptr<const SourceText> openLogText(std::shared_ptr<const CollectorLog> log,
                                              std::shared_ptr<const LogIndex> index);
/// For a trace that was opened from the store: the log is opened when the first text is asked for.
std::shared_ptr<const SourceText> openLogText(const std::string &path);

} // namespace riffle
