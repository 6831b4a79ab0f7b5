// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/ingest/byte_source.h"
#include "model/ingest/importer.h"

namespace riffle {

/// Reads Chrome trace JSON in all its forms (Kineto, Paddle, ROCm, JAX, plain Chrome) into sealed columns. `reopen`
/// opens the source, once for each pass: reading only a part of the trace takes two passes.
Result<std::shared_ptr<const Trace>>
importChromeJson(const std::string &path, const std::function<Result<std::unique_ptr<ByteSource>>()> &reopen,
                 const ImportOptions &options, Task task);

} // namespace riffle
