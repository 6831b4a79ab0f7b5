// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "views/memory/landscape_canvas.h"

#include <QStringList>
#include <QWidget>

namespace riffle {

/// A small card beside the pointer: what is known of the allocation under it, with the program's own frames. Lets the mouse through.
class AllocationCard : public QWidget {
    Q_OBJECT
public:
    AllocationCard(LandscapeState *state, QWidget *parent);

    /// `at`: the pointer in the parent's coordinates; the card keeps within `bounds`.
    void showFor(const LandscapeCanvas::Hit &hit, QPoint at, const QRect &bounds);
    const QStringList &lines() const { return m_lines; }

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    QStringList describe(const LandscapeCanvas::Hit &hit) const;

    LandscapeState *m_state;
    QStringList m_lines; ///< the first is the size
    uint32_t m_allocation = MemorySession::kNone; ///< that the lines are about
};

} // namespace riffle
