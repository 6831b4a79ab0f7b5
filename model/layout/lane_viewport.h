// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/layout/lane_layout.h"

#include <array>
#include <span>

namespace riffle {

/// A part of the view whose lanes scroll together: pixel rows of the view, and where in its section they are.
struct LaneWindow {
    enum class Part : uint8_t { Pinned, Device, Main };
    Part part = Part::Main;
    const std::vector<LaneItem> *section = nullptr;
    int begin = 0, end = 0;                             ///< its lanes, as heights of the section
    int top = 0, bottom = 0;                            ///< its place in the view
    int scroll = 0;                                     ///< from `begin` to what is seen first
    int offset() const { return top - begin - scroll; } ///< from a height of the section to one of the view
    bool contains(int y) const { return y >= top && y < bottom; }
    int first() const { return begin + scroll; } ///< what is seen, as heights of the section
    int last() const { return begin + scroll + bottom - top; }
    std::span<const LaneItem> seen() const { return LaneLayout::between(*section, first(), std::min(last(), end)); }
};

/// Where the lanes of a layout are in a view. Pinned lanes are at the top and take at most half of it. The lanes of the
/// devices of a single trace follow, and scroll apart from the others below a divider if there is room for both.
class LaneViewport {
public:
    static constexpr int kDivider = 7; ///< logical pixels between the device's lanes and the others
    static constexpr int kLeast = 60;  ///< the lowest window beside a divider

    /// The layout must outlive the viewport.
    explicit LaneViewport(const LaneLayout &layout);

    /// To be called when the layout has changed; keeps what is scrolled as far as possible.
    void update();
    int height() const { return m_height; }
    void setHeight(int height);
    /// The height that the user gave to the device's lanes, in logical pixels; 0 for the default.
    int deviceWish() const { return m_deviceWish; }
    void setDeviceWish(int height);

    /// From top to bottom; windows without a height are left out.
    std::span<const LaneWindow> windows() const { return {m_windows.data(), m_count}; }
    /// The window at a height of the view, the nearest one outside of all.
    const LaneWindow &at(int y) const;
    /// The strip at a height of the view; null in empty space and on the divider.
    const LaneItem *itemAt(int y) const;
    /// Null if there is none with a height.
    const LaneWindow *find(LaneWindow::Part part) const;
    /// The window that has a strip of the layout.
    const LaneWindow &of(const LaneItem &item) const;
    /// The place of the divider in the view; -1 without one.
    int divider() const;

    int scroll(LaneWindow::Part part) const;
    int maximumScroll(LaneWindow::Part part) const;
    /// Returns false if nothing has moved.
    bool setScroll(LaneWindow::Part part, int y);
    /// Scrolls as little as needed to show a part of a strip, [top, bottom) from the strip's top.
    bool show(const LaneItem &item, int top, int bottom);

private:
    int &scrollOf(LaneWindow::Part part) { return m_scroll[static_cast<size_t>(part)]; }

    const LaneLayout *m_layout;
    int m_height = 0;
    int m_deviceWish = 0;
    std::array<int, 3> m_scroll{}; ///< by part
    std::array<LaneWindow, 3> m_windows;
    size_t m_count = 0;
};

} // namespace riffle
