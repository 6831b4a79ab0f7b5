// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/layout/colours.h"

#include <QPalette>
#include <QRgb>

#include <cstdint>
#include <string_view>
#include <vector>

namespace riffle {

/// The colours of everything that Riffle paints itself, in a light and a dark edition. Things with the same name always
/// have the same colour in sliceColours(), with the same hue in both editions. Neighbours in it also differ in
/// lightness, so they can be distinguished without colour vision. Fills of classes are in classFills().
class Palette {
public:
    static const Palette &light();
    static const Palette &dark();
    /// The edition that matches a widget palette.
    static const Palette &fitting(const QPalette &palette);

    bool isDark = false;
    QRgb canvas = 0; ///< behind the lanes
    QRgb laneAlternate = 0;
    QRgb heading = 0; ///< the strip of a group
    QRgb gpuHeading = 0;
    QRgb line = 0; ///< between lanes
    QRgb gridLine = 0;
    QRgb edge = 0; ///< around text boxes
    QRgb text = 0;
    QRgb dimText = 0;
    QRgb accent = 0;    ///< frames, links and other emphasis in the interface
    QRgb selection = 0; ///< outline of the selected slice
    QRgb hover = 0;
    QRgb area = 0; ///< with alpha
    QRgb areaEdge = 0;
    QRgb cursor = 0;
    QRgb mark = 0;
    QRgb flow = 0;
    QRgb graphLine = 0;
    QRgb graphFill = 0;
    QRgb bar = 0; ///< bars beside figures, of things without a class
    QRgb instant = 0;
    QRgb odd = 0; ///< marks on slices that cross others or never ended
    QRgb step[2] = {0, 0};
    QRgb busy = 0;
    QRgb idle = 0;                ///< the hatch over the time in which a device has nothing to do
    QRgb longer = 0, shorter = 0; ///< changes of a time; the former is hatched, too
    QRgb shade = 0;               ///< over the part of the minimap outside the visible range

    const std::vector<QRgb> &sliceColours() const { return m_slices; }
    /// The index of a name's colour. Digits at the end of the name are ignored, so all steps have the same colour.
    static uint8_t colourIndex(std::string_view name);
    QRgb slice(uint8_t index) const { return m_slices[index % m_slices.size()]; }
    /// The colours of the series of charts, the same hues in both editions.
    const std::vector<QRgb> &seriesColours() const { return m_series; }
    /// The colour of a pair for this edition.
    QRgb edition(const ColourPair &pair) const { return 0xff000000 | (isDark ? pair.dark : pair.light); }
    /// Black or white, whichever is easier to read on a colour (contrast at least 4.5).
    static QRgb textOn(QRgb background);
    /// The colour of slices that are not highlighted while others are.
    QRgb dimmed(QRgb colour) const;
    /// The colour of a column of pixels that `count` slices share; the more slices, the stronger.
    QRgb crowded(QRgb colour, uint32_t count) const;

    static QRgb mixed(QRgb from, QRgb to, double share);
    /// The contrast ratio of two colours as defined by WCAG 2, from 1 to 21.
    static double contrast(QRgb a, QRgb b);

private:
    std::vector<QRgb> m_slices, m_series;
};

} // namespace riffle
