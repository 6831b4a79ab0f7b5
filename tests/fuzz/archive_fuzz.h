// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/ingest/byte_source.h"
#include "tests/fuzz/fuzz_file.h"

#include <cstdlib>
#include <string>

namespace riffle::test {

/// Reads an archive to its end and checks that its text can be read again, through the open source and through the
/// index.
inline void fuzzArchive(const uint8_t *data, size_t size)
{
    const FuzzFile file(data, size);
    auto source = ByteSource::open(file.path(), {16 << 20, {}});
    if (!source || (*source)->mapped())
        return;
    std::string text;
    std::string buffer(size % 7 == 0 ? 3'000'000 : 10'000 + size % 9999, '\0');
    while (true) {
        const Result<size_t> count = (*source)->read(buffer);
        if (!count || *count == 0)
            break;
        text.append(buffer, 0, *count);
    }
    const auto here = (*source)->text();
    source->reset();
    const std::string index = here->resumeIndex();
    const auto again = openSourceText(file.path(), index);
    if (!again)
        std::abort();
    for (const size_t offset : {size_t{0}, text.size() / 3, text.size() - text.size() / 50}) {
        const auto length = static_cast<uint32_t>(std::min<size_t>(text.size() - offset, 5000));
        const auto first = here->read(offset, length);
        const auto second = (*again)->read(offset, length);
        if (!first || !second || *first != text.substr(offset, length) || *second != *first)
            std::abort();
    }
}

} // namespace riffle::test
