// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/layout/hit_test.h"

#include <cstdlib>

namespace riffle {

Hit hitTest(const DrawList &list, const std::vector<LaneItem> &section, int column, int y, int reach)
{
    Hit hit;
    hit.item = LaneLayout::at(section, y);
    if (!hit.item || (hit.item->kind != LaneItem::Kind::Slices && hit.item->kind != LaneItem::Kind::Bands))
        return hit;
    const DrawnItem *drawn = list.find(hit.item);
    if (!drawn)
        return hit;
    const int within = y - hit.item->y - LaneLayout::kPadding;
    const int row = std::max(0, within) / std::max(1, hit.item->rowHeight);
    hit.row = static_cast<uint32_t>(row);
    if (hit.row >= drawn->firstRow && hit.row - drawn->firstRow < drawn->rows.size()) {
        if (const Box *box = boxAt(drawn->rows[hit.row - drawn->firstRow], column, reach)) {
            if (hit.item->bands) {
                hit.band = box->slice;
                hit.slice = {hit.item->trace, hit.item->bands->slices[box->slice]};
            } else {
                hit.slice = {hit.item->trace, SliceId(box->slice)};
            }
            hit.box = *box;
            hit.crowd = box->count;
        }
    }
    int distance = reach + 2;
    for (const InstantTick &tick : drawn->instants) {
        if (hit.row == 0 && std::abs(tick.x - column) < distance &&
            (!hit.slice.valid() || std::abs(tick.x - column) <= 1)) {
            distance = std::abs(tick.x - column);
            hit.instant = InstantId(tick.instant);
        }
    }
    return hit;
}

} // namespace riffle
