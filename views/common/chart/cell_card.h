// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "views/common/look/text_card.h"

namespace riffle {

/// The card about the cell under the pointer.
class CellCard : public TextCard {
    Q_OBJECT
public:
    using TextCard::TextCard;
    /// Shows lines of which the first is the heading; those with a tab have a label in front of it.
    void say(const QStringList &lines, QPoint at, const QRect &bounds, const QRect &avoid);
};

} // namespace riffle
