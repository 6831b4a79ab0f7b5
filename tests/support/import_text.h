// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/ingest/importer.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace riffle::test {

/// Imports a text as if it were a file; with a chunk size, as if it came from an archive, that many bytes at a time.
Result<std::shared_ptr<const Trace>> importText(std::string_view text, size_t chunk = 0,
                                                const ImportOptions &options = {}, Task task = {});

/// The names of all slices in the order of the file.
std::vector<std::string> sliceNames(const Trace &trace);

/// Sets the number of workers for its lifetime.
class WorkerCount {
public:
    explicit WorkerCount(unsigned count);
    ~WorkerCount();
    WorkerCount(const WorkerCount &) = delete;
    WorkerCount &operator=(const WorkerCount &) = delete;
};

} // namespace riffle::test
