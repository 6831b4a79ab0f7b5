// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/slice/slice_card.h"
#include "model/layout/hit_test.h"
#include "views/common/look/text_card.h"
#include "views/timeline/timeline_state.h"

#include <QTimer>

namespace riffle {

/// A small card beside the pointer: what matters most about the slice under it, or the value of a graph. What needs
/// the file or facts of the trace follows when the pointer rests.
class HoverCard : public TextCard {
    Q_OBJECT
public:
    HoverCard(TimelineState *state, QWidget *parent);

    /// `at`: the pointer in the parent's coordinates; the card stays inside `bounds`. `other`, if not null, is a card
    /// with which this one is compared, and beside which it is placed.
    void showFor(const Hit &hit, Ns time, QPoint at, const QRect &bounds, const HoverCard *other = nullptr);
    /// Shows what another card shows, at its place.
    void take(const HoverCard &other);
    /// The slice that the card describes; invalid if it is no slice, or the card is hidden.
    SliceRef slice() const { return isHidden() ? SliceRef() : m_slice; }
    /// True while something is still being looked up.
    bool isWaiting() const { return m_rest.isActive() || !m_jobs.idle(); }

private:
    /// The lines about everything but slices. `reach`: how far, in time, the pointer may be from a mark.
    QStringList describe(const Hit &hit, Ns time, Ns reach) const;
    CardText textOf(const HoverCard *other) const;
    QRgb squareOf() const;
    void lookUp();

    TimelineState *m_state;
    SliceRef m_slice;
    SliceCard m_card; ///< of the slice
    QStringList m_notes;
    QPoint m_at;
    QRect m_bounds;
    const HoverCard *m_other = nullptr;
    QTimer m_rest;
    Jobs m_jobs; // last: its destructor waits for jobs
};

} // namespace riffle
