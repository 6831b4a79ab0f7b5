// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/memory/snapshot_facts.h"
#include "model/layout/landscape.h"
#include "views/common/memory_session.h"
#include "views/common/palette.h"

#include <QList>
#include <QString>

#include <utility>
#include <vector>

namespace riffle {

class MemoryCategories;

/// The colours of a landscape's bands, and what they mean where they are few.
struct BandColours {
    std::vector<uint32_t> colours; ///< one a band
    QList<std::pair<QString, QRgb>> legend;

    BandColours() = default;
    /// `at`: row of replay().devices. `categories` may be null: all are of none then.
    BandColours(const Landscape &landscape, const SnapshotFacts &facts, size_t at, MemorySession::Colour by, const MemoryCategories *categories,
                const Palette &palette);
};

} // namespace riffle
