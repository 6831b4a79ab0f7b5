// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "views/common/session/session.h"

#include <QWidget>

#include <vector>

class QLabel;
class QTreeWidget;
class QTreeWidgetItem;

namespace riffle {

/// Shows where the program was when something happened: the enclosing slices on its thread, innermost first. In the
/// backward pass, those of the forward operator follow. A click or Enter goes to a slice in the timeline.
class StackPane : public QWidget {
    Q_OBJECT
public:
    explicit StackPane(Session *session, QWidget *parent = nullptr);

    /// `innermost` is invalid if there is no such slice.
    void showAround(SliceRef innermost);
    QTreeWidget *list() const { return m_list; }
    QString said() const; ///< the line above

private:
    void goTo(const QTreeWidgetItem *item);

    Session *m_session;
    QLabel *m_said;
    QTreeWidget *m_list;
    TraceId m_trace;
    std::vector<SliceId> m_slices; ///< one per row
};

} // namespace riffle
