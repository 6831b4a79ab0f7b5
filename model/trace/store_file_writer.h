// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/result.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace riffle {

/// Writes a file that appears under its name only when it is complete. Until then, it has a temporary name in the same
/// folder, and a lock that distinguishes it from a file that a dead process left behind. The file is removed unless
/// place() succeeds.
class StoreFileWriter {
public:
    /// Reserves room for `bytes` up front, so that a full disk is noticed here.
    static Result<std::unique_ptr<StoreFileWriter>> create(const std::string &path, uint64_t bytes);
    ~StoreFileWriter();
    StoreFileWriter(const StoreFileWriter &) = delete;
    StoreFileWriter &operator=(const StoreFileWriter &) = delete;

    /// Writes the parts one after another at `offset`; on failure, returns false and sets errno. Thread-safe.
    bool write(uint64_t offset, const std::vector<std::span<const std::byte>> &parts);
    /// Gives the file its final name, replacing any file there.
    Result<void> place();
    Error error(int code) const;

    /// Part of every temporary name.
    static constexpr std::string_view kTemporaryMark = ".writing-";
    /// Removes a temporary file unless a living process is writing it.
    static void removeIfStale(const std::string &temporaryPath);

private:
    StoreFileWriter(std::string path, std::string temporary, int file)
        : m_path(std::move(path))
        , m_temporary(std::move(temporary))
        , m_file(file)
    {
    }

    std::string m_path;
    std::string m_temporary; ///< empty once placed
    int m_file;
};

} // namespace riffle
