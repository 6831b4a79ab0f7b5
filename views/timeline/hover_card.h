// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/layout/hit_test.h"
#include "views/timeline/timeline_state.h"

#include <QStringList>
#include <QWidget>

namespace riffle {

/// A small card beside the pointer: name, duration and lane of what lies under it, or a graph's value. Lets the mouse through.
class HoverCard : public QWidget {
    Q_OBJECT
public:
    HoverCard(TimelineState *state, QWidget *parent);

    /// `at`: the pointer in the parent's coordinates; the card keeps within `bounds`.
    void showFor(const Hit &hit, Ns time, QPoint at, const QRect &bounds);
    const QStringList &lines() const { return m_lines; }

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    QStringList describe(const Hit &hit, Ns time) const;

    TimelineState *m_state;
    QStringList m_lines; ///< the first is the name
};

} // namespace riffle
