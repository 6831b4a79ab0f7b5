// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/ranks/hang.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace riffle {

// The words for a divergence, which the command and the window share. Texts of the dumps are safe to print in them.

/// "rank 3", "ranks 0, 1"
std::string ranksText(const RankList &ranks);
/// `group "1" (tp) of ranks 0, 1`
std::string groupText(const Divergence &found);
/// "Rank 1 never came to nccl:all_reduce [[16]] Float."
std::string verdictText(const Divergence &found);
/// "collective 12 of group …", or "from rank 0 to rank 1, number 3 in group …".
std::string placeText(const Divergence &found);
/// Why nothing was found, without saying more than was compared.
std::string noDivergenceText(const HangReport &report);
/// How many dumps were compared, of which ranks, and how many ranks the job has. `unread` dumps could not be read.
std::string comparedText(const HangReport &report, size_t unread);

/// Ranks of a divergence that did the same.
struct AlikeMembers {
    RankList ranks;
    /// The first of them; its part is NoDump, and it has no dump, for those that have none and are not compared.
    HangMember one;
    std::string doing;            ///< "waits in nccl:all_reduce [[16]] Float (scheduled)"
    std::vector<uint32_t> frames; ///< of the call that `doing` names; see framesToShow()
    bool lacksStack = false;      ///< it names a call of which no stack was recorded
};
/// The members of a divergence by their first rank, those that did the same together.
std::vector<AlikeMembers> alikeMembers(const HangReport &report, const Divergence &found, size_t mostFrames);

/// "step (train.py:11)": one frame of a stack.
std::string frameText(const FlightDump &dump, uint32_t frame);
/// The frames of an entry that help, innermost first: those of the user's code; all of them if there are none. At most
/// `most`.
std::vector<uint32_t> framesToShow(const FlightDump &dump, uint32_t entry, size_t most);

} // namespace riffle
