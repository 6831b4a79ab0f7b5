// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/byte_stream.h"
#include "model/base/mapped_file.h"
#include "model/base/result.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace riffle {

/// The stored data with which a text can be read at any position without inflating it from the start. It consists of a
/// table, which has its own hash, and a payload (inflate states or recompressed blocks). The table contains the hash of
/// each piece of the payload.
struct ResumeIndex {
    enum class Container : uint8_t { Plain, Gzip, Zstd };

    Container container = Container::Plain;
    uint64_t fileBytes = 0;
    uint64_t textBytes = 0;
    std::string_view table;
    std::string_view payload;
    std::shared_ptr<const void> owner; ///< keeps the two views alive

    static std::string write(Container container, uint64_t fileBytes, uint64_t textBytes, std::string_view table);
    static Result<ResumeIndex> read(std::string_view bytes, std::shared_ptr<const void> owner);
};

Error sourceChanged(const std::string &path);
Error outOfText(const std::string &path, uint64_t offset);
/// Returns the message, if there is one, as an Error at that position in the text.
std::optional<Error> errorAt(const std::optional<std::string> &message, const std::string &path, uint64_t offset);
Error overInflateLimit(const std::string &path, uint64_t limit);
Error damagedIndex(const std::string &path);

/// True if [offset, offset + length) is within `size` bytes.
inline bool within(uint64_t offset, uint64_t length, uint64_t size)
{
    return offset <= size && length <= size - offset;
}

} // namespace riffle
