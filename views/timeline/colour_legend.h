// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/work_class.h"

#include <QWidget>

#include <vector>

class QAbstractButton;

namespace riffle {

class TimelineState;

/// The legend of the timeline's colours for a status bar: a square and a name for each class that occurs in the open
/// traces, streams before threads. A click on a class highlights its slices; a second one ends that. Classes for which
/// there is no room are left out, from the right. Empty while colours show names.
class ColourLegend : public QWidget {
    Q_OBJECT
public:
    ColourLegend(TimelineState *state, QWidget *parent = nullptr);

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;

private:
    struct Entry {
        WorkClass kind;
        QAbstractButton *button;
    };
    void refresh();
    void arrange();

    TimelineState *m_state;
    std::vector<Entry> m_entries;
    uint32_t m_present = 0; ///< one bit per class with an entry
    int m_separator = -1;   ///< x of the line between streams and threads; -1 without one
};

} // namespace riffle
