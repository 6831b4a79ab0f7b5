// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/sharing/shared_picture.h"

#include "model/base/format.h"
#include "views/common/look/palette.h"
#include "views/common/look/qt_text.h"
#include "views/common/table/summary_table.h"
#include "views/common/table/table_picture.h"

#include <QPainter>

#include <algorithm>

namespace riffle {

namespace {

constexpr int kPictureRows = 100;
constexpr int kLeastWidth = 480; ///< logical pixels; the heading needs room, too
constexpr int kPad = 8;

QString countText(int count) { return toQString(formatCount(count)); }

QImage pictureOf(QWidget *widget, qreal ratio)
{
    QImage image(widget->size() * ratio, QImage::Format_RGB32);
    image.setDevicePixelRatio(ratio);
    image.fill(widget->palette().color(QPalette::Window));
    widget->render(&image);
    return image;
}

} // namespace

QImage sharedPicture(const SharedPart &part, const Session &session, const QString &files)
{
    const qreal ratio = std::max(2.0, part.view->devicePixelRatioF());
    QImage content;
    QString rows;
    if (part.table) {
        const TablePicture picture = pictureOf(*part.table, kPictureRows, ratio);
        content = picture.image;
        if (picture.rows < picture.all)
            rows = QObject::tr("first %1 of %2 rows").arg(countText(picture.rows), countText(picture.all));
    }
    if (content.isNull())
        content = pictureOf(part.content, ratio);
    const ShareHeading heading = headingOf(part, session, files, rows);

    const QSize inner = content.deviceIndependentSize().toSize();
    const int width = std::max(inner.width(), kLeastWidth);
    QFont bold = part.view->font();
    bold.setBold(true);
    const QFontMetrics strong(bold), plain(part.view->font());
    const QString facts = heading.facts.join(QStringLiteral(" · "));
    const QRect factsBox = plain.boundingRect(QRect(0, 0, width - 2 * kPad, 1000), Qt::TextWordWrap, facts);
    const int top = kPad + strong.height() + 2 + (facts.isEmpty() ? 0 : factsBox.height()) + kPad;

    QImage image(QSize(width, top + inner.height()) * ratio, QImage::Format_RGB32);
    image.setDevicePixelRatio(ratio);
    const QPalette &palette = part.view->palette();
    const Palette &colours = Palette::fitting(palette);
    image.fill(palette.color(QPalette::Base));
    QPainter painter(&image);
    painter.setFont(bold);
    painter.setPen(QColor::fromRgb(colours.text));
    painter.drawText(QRect(kPad, kPad, width - 2 * kPad, strong.height()), Qt::AlignLeft | Qt::AlignVCenter,
                     strong.elidedText(heading.title, Qt::ElideMiddle, width - 2 * kPad));
    painter.setFont(part.view->font());
    painter.setPen(QColor::fromRgb(colours.dimText));
    painter.drawText(QRect(kPad, kPad + strong.height() + 2, width - 2 * kPad, factsBox.height()), Qt::TextWordWrap,
                     facts);
    painter.drawImage(0, top, content);
    return image;
}

} // namespace riffle
