// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/result.h"

#include <cstdint>
#include <string>
#include <vector>

namespace riffle {

/// Identifies the version of a file that a store was built from, without reading all of it.
struct SourceIdentity {
    uint64_t size = 0;
    int64_t modifiedNs = 0;   ///< Unix nanoseconds
    uint64_t contentHash = 0; ///< XXH3 of the head, the tail and 64 samples between them
    bool operator==(const SourceIdentity &) const = default;

    /// Returns the identity of a file. For a folder or a *.part file, it is that of all *.part files in the folder
    /// together, because they are one log.
    static Result<SourceIdentity> of(const std::string &path);
};

/// The files that opening these paths reads. A *.part file, or a folder with such files, stands for all *.part files of
/// the folder; any other path stands for itself.
std::vector<std::string> sourceFiles(const std::vector<std::string> &paths);

} // namespace riffle
