// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/ranks/rank_list.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace riffle {

/// The members of a process group as far as a text names them.
struct WrittenRanks {
    RankList whole;             ///< all of them; empty if the list was cut or is no list
    std::vector<int64_t> first; ///< of a list that was cut: the ranks in front of the dots, as written
};

/// Reads "[0, 1, 2]". Kineto cuts lists of more than 30 ranks: "[0, 1, ...]" or "[0, 1, ..., 63]", of which only what
/// stands in front of the dots counts. A text that is no such list gives no ranks.
WrittenRanks writtenRanks(std::string_view text);

} // namespace riffle
