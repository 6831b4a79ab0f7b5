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

/// The options for the store of opened files, shared by all commands that read snapshots.
struct StoreUse {
    bool none = false;
    std::string limit = "20G";

    void addTo(CLI::App &command);
};

/// An open snapshot, and a function that stores its columns for the next time.
struct OpenedFacts {
    std::shared_ptr<const SnapshotFacts> facts;
    /// Stores the snapshot; empty if there is nothing to store. Prints its errors, which do not affect the exit code.
    std::function<void()> store;

    /// Flushes the output, then stores the snapshot if necessary. Returns `code`, or Unreadable and prints why if the
    /// output lacks something (MemorySnapshot::failure).
    int finish(int code) const;
};

/// Opens a snapshot from its store if there is a valid one; otherwise reads the file.
Result<OpenedFacts> openFacts(const std::string &path, const StoreUse &use);
/// Opens a snapshot like openFacts(). If it cannot be read, or only in part, prints the reason and raises `code`. The
/// facts are null if it cannot be read.
OpenedFacts openSnapshot(const std::string &path, const StoreUse &use, int &code);

} // namespace riffle::cli
