// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/ranks/hang.h"

#include <QString>

#include <cstddef>
#include <cstdint>
#include <optional>

namespace riffle {

/// A divergence as a page for a text browser: what happened, what each rank did, and the evidence. Frames of stacks are
/// linked; see frameOfLink().
QString divergenceHtml(const HangReport &report, const Divergence &found);
/// The page of a report without a divergence.
QString noDivergenceHtml(const HangReport &report);

/// The place in the user's code that a link of a page leads to.
struct LinkedFrame {
    size_t dump = 0; ///< index in HangReport::dumps
    uint32_t frame = 0;
};
/// Nothing for links to something else.
std::optional<LinkedFrame> frameOfLink(const HangReport &report, const QString &link);

} // namespace riffle
