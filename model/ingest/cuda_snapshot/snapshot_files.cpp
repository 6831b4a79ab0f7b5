// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/cuda_snapshot/snapshot_files.h"

#include "model/ingest/cuda_snapshot/cuda_snapshot.h"

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>

namespace riffle {

namespace {

constexpr size_t kArchiveHead = 512; ///< bytes of the archive's text to look at

bool namedPickle(std::string name)
{
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    for (const std::string_view packed : {".gz", ".zst"})
        if (name.ends_with(packed))
            name.resize(name.size() - packed.size());
    return name.ends_with(".pickle") || name.ends_with(".pkl");
}

} // namespace

bool isSnapshotFile(const SniffedFile &file)
{
    if (file.isFolder() || !file.isThere())
        return false;
    const std::string_view bytes = file.bytes();
    const bool json = bytes.starts_with('{') || bytes.starts_with('[');
    if (namedPickle(file.path()) && !json)
        return true;
    // In a page, the pickle can be anywhere.
    return looksLikeSnapshot(file.isPacked() ? file.head().substr(0, kArchiveHead) : bytes);
}

} // namespace riffle
