// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/ids.h"

#include <algorithm>
#include <cstdint>

namespace riffle {

/// The ids of a growing trace. Lanes reserve them in blocks, so that neighbouring slices have neighbouring ids.
class SliceIds {
public:
    /// The ids that are reserved for slices of one kind of one lane.
    struct Block {
        uint32_t next = 0, end = 0, size = 1u << 9;
    };

    /// Returns the next id of the block, and reserves another block if it is used up. Returns an id that is not valid
    /// if there are no ids left.
    SliceId take(Block &block)
    {
        if (block.next == block.end) {
            if (SliceId::kNone - m_next <= kLargestBlock)
                return {};
            block.size = std::min(2 * block.size, kLargestBlock);
            block.next = m_next;
            block.end = m_next += block.size;
        }
        return SliceId(block.next++);
    }

private:
    static constexpr uint32_t kLargestBlock = 1u << 20;
    uint32_t m_next = 0;
};

} // namespace riffle
