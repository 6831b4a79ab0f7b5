// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/memory/categories/memory_rules.h"
#include "tests/fuzz/effort.h"

#include <cstdlib>
#include <string_view>

using namespace riffle;

/// Parses the rules before a zero byte, and matches their patterns with the text after it.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const test::Effort effort(size, {.bytes = 4 << 20, .bytesPerByte = 1000, .seconds = 1, .secondsPerMegabyte = 1000});
    const std::string_view text(reinterpret_cast<const char *>(data), size);
    const size_t zero = std::min(text.find('\0'), text.size());
    const auto rules = MemoryRules::parse(text.substr(0, zero), "fuzz");
    if (!rules) {
        if (rules.error().message.empty() || (rules.error().offset && *rules.error().offset > size))
            std::abort();
        return 0;
    }
    if (rules->sets.size() > MemoryRules::kMostSets)
        std::abort();
    const std::string_view name = text.substr(std::min(zero + 1, size));
    for (const FrameSet &set : rules->sets)
        for (const FramePattern &pattern : set.patterns)
            for (const std::string_view frame : {name, std::string_view("step"), std::string_view("")})
                pattern.matches(frame, name);
    return 0;
}
