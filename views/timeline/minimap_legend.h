// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "views/timeline/minimap.h"

#include <QWidget>

namespace riffle {

/// The names of the minimap's lines, and how busy each of them is overall.
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
