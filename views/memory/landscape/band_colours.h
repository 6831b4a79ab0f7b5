// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/memory/snapshot_facts.h"
#include "model/layout/landscape.h"
#include "views/common/look/palette.h"
#include "views/common/memory/memory_session.h"

#include <QList>
#include <QString>

#include <utility>
#include <vector>

namespace riffle {

class MemoryCategories;

/// The colours of a landscape's bands, with a legend if there are few. Can be computed on any thread.
struct BandColours {
    MemorySession::Colour by = MemorySession::Colour::Stack;
    const Palette *palette = nullptr; ///< one of the two editions
    std::vector<uint32_t> colours;    ///< one per band
    QList<std::pair<QString, QRgb>> legend;

    BandColours() = default;
    /// `device` is a row of replay().devices. `categories` must not be null if they decide the colours.
    BandColours(const Landscape &landscape, const SnapshotFacts &facts, uint32_t device, MemorySession::Colour by,
                const MemoryCategories *categories, const Palette &palette);

private:
    void bySize(const Landscape &landscape);
    void byStack(const Landscape &landscape, const MemorySnapshot &snapshot, const MemoryAllocations &all);
    /// Gives each name a colour. `keys`: per band, a row of `names`. The legend has the names that cover the largest
    /// areas: a single allocation may fill most of the picture.
    void byName(const Landscape &landscape, const std::vector<uint32_t> &keys, const std::vector<QString> &names);
};

} // namespace riffle
