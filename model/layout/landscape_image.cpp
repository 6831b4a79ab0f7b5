// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/layout/landscape_image.h"

#include "model/base/parallel.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace riffle {

namespace {

constexpr size_t kLine = 16;      ///< pixels per cache line
constexpr size_t kTile = 32;      ///< columns that are transposed into rows together
constexpr int32_t kEdgedFrom = 4; ///< pixels
constexpr int32_t kStripe = 8;    ///< pixels; period of the stripes of allocations without a band

constexpr size_t kSquare = 4; ///< pixels

/// Transposes a square: from columns, bottom pixel first, to rows, top row first.
void turn(const uint32_t *from, size_t fromStride, uint32_t *to, size_t toStride)
{
#ifdef __SSE2__
    const auto column = [&](size_t at) {
        return _mm_loadu_si128(reinterpret_cast<const __m128i *>(from + at * fromStride));
    };
    const __m128i a = column(0), b = column(1), c = column(2), d = column(3);
    const __m128i lowAb = _mm_unpacklo_epi32(a, b), highAb = _mm_unpackhi_epi32(a, b), lowCd = _mm_unpacklo_epi32(c, d),
                  highCd = _mm_unpackhi_epi32(c, d);
    const auto row = [&](size_t at, __m128i pixels) {
        _mm_storeu_si128(reinterpret_cast<__m128i *>(to + at * toStride), pixels);
    };
    row(3, _mm_unpacklo_epi64(lowAb, lowCd));
    row(2, _mm_unpackhi_epi64(lowAb, lowCd));
    row(1, _mm_unpacklo_epi64(highAb, highCd));
    row(0, _mm_unpackhi_epi64(highAb, highCd));
#else
    for (size_t y = 0; y < kSquare; ++y)
        for (size_t at = 0; at < kSquare; ++at)
            to[y * toStride + at] = from[at * fromStride + kSquare - 1 - y];
#endif
}

uint32_t darker(uint32_t colour) { return 0xff000000u | (colour - ((colour >> 2) & 0x3f3f3fu)); }

class Tile {
public:
    Tile(const Landscape &landscape, const LandscapeLook &look)
        : m_landscape(landscape)
        , m_look(look)
        , m_stride((size(look.height) / kLine | 1) * kLine + 2 * kLine)
        , m_pixels(kTile * m_stride)
    {
        for (int32_t y = 0; y < look.height + kStripe; ++y)
            m_stripes.push_back(look.rest[y / (kStripe / 2) % 2]);
    }

    void paint(size_t first, size_t count, uint32_t *pixels, size_t stride)
    {
        assert(count <= kTile && first + count <= m_look.columns.size());
        for (size_t at = 0; at < count; ++at)
            fill(first + at, at, at > 0);
        // Transpose the columns into rows, square by square; the remaining pixels are copied one by one.
        const size_t height = size(m_look.height);
        const size_t squareRows = height / kSquare * kSquare, squareColumns = count / kSquare * kSquare;
        for (size_t y = 0; y < squareRows; y += kSquare)
            for (size_t at = 0; at < squareColumns; at += kSquare)
                turn(m_pixels.data() + at * m_stride + (height - kSquare - y), m_stride,
                     pixels + y * stride + first + at, stride);
        for (size_t y = 0; y < height; ++y)
            for (size_t at = y < squareRows ? squareColumns : 0; at < count; ++at)
                pixels[y * stride + first + at] = m_pixels[at * m_stride + (height - 1 - y)];
    }

private:
    static size_t size(int32_t length) { return static_cast<size_t>(std::max(0, length)); }

    void fill(size_t column, size_t place, bool hasLeft)
    {
        const LandscapeColumn &wanted = m_look.columns[column];
        const size_t height = size(m_look.height);
        uint32_t *out = m_pixels.data() + place * m_stride;
        const uint32_t stack = m_landscape.stack(wanted.slot);
        int32_t filled;
        if (hasLeft && stack == m_stack) {
            filled = m_filled;
            std::copy_n(out - m_stride, static_cast<size_t>(filled), out);
        } else {
            // Copy the part that is the same as in the previous column: most changes are near the top.
            const int64_t same = hasLeft ? m_landscape.sameBelow(m_slot, wanted.slot) : 0;
            m_landscape.runs(wanted.slot, m_look.bottom, m_look.bytesPerPixel, m_look.height, m_runs, same);
            const double below = std::ceil((static_cast<double>(same) - m_look.bottom) / m_look.bytesPerPixel - 0.5);
            filled = static_cast<int32_t>(std::clamp(below, 0.0, static_cast<double>(hasLeft ? m_filled : 0)));
            if (filled > 0)
                std::copy_n(out - m_stride, static_cast<size_t>(filled), out);
            for (const Landscape::Run &run : m_runs) {
                assert(run.band < m_look.colours.size() && run.high <= m_look.height);
                const uint32_t colour = m_look.colours[run.band];
                std::fill(out + run.low, out + run.high, colour);
                if (run.high - run.low >= kEdgedFrom)
                    out[run.high - 1] = darker(colour);
                filled = run.high;
            }
        }
        m_stack = stack;
        m_slot = wanted.slot;
        m_filled = filled;
        const double top = std::ceil((static_cast<double>(wanted.active) - m_look.bottom) / m_look.bytesPerPixel - 0.5);
        const auto end = static_cast<int32_t>(
            std::clamp(top, static_cast<double>(filled), static_cast<double>(std::max(filled, m_look.height))));
        std::copy_n(m_stripes.data() + column % kStripe + filled, end - filled, out + filled);
        std::fill(out + end, out + height, m_look.background);
    }

    const Landscape &m_landscape;
    const LandscapeLook &m_look;
    size_t m_stride; ///< pixels per column: an odd number of cache lines, so that columns do not evict each other
    std::vector<uint32_t> m_pixels;  ///< column by column, each from below
    std::vector<uint32_t> m_stripes; ///< pattern of allocations without a band, for the first of kStripe columns
    std::vector<Landscape::Run> m_runs;
    uint32_t m_stack = 0, m_slot = 0; ///< of the previous column
    int32_t m_filled = 0;
};

} // namespace

void paintLandscape(const Landscape &landscape, const LandscapeLook &look, uint32_t *pixels, size_t stride)
{
    assert(stride >= look.columns.size());
    if (look.height <= 0)
        return;
    const size_t tiles = (look.columns.size() + kTile - 1) / kTile;
    parallelRanges(tiles, 8, [&](size_t first, size_t last) {
        Tile tile(landscape, look);
        if (look.makeColumns)
            look.makeColumns(first * kTile, std::min(last * kTile, look.columns.size()));
        for (size_t at = first; at < last; ++at)
            tile.paint(at * kTile, std::min(kTile, look.columns.size() - at * kTile), pixels, stride);
    });
}

} // namespace riffle
