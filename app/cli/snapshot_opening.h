// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/memory/snapshot_facts.h"
#include "model/base/result.h"

#include <functional>
#include <memory>
#include <string>

namespace riffle::cli {

/// A snapshot, and what is left to do once its answer is printed: keeping its columns for the next time.
struct OpenedFacts {
    std::shared_ptr<const SnapshotFacts> facts;
    std::function<void()> store; ///< empty when there is nothing to store
};

/// From its store where there is one that can be trusted, else by reading it.
Result<OpenedFacts> openFacts(const std::string &path);

} // namespace riffle::cli
