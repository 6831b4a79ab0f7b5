// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace riffle {

class MappedFile;

/// The parts of a file by which importers recognise it: its path and its first bytes. The file is opened, and an
/// archive inflated, once for all importers.
class SniffedFile {
public:
    static constexpr size_t kHead = 4096;

    explicit SniffedFile(std::string path);

    const std::string &path() const { return m_path; }
    bool isFolder() const { return m_isFolder; }
    /// True if the file could be opened; false for folders.
    bool isThere() const { return m_file != nullptr; }
    /// True if the file is a gzip or zstd archive.
    bool isPacked() const { return m_isPacked; }
    /// The first kHead bytes of the text: of a file, or of what an archive inflates to. Empty for folders, for files
    /// that cannot be read and for archives that cannot be inflated.
    std::string_view head() const { return m_head; }
    /// The bytes of the file as it is, for formats whose marks can be anywhere in it, such as pages.
    std::string_view bytes() const { return m_bytes; }

private:
    std::string m_path;
    std::shared_ptr<const MappedFile> m_file;
    std::string_view m_bytes;
    std::string m_inflated; ///< the head of an archive's text
    std::string_view m_head;
    bool m_isFolder = false, m_isPacked = false;
};

} // namespace riffle
