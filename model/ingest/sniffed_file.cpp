// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/sniffed_file.h"

#include "model/base/mapped_file.h"
#include "model/ingest/archive_text.h"

#include <filesystem>
#include <system_error>
#include <utility>

namespace riffle {

SniffedFile::SniffedFile(std::string path) : m_path(std::move(path))
{
    std::error_code failed;
    m_isFolder = std::filesystem::is_directory(m_path, failed);
    if (m_isFolder)
        return;
    auto file = MappedFile::open(m_path);
    if (!file)
        return;
    m_file = std::move(*file);
    m_bytes = {reinterpret_cast<const char *>(m_file->data()), static_cast<size_t>(m_file->size())};
    m_isPacked = isArchive(m_bytes);
    if (m_isPacked)
        m_inflated = headOfArchive(m_path, kHead);
    m_head = m_isPacked ? std::string_view(m_inflated) : m_bytes.substr(0, kHead);
}

} // namespace riffle
