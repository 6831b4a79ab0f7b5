// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "views/common/session/view.h"

class QLabel;
class QTreeWidget;
class QTreeWidgetItem;

namespace riffle {

/// The marks of the session and their notes, which can be edited here. A double click goes to the mark.
class MarksView : public View {
    Q_OBJECT
public:
    explicit MarksView(Session *session, QWidget *parent = nullptr);

protected:
    void refresh(Session::Changes changes) override;

private:
    void goTo(const QTreeWidgetItem *item);
    void takeNote(const QTreeWidgetItem *item);
    void removeSelected();

    QLabel *m_hint;
    QTreeWidget *m_list;
    bool m_filling = false;
};

} // namespace riffle
