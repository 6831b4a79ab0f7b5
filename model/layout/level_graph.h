// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/big_vector.h"
#include "model/base/task.h"

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace riffle {

/// Curves of several memory levels of a device, with one value per slot. Keeps the lowest and highest levels of every
/// block of slots, and reads single slots only at the edges of a pixel. So 16 million slots take 27 MB, and the cost of
/// a picture depends on its pixels.
class LevelGraph {
public:
    static constexpr size_t kLevels = 3; ///< allocated, active, reserved
    using Levels = std::array<int64_t, kLevels>;
    /// Writes the levels of slots first, first + 1, …; `before` holds the levels in the slot before `first` (zeros for
    /// slot 0).
    using Reader = std::function<void(uint32_t first, const Levels &before, std::span<Levels> out)>;

    struct Extent {
        Levels low{}, high{};
        uint32_t highest = 0; ///< the first slot in which the second level (active) is highest
    };

    LevelGraph() = default;
    LevelGraph(uint32_t slotCount, Reader reader, const Task &task = {});

    uint32_t slotCount() const { return m_slots; }
    /// Returns the extent over slots [first, last), which must not be empty.
    Extent over(uint32_t first, uint32_t last) const;
    Levels at(uint32_t slot) const;
    const Extent &whole() const { return m_whole; }

private:
    static constexpr uint32_t kBlock = 64;
    static constexpr uint32_t kGroup = 64; ///< blocks
    void addPart(uint32_t first, uint32_t last, Extent &extent) const;

    uint32_t m_slots = 0;
    Reader m_reader;
    BigVector<Levels> m_before; ///< per block, the levels of the slot before it
    BigVector<Extent> m_blocks;
    std::vector<Extent> m_groups;
    Extent m_whole;
};

} // namespace riffle
