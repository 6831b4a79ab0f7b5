// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/cuda_snapshot/cuda_snapshot.h"
#include "model/ingest/cuda_snapshot/html_pickle.h"
#include "model/ingest/cuda_snapshot/no_snapshot.h"
#include "tests/fuzz/effort.h"
#include "tests/fuzz/fuzz_file.h"

#include <cstdlib>
#include <string>
#include <string_view>

using namespace riffle;

namespace {

/// The bytes of a page's pickle, read this many at a time.
std::string decoded(const std::shared_ptr<const MappedFile> &file, uint64_t begin, Base64Source::Ends ends,
                    size_t atOnce)
{
    Base64Source source(file, begin, ends);
    std::string bytes, buffer(atOnce, '\0');
    while (true) {
        const auto count = source.read(buffer);
        if (!count || *count == 0)
            return bytes;
        bytes.append(buffer, 0, *count);
    }
}

} // namespace

/// Reads pages of memory_viz: where their pickles are, the base64 in them, and the snapshot itself.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const test::Effort effort(size, {.bytes = uint64_t(1) << 30, .bytesPerByte = 1000});
    const std::string_view page(reinterpret_cast<const char *>(data), size);
    whyNoSnapshot(page);
    const auto begin = findPickleInHtml(page);
    const test::FuzzFile input(data, size);
    const auto file = MappedFile::open(input.path());
    if (begin && *begin > size)
        std::abort();
    if (begin && file) {
        for (const std::string &name : otherPicklesInHtml(page, *begin))
            if (name.size() > 300)
                std::abort();
        for (const auto ends : {Base64Source::Ends::Anywhere, Base64Source::Ends::AtQuote})
            if (decoded(*file, *begin, ends, 1) != decoded(*file, *begin, ends, 4096))
                std::abort();
    }
    (void)readMemorySnapshot(input.path(), {}, {});
    return 0;
}
