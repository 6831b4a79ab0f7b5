// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/big_vector.h"
#include "model/base/task.h"

#include <cassert>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace riffle {

/// Allocations in terms of slots: slot 0 is before the history, slot n + 1 after its event n. Ordered by `begin`; sizes
/// are not negative.
struct LandscapeColumns {
    BigVector<uint32_t> begin; ///< first slot in which it is alive
    BigVector<uint32_t> end;   ///< first slot in which it is no longer alive; equal to `begin` if it never is
    BigVector<int64_t> size;
    uint32_t slotCount = 1;
};

/// The active memory of a device as a stack of allocations: each rests on the older ones that are alive. The largest
/// allocations have separate bands; the sum of the others is on top. The stacks of all slots share parts, so finding
/// the height of a band in a slot, or the band at a height, takes logarithmic time in the number of bands, no matter
/// how often bands move.
class Landscape {
public:
    static constexpr uint32_t kNone = UINT32_MAX;

    Landscape() = default;
    /// Gives the `most` largest allocations separate bands; of equally large ones, the older ones. Takes 40 bytes per
    /// band and level of the tree.
    Landscape(const LandscapeColumns &columns, size_t most, const Task &task = {});

    uint32_t bands() const { return static_cast<uint32_t>(m_rows.size()); }
    /// Returns the row of a band in the columns; bands are in the order of their rows.
    uint32_t row(uint32_t band) const
    {
        assert(band < bands());
        return m_rows[band];
    }
    /// Returns the band of a row; kNone if the row has no separate band.
    uint32_t bandOf(uint32_t row) const;
    uint32_t slotCount() const { return m_slots; }
    uint32_t begin(uint32_t band) const { return m_begins[band]; }
    uint32_t end(uint32_t band) const { return m_ends[band]; }
    int64_t size(uint32_t band) const { return m_sizes[band]; }

    /// Returns the bytes of all bands in a slot, which is the height at which the other allocations start.
    int64_t top(uint32_t slot) const { return m_nodes[root(slot)].sum; }
    /// Returns the bytes below a band in a slot; nullopt if it is not alive there.
    std::optional<int64_t> base(uint32_t band, uint32_t slot) const;
    /// Returns the band at a height in a slot; kNone above all bands.
    uint32_t bandAt(uint32_t slot, int64_t height) const;
    /// Returns the number of a slot's stack; slots with the same number have the same stack.
    uint32_t stack(uint32_t slot) const { return root(slot); }

    /// A stretch of pixels that a band fills.
    struct Run {
        uint32_t band;
        int32_t low, high; ///< pixel rows [low, high), from below
    };
    /// Writes the bands of a slot as runs of pixels, from below: a pixel belongs to the band at its centre. `bottom` is
    /// the height in bytes at the lower edge of pixel 0. Only pixels in [0, rows) and bands that start at or above
    /// `from` bytes are included.
    void runs(uint32_t slot, double bottom, double bytesPerPixel, int32_t rows, std::vector<Run> &out,
              int64_t from = 0) const;
    /// Returns the height up to which the stacks of two slots are the same.
    int64_t sameBelow(uint32_t slot, uint32_t other) const;

private:
    struct Node {
        int64_t sum = 0;
        uint32_t left = 0, right = 0;
    };
    uint32_t root(uint32_t slot) const;
    uint32_t changed(uint32_t node, uint32_t band, int64_t size);

    BigVector<uint32_t> m_rows, m_begins, m_ends;
    BigVector<int64_t> m_sizes;
    uint32_t m_slots = 1;
    uint32_t m_leaves = 1;            ///< a power of two
    BigVector<Node> m_nodes{Node{}};  ///< node 0: nothing alive
    BigVector<uint32_t> m_changes{0}; ///< slots at which a new stack starts, ascending
    BigVector<uint32_t> m_roots{0};   ///< one per change
};

} // namespace riffle
