// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "views/common/session/pane.h"

#include <QObject>

#include <array>

namespace riffle {

inline TimeSpan movedBy(TimeSpan span, Ns by) { return {saturatedSum(span.begin, by), saturatedSum(span.end, by)}; }

/// Lets two panes show equal times after their origins, and the cursor at the same time after them, whichever of them
/// is moved. A pane then has room for all that the other one can show, so that both can always show the same.
class PaneLink : public QObject {
    Q_OBJECT
public:
    PaneLink(Pane *a, Pane *b, QObject *parent);

    bool isOn() const { return m_isOn; }
    /// Links the panes, or lets each go its own way. The pane that was moved last keeps its range.
    void setOn(bool on);
    /// The pane that was moved or pointed at last.
    Pane *leader() const { return m_panes[m_leader]; }

private:
    void onChanged(size_t from, Pane::Changes changes);
    void follow(Pane::Changes changes);
    void makeRoom();

    std::array<Pane *, 2> m_panes;
    size_t m_leader = 0;
    bool m_isOn = true;
    bool m_isFollowing = false;
};

} // namespace riffle
