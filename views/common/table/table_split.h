// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>

class QSplitter;

namespace riffle {

class SummaryTable;

/// Divides a splitter between the rows of a table, which come first, and what is beside them: the rows get the width
/// of their columns, within limits, until the user moves the handle. Owned by the splitter.
class TableSplit : public QObject {
    Q_OBJECT
public:
    TableSplit(QSplitter *split, const SummaryTable *table);

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void divide();

    QSplitter *m_split;
    const SummaryTable *m_table;
    bool m_moved = false; ///< by the user
};

} // namespace riffle
