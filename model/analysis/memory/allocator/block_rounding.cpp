// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/memory/allocator/block_rounding.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace riffle {

namespace {

std::optional<uint64_t> settingNumber(std::string_view text)
{
    uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

constexpr uint64_t kAscendPadding = 32;

/// The number of blocks in use whose recorded size is the rounded size with this padding.
uint64_t fitting(const MemorySnapshot &snapshot, BlockRounding rounding, uint64_t padding)
{
    rounding.padding = padding;
    uint64_t count = 0;
    for (const MemorySegment &segment : snapshot.segments)
        for (const MemoryBlock &block : segment.host ? std::span<const MemoryBlock>() : snapshot.blocksOf(segment))
            count += block.state != BlockState::Inactive && block.requested >= 0 && block.size >= 0 &&
                     rounding.rounded(static_cast<uint64_t>(block.requested)) == static_cast<uint64_t>(block.size);
    return count;
}

} // namespace

BlockRounding BlockRounding::of(const MemorySnapshot &snapshot)
{
    BlockRounding rounding;
    // Without a limit, the file says -1 or the largest number.
    if (const auto most = settingNumber(snapshot.setting("max_split_size")); most && *most > 0)
        rounding.maxSplit = *most;
    const std::string all = snapshot.setting("roundup_power2_divisions"); // "1: 0, 2: 4, …", the keys in MiB
    for (std::string_view rest = all; !rest.empty();) {
        const std::string_view one = rest.substr(0, rest.find(", "));
        rest.remove_prefix(std::min(rest.size(), one.size() + 2));
        const size_t colon = one.find(": ");
        if (colon == std::string_view::npos)
            continue;
        const auto key = settingNumber(one.substr(0, colon)), value = settingNumber(one.substr(colon + 2));
        if (key && value && std::has_single_bit(*key) && *key < uint64_t(1) << rounding.divisions.size())
            rounding.divisions[static_cast<size_t>(std::countr_zero(*key))] = *value;
    }
    if (fitting(snapshot, rounding, kAscendPadding) > fitting(snapshot, rounding, 0))
        rounding.padding = kAscendPadding;
    return rounding;
}

uint64_t BlockRounding::rounded(uint64_t requested) const
{
    constexpr int kFirst = 20; // the first entry is for sizes below 2 MiB
    requested += std::min(padding, UINT64_MAX - requested);
    if (requested <= kBlock)
        return kBlock;
    const int log = std::bit_width(requested) - 1;
    const uint64_t parts =
        divisions[static_cast<size_t>(std::clamp(log - kFirst, 0, static_cast<int>(divisions.size()) - 1))];
    uint64_t step = kBlock;
    if (parts > 1 && parts <= requested / kBlock && requested > kBlock * parts) {
        if (std::has_single_bit(requested))
            return requested;
        step = std::bit_floor(requested) >> (std::bit_width(parts) - 1);
        if (step == 0)
            step = std::bit_floor(requested) << 1;
    }
    const uint64_t up = requested + step - 1;
    return up < requested ? requested : up / step * step;
}

} // namespace riffle
