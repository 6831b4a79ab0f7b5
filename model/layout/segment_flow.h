// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace riffle {

/// Segments of memory laid out like text: on lines of equal width, from left to right, with the same width per byte. A
/// segment that does not fit on a line continues at the start of the next one. Each group starts on a new line, below a
/// line for its heading.
class SegmentFlow {
public:
    struct Item {
        uint64_t size = 0;
        uint32_t group = 0; ///< ascending
    };
    /// A part of an item on one line.
    struct Strip {
        uint32_t item = 0;
        uint32_t line = 0;
        uint64_t offset = 0, bytes = 0; ///< within the item
        double left = 0, width = 0;     ///< pixels
    };
    struct Heading {
        uint32_t group = 0;
        uint32_t line = 0;
    };
    static constexpr double kGap = 3;       ///< between items, pixels
    static constexpr double kNarrowest = 2; ///< width of a strip, pixels
    static constexpr uint32_t kMostLines = 20'000;

    SegmentFlow() = default;
    /// Produces at most kMostLines lines: if there were more, the number of bytes per pixel is increased.
    SegmentFlow(std::span<const Item> items, double width, double bytesPerPixel);
    /// Returns the smallest number of bytes per pixel with which everything fits on `lines` lines; if that is
    /// impossible, one that needs as few lines as possible.
    static double fitting(std::span<const Item> items, double width, uint32_t lines);

    uint32_t lines() const { return m_lines; }
    double bytesPerPixel() const { return m_bytesPerPixel; }
    const std::vector<Strip> &strips() const { return m_strips; } ///< ordered by line and left
    const std::vector<Heading> &headings() const { return m_headings; }
    std::span<const Strip> stripsOf(uint32_t line) const;
    /// Returns the strip that contains a byte of an item; null if there is no such item.
    const Strip *stripOf(uint32_t item, uint64_t offset) const;
    /// Returns the strip at a place and sets `offset` to the byte of its item; null between strips.
    const Strip *at(uint32_t line, double x, uint64_t &offset) const;

private:
    std::vector<Strip> m_strips;
    std::vector<Heading> m_headings;
    std::vector<uint32_t> m_firstStrip; ///< per item
    uint32_t m_lines = 0;
    double m_bytesPerPixel = 1;
};

} // namespace riffle
