// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/ingest/importer.h"
#include "views/common/look/palette.h"

#include <QRect>

class QPainter;

namespace riffle {

/// The height of a lane while its file is still being read.
inline constexpr int kPreviewLaneHeight = 22;

/// Paints the lanes of a file that is still being read, shaded by how busy they are, streams first.
void paintPreviewLanes(QPainter &painter, const QRect &area, const LoadPreview &preview, const Palette &palette);
/// Paints their names, for the column on the left.
void paintPreviewNames(QPainter &painter, const QRect &area, const LoadPreview &preview, const Palette &palette);
/// How busy the busiest stream is in each bin; the busiest lane if there are no streams.
std::vector<float> previewBusy(const LoadPreview &preview);

} // namespace riffle
