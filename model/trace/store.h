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
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace riffle {

struct StoreKind;

/// A mapped store. The columns of its trace point into it and keep it alive.
class StoreFile {
public:
    /// Maps a store of this kind and reads its header and table of contents. Returns an Error if the file is damaged,
    /// is none of this kind, or was built from a source other than `source`.
    static Result<std::shared_ptr<const StoreFile>> open(const std::string &storePath, const StoreKind &kind,
                                                         const SourceIdentity &source);

    const std::string &path() const { return m_file->path(); }
    uint64_t bytes() const { return m_file->size(); }
    const std::shared_ptr<const MappedFile> &mapped() const { return m_file; }
    std::span<const StoreColumn> columns() const { return m_columns; }
    /// Compares every block with its hash, on all workers; openStore() checks only the parts that it reads. An Error
    /// means that the trace must not be trusted: close it, remove the store and read the source again.
    Result<void> verify(Task task) const;
    /// True if the blocks of a column match their hashes. `column` is its position in StoreTables::visit().
    bool verifyColumn(size_t column) const;

private:
    StoreFile(std::shared_ptr<const MappedFile> file, std::vector<StoreColumn> columns, std::vector<uint64_t> hashes);
    bool verifyBlock(size_t column, uint64_t block) const;

    std::shared_ptr<const MappedFile> m_file;
    std::vector<StoreColumn> m_columns;
    std::vector<uint64_t> m_hashes;
    std::vector<uint64_t> m_firstHash; ///< per column, the index of its first hash in m_hashes
};

/// Takes the columns of a store one after another, in the stored order.
class StoredColumns {
public:
    explicit StoredColumns(const StoreFile &file) : m_file(file) {}
    /// Points a column at the next one of the store. If there is none with elements of this size, takes nothing, now
    /// and later.
    template <typename T>
    void take(Column<T> &column)
    {
        m_fit = m_fit && !atEnd() && m_file.columns()[m_next].elementBytes == sizeof(T);
        if (!m_fit)
            return;
        const StoreColumn &stored = m_file.columns()[m_next++];
        column = Column<T>(m_file.mapped(), reinterpret_cast<const T *>(m_file.mapped()->data() + stored.offset),
                           static_cast<size_t>(stored.count));
    }
    bool fit() const { return m_fit; } ///< everything that was asked for was there
    bool atEnd() const { return m_next == m_file.columns().size(); }

private:
    const StoreFile &m_file;
    size_t m_next = 0;
    bool m_fit = true;
};

struct StoredTrace {
    std::shared_ptr<const Trace> trace;
    Column<char> resumeIndex; ///< SourceText::resumeIndex() of its source
    std::shared_ptr<const StoreFile> file;
};

/// The information that a trace needs but that its store does not contain.
struct StoreOrigin {
    std::string path; ///< of the source file
    /// Opens the source text with the bytes of SourceText::resumeIndex(), which the StoreFile keeps alive. If empty,
    /// the trace has no source.
    std::function<std::shared_ptr<const SourceText>(const Column<char> &resumeIndex, std::shared_ptr<const StoreFile>)>
        openText;
};

/// Maps a store and returns its trace, reading only its header, table of contents and small tables. Returns an Error if
/// the file is damaged, is not a store, or was built from a source other than `source`.
Result<StoredTrace> openStore(const std::string &storePath, const SourceIdentity &source,
                              const StoreOrigin &origin = {});

/// Writes a trace as a store, under a temporary name first, so that there is never a half-written file at `storePath`.
/// `resumeIndex` is SourceText::resumeIndex(). Returns the file's size. An Error (no room, stopped) leaves nothing
/// behind. Refuses a trace that holds only a part of its source.
Result<uint64_t> writeStore(const Trace &trace, std::string_view resumeIndex, const SourceIdentity &source,
                            const std::string &storePath, Task task);

} // namespace riffle
