// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/layout/hit_test.h"
#include "views/common/look/text_card.h"
#include "views/timeline/timeline_state.h"

namespace riffle {

/// A small card beside the pointer: the name, duration and lane of what is under it, or the value of a graph.
class HoverCard : public TextCard {
    Q_OBJECT
public:
    HoverCard(TimelineState *state, QWidget *parent);

    /// `at`: the pointer in the parent's coordinates; the card stays inside `bounds`.
    void showFor(const Hit &hit, Ns time, QPoint at, const QRect &bounds);

private:
    /// `reach`: how far, in time, the pointer may be from a mark.
    QStringList describe(const Hit &hit, Ns time, Ns reach) const;

    TimelineState *m_state;
};

} // namespace riffle
