// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/ingest/importer.h"
#include "model/trace/store_folder.h"

#include <cstdint>
#include <optional>

namespace riffle {

/// How to open files: the import options, and the folder of stores if stores are used.
struct OpeningOptions {
    ImportOptions import;
    std::optional<StoreFolder> stores;
    bool follows = true;             ///< traces that somebody is writing are followed
    uint64_t storeSnapshotsFrom = 0; ///< snapshots with fewer pickle bytes get no store
};

} // namespace riffle
