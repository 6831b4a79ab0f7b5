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

/// A file that appears under its name only when it is whole. Until then it has a temporary name beside it and a lock,
/// by which others can tell it from what a dead process left behind; it is removed unless place() succeeded.
class StoreFileWriter {
public:
    /// Takes room for `bytes` at once, so that a full disk shows here.
    static Result<std::unique_ptr<StoreFileWriter>> create(const std::string &path, uint64_t bytes);
    ~StoreFileWriter();
    StoreFileWriter(const StoreFileWriter &) = delete;
    StoreFileWriter &operator=(const StoreFileWriter &) = delete;

    /// The parts one after the other at `offset`; false with errno set. From any thread.
    bool write(uint64_t offset, const std::vector<std::span<const std::byte>> &parts);
    /// Gives the file its name, over what was there.
    Result<void> place();
    Error error(int code) const;

    /// Part of every temporary name.
    static constexpr std::string_view kTemporaryMark = ".writing-";
    /// Removes a temporary file if no living process writes it.
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
