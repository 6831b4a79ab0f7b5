// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "views/timeline/timeline_state.h"

#include <QWidget>

namespace riffle {

/// The bar between the lanes of the devices and the others, which scroll apart. It is dragged with the mouse; a double
/// click restores the default place.
class LaneDivider : public QWidget {
    Q_OBJECT
public:
    LaneDivider(TimelineState *state, QWidget *parent);

    /// Goes to its place in the labels and lanes, which have this rectangle in the parent; hides if there is none.
    void place(const QRect &lanes);

protected:
    void paintEvent(QPaintEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mouseDoubleClickEvent(QMouseEvent *event) override;

private:
    TimelineState *m_state;
    int m_pressedHeight = 0; ///< the height of the device's lanes less the screen's y of the press
};

} // namespace riffle
