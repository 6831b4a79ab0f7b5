// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "views/timeline/minimap.h"

#include <QWidget>

namespace riffle {

/// What the lines of the minimap are and how busy each is over all.
class MinimapLegend : public QWidget {
    Q_OBJECT
public:
    MinimapLegend(TimelineState *state, const Minimap *minimap, QWidget *parent);

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    TimelineState *m_state;
    const Minimap *m_minimap;
};

} // namespace riffle
