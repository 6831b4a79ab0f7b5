// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/file_lock.h"
#include "model/base/result.h"
#include "model/ingest/gathering/skipped_file.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace riffle {

struct SourceIdentity;

/// Folders in the user's cache with the files of archives and of standard input. A folder stays for the next time,
/// until newer ones need its room. Several processes may use them at the same time.
class UnpackedFolders {
public:
    struct Folder {
        std::string path;
        std::shared_ptr<const FileLock> lock; ///< nobody removes the folder while anybody has it
    };

    /// The name for the files of an archive: a hash of its place and its version.
    static std::string nameOf(const std::string &archive, const SourceIdentity &identity);

    /// `cache` is StoreFolder::defaultFolder() or empty if there is none.
    UnpackedFolders(std::string cache, uint64_t limitBytes);

    /// Returns the folder with this name, and marks it as used now; nothing if there is none.
    std::optional<Folder> find(const std::string &name) const;
    /// Makes an empty folder, which is removed by the next tidy() unless it gets a name.
    Result<Folder> make() const;
    /// Names a folder that make() returned. If another process was faster, returns its folder instead.
    Result<Folder> place(const Folder &made, const std::string &name) const;
    /// Removes folders that dead processes left behind, then the least recently used ones that nobody has, until all
    /// fit within the limit.
    void tidy() const;

    /// Keeps beside the files what was skipped when they were unpacked. `folder` is the path of a Folder.
    static Result<void> noteSkipped(const std::string &folder, const std::vector<SkippedFile> &skipped);
    /// Returns the list that noteSkipped() kept.
    static std::vector<SkippedFile> skippedIn(const std::string &folder);

private:
    std::string m_cache;
    uint64_t m_limit;
};

} // namespace riffle
