// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/archive_fuzz.h"

#include <algorithm>
#include <array>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    // The magic number is always set, so that the fuzzer need not find it.
    static constexpr std::array<uint8_t, 3> kMagic = {0x1F, 0x8B, 8};
    std::vector<uint8_t> bytes(data, data + size);
    bytes.resize(std::max(bytes.size(), kMagic.size()));
    std::copy(kMagic.begin(), kMagic.end(), bytes.begin());
    riffle::test::fuzzArchive(bytes.data(), bytes.size());
    return 0;
}
