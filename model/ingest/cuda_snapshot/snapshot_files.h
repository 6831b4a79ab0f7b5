// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/ingest/sniffed_file.h"

namespace riffle {

/// True if a file is to be read as a snapshot of PyTorch's allocators rather than as a trace: it looks like one (after
/// inflating, if it is compressed), or its name says that it is a pickle. False if the file cannot be read.
bool isSnapshotFile(const SniffedFile &file);

} // namespace riffle
