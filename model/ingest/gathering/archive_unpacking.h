// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/result.h"
#include "model/base/task.h"
#include "model/ingest/gathering/skipped_file.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace riffle {

/// How much an archive may unpack to.
struct UnpackLimits {
    uint64_t mostBytes = 1ull << 40;
    uint64_t mostTimesItsSize = 200; ///< beyond kAlwaysAllowed bytes; traces compress to a tenth or a thirtieth
    size_t mostMembers = 100'000;
    uint64_t leastFree = 1ull << 30; ///< bytes that stay free on the disk
    static constexpr uint64_t kAlwaysAllowed = 1ull << 30;
};

/// Unpacks the files of an archive that may belong to a set into a folder, under the names that they have in the
/// archive. Nothing is written outside the folder: absolute paths, "..", links and devices are skipped. A file that is
/// cut off is kept as far as it goes. Returns what was not unpacked, or only in part; the paths in it are those in the
/// archive. An Error means that nothing was unpacked, or that the disk is full.
Result<std::vector<SkippedFile>> unpackArchive(const std::string &path, const std::string &folder,
                                               const UnpackLimits &limits, const Task &task);

} // namespace riffle
