// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/store.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace riffle {

/// The folder with the user's stores. What it holds is only ever a copy: any file in it may vanish at any time. Several
/// processes may use it at once.
class StoreFolder {
public:
    static constexpr uint64_t kDefaultLimit = 20ull << 30;

    explicit StoreFolder(std::string folder = defaultFolder(), uint64_t limitBytes = kDefaultLimit);

    /// $RIFFLE_CACHE, else riffle in $XDG_CACHE_HOME, else ~/.cache/riffle; empty when there is none.
    static std::string defaultFolder();
    const std::string &folder() const { return m_folder; }

    /// Where the store of a source file lies. The path only finds the store; what makes it the right one is inside.
    std::string storePath(const std::string &sourcePath) const;
    /// Opens the store of a source file and marks it as used. A damaged one is removed.
    Result<StoredTrace> open(const std::string &sourcePath, const SourceIdentity &source) const;
    /// Stores a trace and then removes the stores used least lately until all fit under the limit. `source`: what
    /// the file was when reading began; a file that has changed since is not stored. Gives the store's size.
    Result<uint64_t> write(const Trace &trace, std::string_view resumeIndex, const std::string &sourcePath,
                           const SourceIdentity &source, Task task) const;
    /// The same of any kind of store: `write` makes it under the path that it is given.
    Result<uint64_t> place(const std::string &sourcePath, const SourceIdentity &source,
                           const std::function<Result<uint64_t>(const std::string &storePath)> &write) const;
    /// Lets it count as used now.
    void markUsed(const std::string &sourcePath) const;
    /// For a store whose verify() failed.
    void remove(const std::string &sourcePath) const;
    /// Removes what dead processes left behind, and stores beyond the limit, but never `spared`.
    void tidy(const std::string &spared = {}) const;

private:
    Result<void> prepare() const;

    std::string m_folder;
    uint64_t m_limit;
};

} // namespace riffle
