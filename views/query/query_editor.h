// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QPlainTextEdit>
#include <QStringList>

namespace riffle {

/// Where a query is written: Ctrl+Enter runs it, Alt+Up and Alt+Down go through those that were run.
class QueryEditor : public QPlainTextEdit {
    Q_OBJECT
public:
    explicit QueryEditor(QWidget *parent = nullptr);

    /// Queries that were run, the oldest first.
    const QStringList &history() const { return m_history; }
    void setHistory(const QStringList &history);
    /// Remembers the text as the newest query.
    void remember();
    void setText(const QString &text); ///< as if it were written: it can be undone
    /// Puts the cursor before this byte of the text as UTF-8.
    void goToByte(uint64_t byte);
    void goBack(int steps); ///< into the history; negative: towards what was being written

signals:
    void runRequested();

protected:
    bool event(QEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;

private:
    QStringList m_history;
    qsizetype m_back = 0; ///< how far in the history; 0: at what is being written
    QString m_written;
};

} // namespace riffle
