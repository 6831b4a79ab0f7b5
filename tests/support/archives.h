// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace riffle::test {

/// Text that looks like a trace and compresses like one; the same for the same arguments.
std::string traceLikeText(size_t bytes, uint32_t seed = 1);
std::string gzipped(std::string_view text);
/// The text as a zstd frame. If `sized` is false, its header lacks the length of the text, as from a pipe.
std::string zstdCompressed(std::string_view text, bool sized = true);
std::string skippableFrame(std::string_view content);

/// A folder inside the system's temporary folder, removed with its contents.
class TemporaryFolder {
public:
    TemporaryFolder();
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder &) = delete;
    TemporaryFolder &operator=(const TemporaryFolder &) = delete;
    const std::string &path() const { return m_path; }
    std::string file(const std::string &name) const { return m_path + '/' + name; }

private:
    std::string m_path;
};

void writeFile(const std::string &path, std::string_view bytes);
std::string readFile(const std::string &path);

} // namespace riffle::test
