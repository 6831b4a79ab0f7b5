// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/result.h"
#include "model/ingest/cuda_snapshot/snapshot_shapes.h"

namespace riffle {

/// Fills the snapshot with the contents of a pickle: segments and their blocks, the histories of devices, settings and
/// annotations. Returns an Error if the pickle is not a snapshot.
Result<void> fillSnapshot(const PickleMachine &machine, const PickleValue &root, SnapshotRows &rows,
                          MemorySnapshot &snapshot);

} // namespace riffle
