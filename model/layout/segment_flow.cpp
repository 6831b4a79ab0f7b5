// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/layout/segment_flow.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace riffle {

namespace {

/// Passes each strip and each heading to its visitor, and returns the number of lines. Stops when there are more than
/// `most` lines.
template <typename OnStrip, typename OnHeading>
uint32_t flow(std::span<const SegmentFlow::Item> items, double width, double bytesPerPixel, uint32_t most,
              OnStrip onStrip, OnHeading onHeading)
{
    uint32_t line = 0;
    double left = 0;
    bool isFirst = true;
    uint32_t group = 0;
    for (uint32_t at = 0; at < items.size(); ++at) {
        if (isFirst || items[at].group != group) {
            line += isFirst ? 0 : 1;
            group = items[at].group;
            onHeading(SegmentFlow::Heading{group, line});
            ++line;
            left = 0;
            isFirst = false;
        }
        uint64_t offset = 0;
        do {
            if (width - left < SegmentFlow::kNarrowest && left > 0) {
                ++line;
                left = 0;
            }
            if (line >= most)
                return line + 1;
            const uint64_t rest = items[at].size - offset;
            const double wanted = static_cast<double>(rest) / bytesPerPixel,
                         room = std::max(width - left, SegmentFlow::kNarrowest);
            const double fit = room * bytesPerPixel;
            const bool all = wanted <= room || fit >= static_cast<double>(rest);
            const uint64_t bytes = all ? rest : std::clamp<uint64_t>(static_cast<uint64_t>(fit), 1, rest);
            const double used = all ? std::max(wanted, SegmentFlow::kNarrowest) : room;
            onStrip(SegmentFlow::Strip{at, line, offset, bytes, left, used});
            offset += bytes;
            left += used;
        } while (offset < items[at].size);
        left += SegmentFlow::kGap;
    }
    return isFirst ? 0 : line + 1;
}

uint32_t linesOf(std::span<const SegmentFlow::Item> items, double width, double bytesPerPixel, uint32_t most)
{
    return flow(
        items, width, bytesPerPixel, most, [](const SegmentFlow::Strip &) {}, [](const SegmentFlow::Heading &) {});
}

} // namespace

SegmentFlow::SegmentFlow(std::span<const Item> items, double width, double bytesPerPixel)
    : m_bytesPerPixel(std::max(bytesPerPixel, 1e-3))
{
    width = std::max(width, 2 * kNarrowest);
    if (linesOf(items, width, m_bytesPerPixel, kMostLines) > kMostLines)
        m_bytesPerPixel = fitting(items, width, kMostLines);
    m_firstStrip.assign(items.size(), UINT32_MAX);
    m_lines = flow(
        items, width, m_bytesPerPixel, kMostLines,
        [this](const Strip &strip) {
            if (m_firstStrip[strip.item] == UINT32_MAX)
                m_firstStrip[strip.item] = static_cast<uint32_t>(m_strips.size());
            m_strips.push_back(strip);
        },
        [this](const Heading &heading) { m_headings.push_back(heading); });
}

double SegmentFlow::fitting(std::span<const Item> items, double width, uint32_t lines)
{
    width = std::max(width, 2 * kNarrowest);
    double most = 1;
    for (const Item &item : items)
        most += static_cast<double>(item.size);
    double low = 0, high = std::log2(most);
    for (int round = 0; round < 40; ++round) {
        const double middle = (low + high) / 2;
        (linesOf(items, width, std::exp2(middle), lines) <= lines ? high : low) = middle;
    }
    return std::exp2(high);
}

std::span<const SegmentFlow::Strip> SegmentFlow::stripsOf(uint32_t line) const
{
    const auto first =
        std::partition_point(m_strips.begin(), m_strips.end(), [&](const Strip &strip) { return strip.line < line; });
    const auto last =
        std::partition_point(first, m_strips.end(), [&](const Strip &strip) { return strip.line <= line; });
    return std::span(m_strips).subspan(static_cast<size_t>(first - m_strips.begin()),
                                       static_cast<size_t>(last - first));
}

const SegmentFlow::Strip *SegmentFlow::stripOf(uint32_t item, uint64_t offset) const
{
    if (item >= m_firstStrip.size() || m_firstStrip[item] == UINT32_MAX)
        return nullptr;
    const auto first = m_strips.begin() + m_firstStrip[item];
    const auto beyond = std::partition_point(
        first, m_strips.end(), [&](const Strip &strip) { return strip.item == item && strip.offset <= offset; });
    return beyond == first ? nullptr : &*std::prev(beyond);
}

const SegmentFlow::Strip *SegmentFlow::at(uint32_t line, double x, uint64_t &offset) const
{
    for (const Strip &strip : stripsOf(line)) {
        if (x < strip.left || x >= strip.left + strip.width)
            continue;
        const double share = (x - strip.left) / strip.width;
        offset = strip.offset + std::min(strip.bytes - (strip.bytes > 0),
                                         static_cast<uint64_t>(share * static_cast<double>(strip.bytes)));
        return &strip;
    }
    return nullptr;
}

} // namespace riffle
