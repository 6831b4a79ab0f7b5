// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/result.h"
#include "model/base/task.h"
#include "model/trace/run/rank_facts.h"
#include "model/trace/source_identity.h"
#include "model/trace/store_folder.h"

#include <cstdint>
#include <memory>
#include <string>

namespace riffle {

/// Maps the stored facts about a rank and compares all of them with their hashes, because they are small. Returns an
/// Error if the file is damaged, is not such a store, or was built from a source other than `source`.
Result<std::shared_ptr<const RankFacts>> openRankStore(const std::string &storePath, const SourceIdentity &source);

/// Writes the facts about a rank as a store, under a temporary name first. The file has the layout of a trace's store
/// (store_format.h) with a kind of its own: it can be written without one, survives one, and is read without it.
/// Returns its size.
Result<uint64_t> writeRankStore(const RankFacts &facts, const SourceIdentity &source, const std::string &storePath,
                                const Task &task);

/// The facts about the rank in a file from the user's stores, marked as used. Removes a store that is damaged or does
/// not match `source`.
Result<std::shared_ptr<const RankFacts>> openStoredRank(const StoreFolder &stores, const std::string &path,
                                                        const SourceIdentity &source);
/// Stores the facts about the rank in a file. `source` is the file's identity when reading began; if the file has
/// changed since, they are not stored. Returns the size of the store.
Result<uint64_t> storeRank(const StoreFolder &stores, const RankFacts &facts, const std::string &path,
                           const SourceIdentity &source, const Task &task);

} // namespace riffle
