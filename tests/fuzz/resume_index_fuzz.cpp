// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/byte_source.h"
#include "model/ingest/resume_index.h"
#include "tests/fuzz/edits.h"
#include "tests/fuzz/effort.h"
#include "tests/support/archives.h"

#include <cstdlib>
#include <string>

using namespace riffle;

namespace {

constexpr size_t kTextBytes = 3 << 20;

/// An archive and the index of its text.
struct Indexed {
    std::string path, index;
};

Indexed indexed(const test::TemporaryFolder &folder, const std::string &name, std::string_view archive)
{
    const std::string path = folder.file(name);
    test::writeFile(path, archive);
    auto source = ByteSource::open(path);
    std::string buffer(1 << 16, '\0');
    while (true) {
        const auto count = (*source)->read(buffer);
        if (!count || *count == 0)
            break;
    }
    return {path, (*source)->text()->resumeIndex()};
}

} // namespace

/// Changes the index of an archive, corrects its hash, and reads the text through it: inflate states for gzip, blocks
/// of text for a large zstd frame.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const test::TemporaryFolder kFolder;
    static const std::string kText = test::traceLikeText(kTextBytes);
    static const Indexed kArchives[] = {
        indexed(kFolder, "gzip", test::gzipped(kText)), indexed(kFolder, "zstd", test::zstdCompressed(kText)),
        indexed(kFolder, "frames",
                test::zstdCompressed(kText.substr(0, 100'000)) + test::zstdCompressed(kText.substr(100'000)))};
    if (size == 0)
        return 0;
    const test::Effort effort(size, {.bytes = 256 << 20});
    (void)ResumeIndex::read({reinterpret_cast<const char *>(data), size}, {});
    const Indexed &archive = kArchives[data[0] % 3];
    const auto index = ResumeIndex::read(archive.index, {});
    if (!index)
        std::abort();
    // Only the table has a hash that the index itself contains. The pieces of the payload have theirs in the table.
    const bool ofTable = data[0] & 64;
    const std::span<const uint8_t> edits(data + 1, size - 1);
    const std::string table = test::edited(std::string(index->table), ofTable ? edits : edits.subspan(0, 0));
    const std::string payload = test::edited(std::string(index->payload), ofTable ? edits.subspan(0, 0) : edits);
    const uint64_t textBytes = index->textBytes + (data[0] & 128 ? uint64_t(size) << 40 : 0);
    const auto text = openSourceText(
        archive.path, ResumeIndex::write(index->container, index->fileBytes, textBytes, table) + payload);
    if (!text)
        return 0;
    for (const uint64_t offset : {uint64_t(0), uint64_t(kTextBytes) / 2, uint64_t(kTextBytes) - 100, textBytes - 50}) {
        const auto part = (*text)->read(offset, 100);
        if (part && part->size() != 100)
            std::abort();
    }
    return 0;
}
