// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/file_archives.h"

#include "model/ingest/gathering/archive_reader.h"
#include "tests/support/archives.h"

#include <cstdio>
#include <cstring>

namespace riffle::test {

std::string tarOf(const ArchiveContents &files)
{
    constexpr size_t kBlock = 512;
    std::string tar;
    for (const auto &[path, content] : files) {
        std::string header(kBlock, '\0');
        const auto put = [&](size_t at, const std::string &text) {
            std::memcpy(&header[at], text.data(), text.size());
        };
        char size[12];
        std::snprintf(size, sizeof size, "%011zo", content.size());
        put(0, path);
        put(100, "0000644");
        put(124, size);
        put(148, "        ");
        put(156, "0");
        put(257, std::string("ustar\0"
                             "00",
                             8));
        unsigned sum = 0;
        for (const char c : header)
            sum += static_cast<unsigned char>(c);
        char text[8];
        std::snprintf(text, sizeof text, "%06o", sum);
        put(148, std::string(text, 7));
        tar += header + content;
        tar.resize((tar.size() + kBlock - 1) / kBlock * kBlock, '\0');
    }
    return tar + std::string(2 * kBlock, '\0');
}

bool opensFileArchives()
{
    const TemporaryFolder folder;
    writeFile(folder.file("a.tar"), tarOf({{"a", "a"}}));
    return static_cast<bool>(ArchiveReader::open(folder.file("a.tar")));
}

} // namespace riffle::test
