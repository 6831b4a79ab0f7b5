// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/layout/lane_viewport.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace riffle {

namespace {
constexpr int kBelow = 12;            ///< logical pixels: empty space below the last lane
constexpr int kSeenAround = 24;       ///< logical pixels around what is scrolled into view
constexpr double kDeviceShare = 0.55; ///< the most that the device's lanes take by themselves while others have no room

int lastScroll(const LaneWindow &window)
{
    const int below = window.part == LaneWindow::Part::Main ? kBelow : 0;
    return std::max(0, window.end - window.begin + below - (window.bottom - window.top));
}

} // namespace

LaneViewport::LaneViewport(const LaneLayout &layout) : m_layout(&layout) { update(); }

void LaneViewport::update()
{
    using Part = LaneWindow::Part;
    m_count = 0;
    const auto add = [this](Part part, const std::vector<LaneItem> &section, int begin, int end, int top, int bottom) {
        LaneWindow window{part, &section, begin, end, top, bottom, 0};
        if (part != Part::Pinned)
            window.scroll = scrollOf(part) = std::clamp(scrollOf(part), 0, lastScroll(window));
        m_windows[m_count++] = window;
    };
    const LaneLayout &layout = *m_layout;
    const int pinned = std::min(layout.pinnedHeight(), m_height / 2);
    if (pinned > 0)
        add(Part::Pinned, layout.pinned(), 0, layout.pinnedHeight(), 0, pinned);
    const int device = layout.deviceHeight(), room = m_height - pinned - kDivider;
    int top = pinned, begin = 0;
    if (device > 0 && room >= 2 * kLeast) {
        const int others = std::max(layout.height() - device + kBelow, kLeast);
        const int automatic = std::max(static_cast<int>(room * kDeviceShare), room - others);
        const int wanted = std::clamp(m_deviceWish > 0 ? m_deviceWish : automatic, kLeast, room - kLeast);
        const int shown = std::min(wanted, device);
        add(Part::Device, layout.items(), 0, device, pinned, pinned + shown);
        top = pinned + shown + kDivider;
        begin = device;
    }
    add(Part::Main, layout.items(), begin, layout.height(), top, std::max(top, m_height));
}

void LaneViewport::setHeight(int height)
{
    m_height = height;
    update();
}

void LaneViewport::setDeviceWish(int height)
{
    m_deviceWish = std::max(0, height);
    update();
}

const LaneWindow &LaneViewport::at(int y) const
{
    const auto distance = [y](const LaneWindow &window) {
        return std::max({window.top - y, y - window.bottom + 1, 0});
    };
    return *std::ranges::min_element(windows(), {}, distance);
}

const LaneItem *LaneViewport::itemAt(int y) const
{
    const LaneWindow &window = at(y);
    const LaneItem *item = window.contains(y) ? LaneLayout::at(*window.section, y - window.offset()) : nullptr;
    return item && item->y < window.end ? item : nullptr;
}

const LaneWindow &LaneViewport::of(const LaneItem &item) const
{
    const LaneWindow *found = nullptr;
    if (item.pinned)
        found = find(LaneWindow::Part::Pinned);
    else if (const LaneWindow *device = find(LaneWindow::Part::Device); device && item.y < device->end)
        found = device;
    return found ? *found : m_windows[m_count - 1];
}

int LaneViewport::divider() const
{
    const LaneWindow *device = find(LaneWindow::Part::Device);
    return device ? device->bottom : -1;
}

int LaneViewport::scroll(LaneWindow::Part part) const { return m_scroll[static_cast<size_t>(part)]; }

int LaneViewport::maximumScroll(LaneWindow::Part part) const
{
    const LaneWindow *window = find(part);
    return window && part != LaneWindow::Part::Pinned ? lastScroll(*window) : 0;
}

bool LaneViewport::setScroll(LaneWindow::Part part, int y)
{
    y = std::clamp(y, 0, maximumScroll(part));
    if (std::exchange(scrollOf(part), y) == y)
        return false;
    update();
    return true;
}

bool LaneViewport::show(const LaneItem &item, int top, int bottom)
{
    const LaneWindow window = of(item);
    if (window.part == LaneWindow::Part::Pinned)
        return false;
    const int room = window.bottom - window.top;
    const int margin = std::min(kSeenAround, std::max(0, (room - (bottom - top)) / 2));
    const int from = item.y + top - window.begin, to = item.y + bottom - window.begin;
    int scroll = window.scroll;
    if (to + margin > scroll + room)
        scroll = to + margin - room;
    if (from - margin < scroll)
        scroll = from - margin;
    return setScroll(window.part, scroll);
}

const LaneWindow *LaneViewport::find(LaneWindow::Part part) const
{
    const auto found = std::ranges::find(windows(), part, &LaneWindow::part);
    return found == windows().end() ? nullptr : &*found;
}

} // namespace riffle
