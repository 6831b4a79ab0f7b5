// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/result.h"

#include <cstdint>
#include <string>

namespace riffle {

/// What tells whether a file is still the one that a store was made of, without reading all of it.
struct SourceIdentity {
    uint64_t size = 0;
    int64_t modifiedNs = 0;   ///< Unix nanoseconds
    uint64_t contentHash = 0; ///< XXH3 of head, tail and 64 samples between them
    bool operator==(const SourceIdentity &) const = default;

    /// Of a file; of a folder, or of a file *.part, that of all files *.part in the folder together: they are one log.
    static Result<SourceIdentity> of(const std::string &path);
};

} // namespace riffle
