// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/layout/landscape.h"
#include "views/common/memory_session.h"
#include "views/common/palette.h"

#include <QList>
#include <QString>

#include <utility>
#include <vector>

namespace riffle {

/// The colours of a landscape's bands, and what they mean where they are few.
struct BandColours {
    std::vector<uint32_t> colours; ///< one a band
    QList<std::pair<QString, QRgb>> legend;

    BandColours() = default;
    BandColours(const Landscape &landscape, const MemorySnapshot &snapshot, const DeviceReplay &device, MemorySession::Colour by, const Palette &palette);
};

} // namespace riffle
