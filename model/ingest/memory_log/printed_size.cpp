// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/memory_log/printed_size.h"

#include "model/base/ascii.h"
#include "model/base/decimal.h"

#include <algorithm>

namespace riffle {

PrintedTrouble parsePrinted(std::string_view text, PrintedSize &size)
{
    constexpr std::string_view kUnit = " MB";
    constexpr PrintedSize kMost = PrintedSize(100) << 40; // 2^60 bytes, more than any machine has
    if (!text.ends_with(kUnit))
        return PrintedTrouble::NoSize;
    text.remove_suffix(kUnit.size());
    // Nearly all sizes are digits, a point and two digits.
    PrintedSize value = 0;
    size_t digits = 0;
    for (const char c : text)
        if (c >= '0' && c <= '9' && digits < 15) {
            value = value * 10 + (c - '0');
            ++digits;
        }
    if (digits + 1 != text.size() || digits < 3 || text[text.size() - 3] != '.') {
        bool exact = false;
        const auto read = decimalToInteger(trimmed(text), 2, &exact);
        if (!read || !exact)
            return PrintedTrouble::NoSize;
        value = *read;
    }
    if (value < 0 || value > kMost)
        return PrintedTrouble::Impossible;
    size = value;
    return PrintedTrouble::None;
}

std::optional<int64_t> secondsToNs(std::string_view text)
{
    constexpr int64_t kMost = INT64_MAX / 4; // so that differences fit
    const auto ns = decimalToInteger(text, 9);
    return ns && *ns <= kMost && *ns >= -kMost ? ns : std::nullopt;
}

void noteTrouble(std::vector<FileTrouble> &troubles, std::string_view what, uint64_t offset, uint64_t line)
{
    const auto found = std::find_if(troubles.begin(), troubles.end(),
                                    [&](const FileTrouble &trouble) { return trouble.what == what; });
    if (found != troubles.end())
        ++found->count;
    else
        troubles.push_back({std::string(what), 1, offset, line});
}

} // namespace riffle
