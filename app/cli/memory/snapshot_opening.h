// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/memory/snapshot_facts.h"
#include "model/base/result.h"

#include <CLI/CLI.hpp>

#include <functional>
#include <memory>
#include <string>

namespace riffle::cli {

/// What may become of the store of opened files: options of every command that reads snapshots.
struct StoreUse {
    bool none = false;
    std::string limit = "20G";

    void addTo(CLI::App &command);
};

/// A snapshot, and what is left to do once its answer is printed: keeping its columns for the next time.
struct OpenedFacts {
    std::shared_ptr<const SnapshotFacts> facts;
    std::function<void()>
        store; ///< empty when there is nothing to store; says what fails, which is no failure of the answer

    /// Lets people have the answer first, then stores.
    void finish() const;
};

/// From its store where there is one that can be trusted, else by reading it.
Result<OpenedFacts> openFacts(const std::string &path, const StoreUse &use);
/// The same; says why it cannot be read, or was read in part, and raises the code. Without facts where it cannot.
OpenedFacts openSnapshot(const std::string &path, const StoreUse &use, int &code);

} // namespace riffle::cli
