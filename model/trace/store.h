// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/mapped_file.h"
#include "model/base/result.h"
#include "model/base/task.h"
#include "model/trace/source_identity.h"
#include "model/trace/store_format.h"
#include "model/trace/trace.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace riffle {

/// A mapped store. Its trace's columns point into it and keep it alive.
class StoreFile {
public:
    StoreFile(std::shared_ptr<const MappedFile> file, std::vector<StoreColumn> columns, std::vector<uint64_t> hashes);

    const std::string &path() const { return m_file->path(); }
    uint64_t bytes() const { return m_file->size(); }
    /// Compares every block with its hash, on all workers; opening checks only what it reads. An Error means that the
    /// trace must not be trusted: close it, remove the store and read the source again.
    Result<void> verify(Task task) const;
    /// The same for one column, by its place in StoreTables::visit().
    bool verifyColumn(size_t column) const;

private:
    bool verifyBlock(size_t column, uint64_t block) const;

    std::shared_ptr<const MappedFile> m_file;
    std::vector<StoreColumn> m_columns;
    std::vector<uint64_t> m_hashes;
    std::vector<uint64_t> m_firstHash; ///< per column
};

struct StoredTrace {
    std::shared_ptr<Trace> trace; ///< without path and source, which the caller adds
    Column<char> resumeIndex;     ///< SourceText::resumeIndex() of its source
    std::shared_ptr<const StoreFile> file;
};

/// Maps a store and gives its trace, reading only its header, table of contents and small tables. An Error when it is
/// damaged, foreign, or made of another file than `source` says.
Result<StoredTrace> openStore(const std::string &storePath, const SourceIdentity &source);

/// Writes a trace as a store: under a temporary name first, so that there is never a half-written one under
/// `storePath`. `resumeIndex` is SourceText::resumeIndex(). Gives the file's size. Nothing is left behind after an
/// Error (no room, stopped). A trace that holds a part of its source only is refused.
Result<uint64_t> writeStore(const Trace &trace, std::string_view resumeIndex, const SourceIdentity &source,
                            const std::string &storePath, Task task);

} // namespace riffle
