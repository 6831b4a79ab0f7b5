// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/file_lock.h"
#include "model/base/result.h"
#include "model/base/task.h"
#include "model/ingest/gathering/archive_unpacking.h"
#include "model/ingest/gathering/skipped_file.h"
#include "model/trace/store_folder.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace riffle {

/// The path that stands for standard input.
inline constexpr std::string_view kStandardInput = "-";

/// Where archives are unpacked to, and what is too much.
struct GatheringOptions {
    std::string cache = StoreFolder::defaultFolder();
    uint64_t cacheLimit = StoreFolder::kDefaultLimit; ///< bytes of unpacked files that are kept for the next time
    UnpackLimits unpack;
    size_t mostEntries = 100'000; ///< entries of folders that are looked at
    /// A file that the user named counts each time, as comparisons of a file with itself need it.
    bool keepsRepeats = true;
};

/// The files that some paths stand for.
struct GatheredFiles {
    static constexpr size_t kMostListed = 1000;

    std::vector<std::string> paths;
    /// For each path, how the user would write it: that of a file in an archive follows the archive's path.
    std::vector<std::string> names;
    std::vector<SkippedFile> skipped; ///< at most kMostListed
    uint64_t skippedMore = 0;
    /// The unpacked files stay as long as anybody has these.
    std::vector<std::shared_ptr<const FileLock>> locks;

    bool hasLosses() const;
    /// Sentences about what was skipped, at most so many files with their reasons; empty if nothing was.
    std::string sentence(size_t most) const;
};

/// Finds the files that paths of the user stand for. A file stands for itself, and so does a folder that is a log. Any
/// other folder stands for the files of a set in it and in its folders, links included; a zip or tar archive for those
/// in it, and "run.zip/rank0.json" for one of them; "-" for standard input, which is read to its end. A path that does
/// not exist may be a pattern (path_pattern.h); what it matches is treated like what is in a folder. The files of one
/// path are in natural order. Fails if the paths stand for no file; a path that stands for nothing beside others is
/// skipped as a loss.
Result<GatheredFiles> gatherFiles(const std::vector<std::string> &asked, const GatheringOptions &options,
                                  const Task &task);

} // namespace riffle
