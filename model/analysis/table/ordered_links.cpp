// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/table/ordered_links.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace riffle {

std::shared_ptr<const RowSlices> orderedLinks(RowSlices::Member links, bool haveOrderOfIds)
{
    if (haveOrderOfIds || std::ranges::is_sorted(links.slices))
        return std::make_shared<const RowSlices>(std::vector<RowSlices::Member>{std::move(links)});
    BigVector<std::pair<uint32_t, uint32_t>> slicesWithRows;
    slicesWithRows.reserve(links.slices.size());
    for (size_t at = 0; at < links.slices.size(); ++at)
        slicesWithRows.emplace_back(links.slices[at], links.rows[at]);
    return RowSlices::ofTrace(links.trace, std::move(slicesWithRows));
}

} // namespace riffle
