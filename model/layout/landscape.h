// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/task.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace riffle {

/// Allocations by slots: slot 0 is before the history, slot n + 1 after its event n. Ordered by begin; sizes are not
/// negative.
struct LandscapeColumns {
    std::vector<uint32_t> begin; ///< first slot in which it is alive
    std::vector<uint32_t> end;   ///< first slot in which it is not any more; as begin: never alive
    std::vector<int64_t> size;
    uint32_t slotCount = 1;
};

/// The active memory of a device stacked up, allocation on allocation: each lies on those alive that are older. The
/// largest are bands of their own; what the others add up to lies on top of all. Stacks of all slots share their parts,
/// so that where a band lies in a slot and what lies at a height are found in a logarithm of the number of bands,
/// however often bands slide.
class Landscape {
public:
    static constexpr uint32_t kNone = UINT32_MAX;

    Landscape() = default;
    /// Makes the `most` largest bands of their own, of equally large ones the older. Takes 40 bytes a band and level of
    /// the tree.
    Landscape(const LandscapeColumns &columns, size_t most, const Task &task = {});

    uint32_t bands() const { return static_cast<uint32_t>(m_rows.size()); }
    /// The row that a band is of; bands have the order of rows.
    uint32_t row(uint32_t band) const { return m_rows[band]; }
    /// kNone: the row is no band of its own.
    uint32_t bandOf(uint32_t row) const;
    uint32_t slotCount() const { return m_slots; }
    uint32_t begin(uint32_t band) const { return m_begins[band]; }
    uint32_t end(uint32_t band) const { return m_ends[band]; }
    int64_t size(uint32_t band) const { return m_sizes[band]; }

    /// Bytes of all bands in a slot: where the others begin.
    int64_t top(uint32_t slot) const { return m_nodes[root(slot)].sum; }
    /// Bytes under a band in a slot in which it is alive.
    std::optional<int64_t> base(uint32_t band, uint32_t slot) const;
    /// The band at a height in a slot; kNone on top of all bands.
    uint32_t bandAt(uint32_t slot, int64_t height) const;
    /// Stacks of two slots with the same number are the same.
    uint32_t stack(uint32_t slot) const { return root(slot); }

    /// A stretch of pixels that a band fills.
    struct Run {
        uint32_t band;
        int32_t low, high; ///< rows of pixels from below, high not within
    };
    /// The bands of a slot as runs of pixels, from below: a pixel has the band at its centre. `bottom`: the height in
    /// bytes at the lower edge of pixel 0; only pixels within [0, rows) are filled, and only those of bands that begin
    /// at or above `from` bytes.
    void runs(uint32_t slot, double bottom, double bytesPerPixel, int32_t rows, std::vector<Run> &out,
              int64_t from = 0) const;
    /// Up to which height the stacks of two slots are the same.
    int64_t sameBelow(uint32_t slot, uint32_t other) const;

private:
    struct Node {
        int64_t sum = 0;
        uint32_t left = 0, right = 0;
    };
    uint32_t root(uint32_t slot) const;
    uint32_t changed(uint32_t node, uint32_t band, int64_t size);

    std::vector<uint32_t> m_rows, m_begins, m_ends;
    std::vector<int64_t> m_sizes;
    uint32_t m_slots = 1;
    uint32_t m_leaves = 1;              ///< a power of two
    std::vector<Node> m_nodes{Node{}};  ///< node 0: nothing alive
    std::vector<uint32_t> m_changes{0}; ///< slots from which another stack holds, ascending
    std::vector<uint32_t> m_roots{0};   ///< one a change
};

} // namespace riffle
