// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "views/common/jobs.h"
#include "views/common/view.h"

class QLabel;
class QToolButton;
class QTreeView;

namespace riffle {

class AreaRowModel;

/// What is inside the selected area, one row per name.
class AreaView : public View {
    Q_OBJECT
public:
    explicit AreaView(Session *session, QWidget *parent = nullptr);

    const AreaRowModel &rows() const { return *m_rows; }
    /// True once what is shown belongs to the selected area.
    bool settled() const { return m_jobs.idle(); }
    /// The selected rows, or all when none is selected, as tab-separated text with a heading.
    QString tableText() const;

public slots:
    void copy() const;

signals:
    /// Wants the table saved by the user's choice of place.
    void exportRequested(const QString &suggestedName, const QString &csv);

protected:
    void refresh(Session::Changes changes) override;
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void activate(const QModelIndex &index);
    void showHead();

    AreaRowModel *m_rows;
    QLabel *m_head;
    QToolButton *m_visible;
    QToolButton *m_export;
    QTreeView *m_table;
    Jobs m_jobs; // last: its end waits for work
};

} // namespace riffle
