// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/timeline/label_cache.h"

#include "views/common/look/qt_text.h"

#include <QPainter>
#include <QTextBoundaryFinder>
#include <QTextLayout>

#include <algorithm>
#include <cmath>

namespace riffle {

void LabelCache::setFont(const QFont &font, double devicePixelRatio)
{
    QFont plain = font;
    plain.setStyleStrategy(QFont::StyleStrategy(QFont::PreferAntialias | QFont::NoSubpixelAntialias));
    plain.setPixelSize(std::max(1, static_cast<int>(std::lround(font.pixelSize() * devicePixelRatio))));
    if (plain == m_font && devicePixelRatio == m_ratio)
        return;
    m_font = plain;
    m_ratio = devicePixelRatio;
    m_height = QFontMetrics(m_font).height();
    m_masks.clear();
    m_ellipsis = rasterise(QString(QChar(0x2026)));
}

LabelCache::Mask LabelCache::rasterise(const QString &text) const
{
    Mask mask;
    QTextLayout layout(text, m_font);
    QTextOption option;
    option.setWrapMode(QTextOption::NoWrap);
    layout.setTextOption(option);
    layout.setCacheEnabled(true);
    layout.beginLayout();
    QTextLine line = layout.createLine();
    layout.endLayout();
    if (!line.isValid())
        return mask;
    QTextBoundaryFinder finder(QTextBoundaryFinder::Grapheme, text);
    while (finder.toNextBoundary() > 0) {
        const int edge = static_cast<int>(std::ceil(line.cursorToX(static_cast<int>(finder.position()))));
        if (edge > kWidest) {
            mask.whole = false;
            break;
        }
        mask.cuts.push_back(edge);
    }
    // In right-to-left runs, later graphemes are further left, but cuts must not step back.
    for (size_t i = 1; i < mask.cuts.size(); ++i)
        mask.cuts[i] = std::max(mask.cuts[i], mask.cuts[i - 1]);
    mask.width = mask.cuts.empty() ? 0 : mask.cuts.back() + 1;
    if (mask.width == 0)
        return mask;
    QImage image(mask.width, m_height, QImage::Format_ARGB32_Premultiplied);
    image.fill(Qt::transparent);
    QPainter painter(&image);
    painter.setPen(Qt::white);
    layout.draw(&painter, QPointF(0, std::floor((m_height - line.height()) / 2)));
    painter.end();
    mask.coverage.resize(static_cast<size_t>(mask.width) * static_cast<size_t>(m_height));
    for (int y = 0; y < m_height; ++y) {
        const auto *from = reinterpret_cast<const QRgb *>(image.constScanLine(y));
        uint8_t *to = mask.coverage.data() + static_cast<size_t>(y) * static_cast<size_t>(mask.width);
        for (int x = 0; x < mask.width; ++x)
            to[x] = static_cast<uint8_t>(qAlpha(from[x]));
    }
    return mask;
}

void LabelCache::blend(QImage &image, const Mask &mask, int x, int y, int columns, QRgb colour) const
{
    const int first = std::max(0, -x);
    const int last = std::min({columns, mask.width, image.width() - x});
    const auto red = static_cast<uint32_t>(qRed(colour));
    const auto green = static_cast<uint32_t>(qGreen(colour));
    const auto blue = static_cast<uint32_t>(qBlue(colour));
    auto *bits = image.bits();
    const auto stride = static_cast<size_t>(image.bytesPerLine());
    for (int row = std::max(0, m_clipTop - y); row < m_height && y + row < std::min(m_clipBottom, image.height());
         ++row) {
        auto *to = reinterpret_cast<QRgb *>(bits + static_cast<size_t>(y + row) * stride) + x;
        const uint8_t *from = mask.coverage.data() + static_cast<size_t>(row) * static_cast<size_t>(mask.width);
        for (int at = first; at < last; ++at) {
            const uint32_t cover = from[at];
            if (cover == 0)
                continue;
            const uint32_t keep = 255 - cover;
            const QRgb under = to[at];
            const auto mix = [&](uint32_t below, uint32_t above) { return (below * keep + above * cover + 127) / 255; };
            to[at] = qRgb(static_cast<int>(mix(static_cast<uint32_t>(qRed(under)), red)),
                          static_cast<int>(mix(static_cast<uint32_t>(qGreen(under)), green)),
                          static_cast<int>(mix(static_cast<uint32_t>(qBlue(under)), blue)));
        }
    }
}

int LabelCache::draw(QImage &image, uint64_t key, std::string_view name, int x, int y, int width, QRgb colour)
{
    auto found = m_masks.find(key);
    if (found == m_masks.end()) {
        if (m_masks.size() >= kMostMasks)
            m_masks.clear();
        found = m_masks.emplace(key, rasterise(singleLine(toQString(name.substr(0, 2048)), 400))).first;
    }
    const Mask &mask = found->second;
    if (mask.cuts.empty())
        return 0;
    if (mask.whole && mask.cuts.back() <= width) {
        blend(image, mask, x, y, mask.width, colour);
        return mask.width;
    }
    const int room = width - m_ellipsis.width;
    const auto behind = std::upper_bound(mask.cuts.begin(), mask.cuts.end(), room);
    if (behind - mask.cuts.begin() < 3)
        return 0;
    const int cut = *(behind - 1);
    blend(image, mask, x, y, cut, colour);
    blend(image, m_ellipsis, x + cut, y, m_ellipsis.width, colour);
    return cut + m_ellipsis.width;
}

} // namespace riffle
