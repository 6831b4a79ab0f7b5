// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace riffle::test {

/// The whole text of a file, inflated if it is gzip; nothing if it cannot be read. The caller owns the text.
std::optional<std::string> readText(const std::filesystem::path &path);

/// The text of all members of a gzip stream; nothing if the stream is damaged or cut off.
std::optional<std::string> inflateGzip(std::string_view compressed);

} // namespace riffle::test
