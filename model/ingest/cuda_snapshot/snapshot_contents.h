// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/result.h"
#include "model/ingest/cuda_snapshot/pickle_machine.h"

namespace riffle {

/// Puts what a pickle held where it belongs in the snapshot: segments and their blocks, the histories of devices,
/// settings and marks. An Error when the pickle is something else.
Result<void> fillSnapshot(const PickleMachine &machine, const PickleValue &root, SnapshotRows &rows,
                          MemorySnapshot &snapshot);

} // namespace riffle
