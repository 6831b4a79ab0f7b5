// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/store.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace riffle {

/// The folder that contains the user's stores. Stores are only copies, so any file in the folder may vanish at any
/// time. Several processes may use the folder at the same time.
class StoreFolder {
public:
    static constexpr uint64_t kDefaultLimit = 20ull << 30;
    /// The stores that a source file can have, each a file of its own.
    enum class Contents : uint8_t {
        File, ///< all of the source: a trace, or a memory snapshot
        Rank  ///< the small facts about a rank (RankFacts)
    };

    explicit StoreFolder(std::string folder = defaultFolder(), uint64_t limitBytes = kDefaultLimit);

    /// Returns $RIFFLE_CACHE if set, otherwise riffle in $XDG_CACHE_HOME, otherwise ~/.cache/riffle; empty if HOME is
    /// not set either.
    static std::string defaultFolder();
    const std::string &folder() const { return m_folder; }
    /// Makes the folder if there is none. An Error says that this cannot be done, or that it belongs to another user.
    Result<void> prepare() const;

    /// Returns the path of the store of a source file. The path only locates the store; its header shows whether it
    /// matches the source.
    std::string storePath(const std::string &sourcePath, Contents contents = Contents::File) const;
    /// Opens the store of a source file (`origin.path`) and marks it as used. Removes a store that is damaged or does
    /// not match `source`.
    Result<StoredTrace> open(const StoreOrigin &origin, const SourceIdentity &source) const;
    /// Stores a trace, then removes the least recently used stores until all fit within the limit. `source` is the
    /// file's identity when reading began; if the file has changed since, the trace is not stored. Returns the store's
    /// size.
    Result<uint64_t> write(const Trace &trace, std::string_view resumeIndex, const std::string &sourcePath,
                           const SourceIdentity &source, Task task) const;
    /// Like write(), but for any kind of store: `write` creates it at the given path.
    Result<uint64_t> place(const std::string &sourcePath, const SourceIdentity &source,
                           const std::function<Result<uint64_t>(const std::string &storePath)> &write,
                           Contents contents = Contents::File) const;
    /// Marks the store of a source file as used now.
    void markUsed(const std::string &sourcePath, Contents contents = Contents::File) const;
    /// Removes a store, for instance one whose verify() failed.
    void remove(const std::string &sourcePath, Contents contents = Contents::File) const;
    /// Removes files that dead processes left behind, then the least recently used stores beyond the limit, but never
    /// the stores of the source file whose store has the path `spared`. The facts about a rank are small and cost a
    /// whole reading, so they go after the store of the same file.
    void tidy(const std::string &spared = {}) const;

private:
    std::string m_folder;
    uint64_t m_limit;
};

} // namespace riffle
