// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/recently_used.h"
#include "model/base/result.h"

#include <cassert>
#include <cstdint>
#include <memory>
#include <string>

namespace riffle {

/// A stretch of inflated text.
struct TextWindow {
    uint64_t begin = 0;
    std::string text;
    bool contains(uint64_t offset) const { return offset >= begin && offset - begin < text.size(); }
};

/// The most recently inflated windows.
using RecentWindows = RecentlyUsed<const TextWindow>;

/// Assembles `length` bytes at `offset` from the windows that `windowAt(offset)` returns.
template <typename WindowAt>
Result<std::string> readThroughWindows(uint64_t offset, uint32_t length, WindowAt windowAt)
{
    std::string text;
    text.reserve(length);
    while (text.size() < length) {
        const uint64_t at = offset + text.size();
        Result<std::shared_ptr<const TextWindow>> window = windowAt(at);
        if (!window)
            return window.error();
        assert(*window && (*window)->contains(at));
        const auto from = static_cast<size_t>(at - (*window)->begin);
        text.append((*window)->text, from, length - text.size());
    }
    return text;
}

} // namespace riffle
