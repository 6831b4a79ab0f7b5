// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QImage>

namespace riffle {

/// The pixels of one line of an image with 32 bits per pixel.
inline QRgb *pixels(QImage &image, int y)
{
    return reinterpret_cast<QRgb *>(image.bits() + static_cast<size_t>(y) * static_cast<size_t>(image.bytesPerLine()));
}

} // namespace riffle
