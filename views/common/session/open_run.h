// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/ids.h"
#include "model/trace/run/run_layout.h"

#include <vector>

namespace riffle {

/// The runs that the open files, and what was found beside them, belong to.
struct OpenRun {
    std::vector<RunFile> files;
    std::vector<TraceId> members; ///< one per file: the member that it is; invalid for files that are no traces
    RunLayout layout;             ///< of `files`
    bool isComplete = false;      ///< nothing more is being found out about the ranks

    TraceId memberOf(FileRef file) const { return members[file.file]; }
    bool isReadable(FileRef file) const { return files[file.file].why.empty(); }
};

/// Lays files out as runs. Members that could not be read have a place, too, as far as their names tell one.
OpenRun openRunOf(std::vector<RunFile> files, std::vector<TraceId> members);

} // namespace riffle
