// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace riffle {

/// Segments of memory laid out as text is: on lines of one width, from left to right, a byte as wide everywhere; what a
/// line has no room for goes on at the begin of the next one. Each group begins on a new line, below a line for its
/// heading.
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
        uint64_t offset = 0, bytes = 0; ///< of the item
        double left = 0, width = 0;     ///< pixels
    };
    struct Heading {
        uint32_t group = 0;
        uint32_t line = 0;
    };
    static constexpr double kGap = 3;       ///< between items, pixels
    static constexpr double kNarrowest = 2; ///< of a strip
    static constexpr uint32_t kMostLines = 20'000;

    SegmentFlow() = default;
    /// No more than kMostLines lines are made: bytes become narrower where they would be more.
    SegmentFlow(std::span<const Item> items, double width, double bytesPerPixel);
    /// The least bytes a pixel with which all fits on so many lines; where that cannot be, a value with which it needs
    /// the fewest.
    static double fitting(std::span<const Item> items, double width, uint32_t lines);

    uint32_t lines() const { return m_lines; }
    double bytesPerPixel() const { return m_bytesPerPixel; }
    const std::vector<Strip> &strips() const { return m_strips; } ///< by line and left
    const std::vector<Heading> &headings() const { return m_headings; }
    std::span<const Strip> stripsOf(uint32_t line) const;
    /// The strip that an item's byte is in; null where there is no such item.
    const Strip *stripOf(uint32_t item, uint64_t offset) const;
    /// The strip at a place, and the byte of its item; null between strips.
    const Strip *at(uint32_t line, double x, uint64_t &offset) const;

private:
    std::vector<Strip> m_strips;
    std::vector<Heading> m_headings;
    std::vector<uint32_t> m_firstStrip; ///< by item
    uint32_t m_lines = 0;
    double m_bytesPerPixel = 1;
};

} // namespace riffle
