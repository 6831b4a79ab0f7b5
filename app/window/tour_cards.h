// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>

#include <span>

namespace riffle {

/// The kinds of files that have a tour of their own.
enum class TourKind { Trace, Ranks, Log, Snapshot, OtherTrace };

/// The parts of the window beside which a card can stand.
enum class TourPlace { Pages, Filters, Strip, Minimap, Lanes, Labels, Tables, Memory };

struct TourCard {
    TourPlace place;
    const char *title; ///< translated in the context riffle::Tour, like the text
    const char *text;  ///< one or two sentences
};

/// The five cards of a tour.
std::span<const TourCard> tourCards(TourKind kind);

} // namespace riffle
