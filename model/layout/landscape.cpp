// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/layout/landscape.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <numeric>

namespace riffle {

namespace {

/// Damaged files can contain any size, so sums wrap instead of overflowing.
int64_t plus(int64_t a, int64_t b) { return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b)); }

BigVector<uint32_t> largestRows(const LandscapeColumns &columns, size_t most)
{
    assert(columns.begin.size() == columns.size.size() && columns.end.size() == columns.size.size());
    BigVector<uint32_t> rows;
    for (uint32_t row = 0; row < columns.size.size(); ++row)
        if (columns.end[row] > columns.begin[row] && columns.size[row] > 0)
            rows.push_back(row);
    if (rows.size() > most) {
        const auto larger = [&](uint32_t a, uint32_t b) {
            return columns.size[a] != columns.size[b] ? columns.size[a] > columns.size[b] : a < b;
        };
        std::nth_element(rows.begin(), rows.begin() + static_cast<ptrdiff_t>(most), rows.end(), larger);
        rows.resize(most);
        std::sort(rows.begin(), rows.end());
    }
    return rows;
}

} // namespace

Landscape::Landscape(const LandscapeColumns &columns, size_t most, const Task &task)
    : m_rows(largestRows(columns, most))
    , m_slots(columns.slotCount)
    , m_leaves(std::bit_ceil(std::max<uint32_t>(1, static_cast<uint32_t>(m_rows.size()))))
{
    struct Change {
        uint32_t slot, band;
        bool begins;
    };
    BigVector<Change> changes;
    changes.reserve(2 * m_rows.size());
    for (uint32_t band = 0; band < m_rows.size(); ++band) {
        const uint32_t row = m_rows[band];
        m_begins.push_back(columns.begin[row]);
        m_ends.push_back(columns.end[row]);
        m_sizes.push_back(columns.size[row]);
        changes.push_back({columns.begin[row], band, true});
        if (columns.end[row] < m_slots)
            changes.push_back({columns.end[row], band, false});
    }
    std::stable_sort(changes.begin(), changes.end(), [](const Change &a, const Change &b) { return a.slot < b.slot; });
    for (const Change &change : changes) {
        if (task.stopped())
            return;
        const uint32_t now = changed(m_roots.back(), change.band, change.begins ? m_sizes[change.band] : 0);
        if (m_changes.back() == change.slot) {
            m_roots.back() = now;
        } else {
            m_changes.push_back(change.slot);
            m_roots.push_back(now);
        }
    }
}

uint32_t Landscape::bandOf(uint32_t row) const
{
    const auto at = std::lower_bound(m_rows.begin(), m_rows.end(), row);
    return at != m_rows.end() && *at == row ? static_cast<uint32_t>(at - m_rows.begin()) : kNone;
}

uint32_t Landscape::root(uint32_t slot) const
{
    return m_roots[static_cast<size_t>(std::upper_bound(m_changes.begin(), m_changes.end(), slot) - m_changes.begin()) -
                   1];
}

/// Returns the stack `node` with a different size of one band: the nodes on the way to the band are new, all others are
/// shared.
uint32_t Landscape::changed(uint32_t node, uint32_t band, int64_t size)
{
    assert(node < m_nodes.size() && band < m_leaves);
    std::vector<uint32_t> way; // the nodes from the root to the leaf's parent
    for (uint32_t half = m_leaves / 2; half > 0; half /= 2) {
        way.push_back(node);
        node = band & half ? m_nodes[node].right : m_nodes[node].left;
    }
    uint32_t made = 0;
    if (size > 0) {
        made = static_cast<uint32_t>(m_nodes.size());
        m_nodes.push_back({size, 0, 0});
    }
    uint32_t half = 1;
    for (auto above = way.rbegin(); above != way.rend(); ++above, half *= 2) {
        Node next = m_nodes[*above];
        (band & half ? next.right : next.left) = made;
        next.sum = plus(m_nodes[next.left].sum, m_nodes[next.right].sum);
        made = 0;
        if (next.left || next.right) {
            made = static_cast<uint32_t>(m_nodes.size());
            m_nodes.push_back(next);
        }
    }
    return made;
}

std::optional<int64_t> Landscape::base(uint32_t band, uint32_t slot) const
{
    assert(band < bands());
    if (slot < m_begins[band] || slot >= m_ends[band])
        return std::nullopt;
    int64_t base = 0;
    uint32_t node = root(slot);
    for (uint32_t half = m_leaves / 2; half > 0; half /= 2) {
        if (band & half)
            base = plus(base, m_nodes[m_nodes[node].left].sum);
        node = band & half ? m_nodes[node].right : m_nodes[node].left;
    }
    return base;
}

uint32_t Landscape::bandAt(uint32_t slot, int64_t height) const
{
    uint32_t node = root(slot);
    if (height < 0 || height >= m_nodes[node].sum)
        return kNone;
    uint32_t band = 0;
    for (uint32_t half = m_leaves / 2; half > 0; half /= 2) {
        const int64_t left = m_nodes[m_nodes[node].left].sum;
        const bool right = height >= left;
        if (right) {
            height -= left;
            band |= half;
        }
        node = right ? m_nodes[node].right : m_nodes[node].left;
    }
    return band;
}

int64_t Landscape::sameBelow(uint32_t slot, uint32_t other) const
{
    int64_t height = 0;
    uint32_t a = root(slot), b = root(other);
    if (a == b)
        return m_nodes[a].sum;
    for (uint32_t half = m_leaves / 2; half > 0; half /= 2) {
        const bool right = m_nodes[a].left == m_nodes[b].left;
        if (right)
            height = plus(height, m_nodes[m_nodes[a].left].sum);
        a = right ? m_nodes[a].right : m_nodes[a].left;
        b = right ? m_nodes[b].right : m_nodes[b].left;
    }
    return height;
}

void Landscape::runs(uint32_t slot, double bottom, double bytesPerPixel, int32_t rows, std::vector<Run> &out,
                     int64_t from) const
{
    assert(bytesPerPixel > 0);
    out.clear();
    // Returns the first visible pixel whose centre is at or above a height.
    const double perByte = 1 / bytesPerPixel;
    const auto pixel = [&](int64_t height) {
        return static_cast<int32_t>(std::clamp(std::ceil((static_cast<double>(height) - bottom) * perByte - 0.5), 0.0,
                                               static_cast<double>(rows)));
    };
    struct Part {
        uint32_t node, band, half;
        int64_t base;
        int32_t low, high;
    };
    Part stack[2 * 33];
    size_t parts = 0;
    const uint32_t top = root(slot);
    stack[parts++] = {top, 0, m_leaves, 0, pixel(from), pixel(m_nodes[top].sum)};
    while (parts > 0) {
        assert(parts <= std::size(stack));
        const Part part = stack[--parts];
        if (part.low >= part.high) // covers no pixel centre, or is not visible
            continue;
        const Node &node = m_nodes[part.node];
        if (part.half == 1) {
            out.push_back({part.band, part.low, part.high});
            continue;
        }
        const uint32_t half = part.half / 2;
        const int64_t middle = plus(part.base, m_nodes[node.left].sum);
        const int32_t between = std::clamp(pixel(middle), part.low, part.high);
        stack[parts++] = {node.right, part.band | half, half, middle, between, part.high};
        stack[parts++] = {node.left, part.band, half, part.base, part.low, between};
    }
}

} // namespace riffle
