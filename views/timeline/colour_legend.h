// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/facts/slice_tints.h"
#include "model/trace/work_class.h"

#include <QWidget>

#include <utility>
#include <vector>

class QAbstractButton;

namespace riffle {

class TimelineState;

/// The legend of the timeline's colours for a status bar: a square and a name for each class that occurs in the open
/// traces, streams before threads. A class under the pointer is emphasised; a click filters by it, a second one ends
/// that, and a click with Ctrl adds the class to the filter or takes it away. Classes for which there is no room are
/// left out, from the right. While colours show durations, it has their orders of magnitude instead; otherwise, it is
/// empty.
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
    void choose(WorkClass kind, bool adds);
    void makeEntries();
    void arrange();

    TimelineState *m_state;
    std::vector<Entry> m_entries;
    std::pair<ColourMode, WorkClassSet> m_shown{}; ///< what the entries are for
    int m_separator = -1;                          ///< x of the line between streams and threads; -1 without one
};

} // namespace riffle
