// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/store_folder.h"

#include <memory>
#include <string>

namespace riffle {

/// A complete trace from the user's store, with its path and access to its source text.
struct OpenedStore {
    std::shared_ptr<const Trace> trace;
    std::shared_ptr<const StoreFile> file; ///< call its verify() off the main thread
};

/// `source` is SourceIdentity::of(path), determined before anything is read. If this returns an Error, import the file
/// itself.
Result<OpenedStore> openStoredTrace(const StoreFolder &folder, const std::string &path, const SourceIdentity &source);

/// Stores a trace that was read from `path`. Returns the size of the store, in bytes.
Result<uint64_t> storeTrace(const StoreFolder &folder, const Trace &trace, const std::string &path,
                            const SourceIdentity &source, Task task);

} // namespace riffle
