// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/ingest/importer.h"
#include "model/trace/source_identity.h"
#include "model/trace/store_folder.h"

#include <memory>
#include <optional>
#include <string>

namespace riffle {

/// How the stores of traces are used.
struct StorePolicy {
    /// The check of the blocks of a store; openStoredTrace() checks only the parts that it reads.
    enum class Verify : uint8_t {
        Before, ///< before its trace is used; a damaged store is removed, and the file is read instead
        Later   ///< by the caller, while the trace is in use already
    };
    std::optional<StoreFolder> folder; ///< nothing if stores are neither used nor written
    Verify verify = Verify::Before;
    uint64_t storeFrom = 0; ///< traces with less text get no store, because they are read as fast
};

/// An open trace, and what is known about its file and its store.
struct OpenedTrace {
    std::shared_ptr<const Trace> trace;
    std::optional<SourceIdentity> identity; ///< of the file when reading began; nothing if it cannot be determined
    std::shared_ptr<const StoreFile> store; ///< null if the trace was not opened from its store
    bool storeWanted = false;               ///< true if the policy wants a store that does not exist yet
    std::shared_ptr<GrowingSource> source;  ///< if somebody is still writing the file: what gives further generations
};

/// Opens a trace from its store if there is a valid one and all of the file is asked for; otherwise reads the file.
/// Synchronous; obeys the task's stop token.
Result<OpenedTrace> openTrace(const std::string &path, const ImportOptions &options, const StorePolicy &policy,
                              Task task);

/// How much of a trace that is being written is read before it is shown.
enum class Extent : uint8_t {
    Begin, ///< the first events
    Whole  ///< all that is there
};
/// Opens a trace that somebody is writing, with the source of its next generations; nothing if nobody is. Such a trace
/// gets no store, and the store of the file, which is about fewer events, is not used.
Result<std::optional<OpenedTrace>> openGrowingTrace(const std::string &path, Extent extent);

/// Stores a trace for which storeWanted is true. Returns the size of the store, in bytes.
Result<uint64_t> storeOpened(const OpenedTrace &opened, const StoreFolder &stores, Task task);

/// The same, and opens the store. Returns the same trace, mapped from the store instead of held in memory.
Result<OpenedTrace> exchangeForStored(const OpenedTrace &opened, const StoreFolder &stores, Task task);

} // namespace riffle
