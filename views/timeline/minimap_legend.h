// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "views/timeline/minimap.h"

#include <QWidget>

#include <vector>

namespace riffle {

/// The names of the minimap's lines, and how busy each of them is overall.
class MinimapLegend : public QWidget {
    Q_OBJECT
public:
    MinimapLegend(TimelineState *state, Minimap *minimap, QWidget *parent);

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    static QString busyText(double share);
    QString titleOf(const BusyLine &line) const;

    TimelineState *m_state;
    Minimap *m_minimap;
    std::vector<double> m_busy; ///< per line, its mean share; summed only once, because a line has thousands of bins
};

} // namespace riffle
