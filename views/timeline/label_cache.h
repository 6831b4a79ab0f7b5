// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QFont>
#include <QImage>
#include <QRgb>
#include <QString>

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace riffle {

/// The names on slices, each shaped and rasterised once into a coverage mask. Drawing blends the mask into an image, so
/// a label costs only its pixels, and zooming does not shape text again. A label that is too wide is cut after a whole
/// grapheme and gets an ellipsis.
class LabelCache {
public:
    /// Sets the font in logical pixels; drops all masks if anything changes.
    void setFont(const QFont &font, double devicePixelRatio);

    void clear() { m_masks.clear(); }
    /// Limits drawing to the rows [top, bottom) of the image.
    void setClip(int top, int bottom)
    {
        m_clipTop = top;
        m_clipBottom = bottom;
    }

    int height() const { return m_height; } ///< device pixels

    /// Draws the name into `image` (RGB32, addressed in device pixels) with its left edge at x and its top at y, no
    /// wider than `width`. Draws nothing if too little would be left to read. `key` identifies the text. Returns the
    /// width drawn.
    int draw(QImage &image, uint64_t key, std::string_view name, int x, int y, int width, QRgb colour);

private:
    struct Mask {
        int width = 0;
        std::vector<uint8_t> coverage; ///< `height` rows of `width` bytes
        std::vector<int> cuts;         ///< the right edge of every grapheme
        bool whole = true;             ///< false if the text was cut when it was rasterised
    };
    Mask rasterise(const QString &text) const;
    void blend(QImage &image, const Mask &mask, int x, int y, int columns, QRgb colour) const;

    static constexpr size_t kMostMasks = 8192;
    static constexpr int kWidest = 1600; ///< device pixels
    QFont m_font;
    double m_ratio = 0;
    int m_height = 0;
    int m_clipTop = 0;
    int m_clipBottom = 0;
    Mask m_ellipsis;
    std::unordered_map<uint64_t, Mask> m_masks;
};

} // namespace riffle
