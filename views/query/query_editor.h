// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QPlainTextEdit>
#include <QStringList>

namespace riffle {

/// The editor of a query: Ctrl+Enter runs it, Alt+Up and Alt+Down step through the queries that were run.
class QueryEditor : public QPlainTextEdit {
    Q_OBJECT
public:
    explicit QueryEditor(QWidget *parent = nullptr);

    /// The queries that were run, the oldest first.
    const QStringList &history() const { return m_history; }
    void setHistory(const QStringList &history);
    /// Remembers the text as the newest query.
    void remember();
    void setText(const QString &text); ///< as if the user had typed it, so it can be undone
    /// Moves the cursor before this byte of the text in UTF-8.
    void goToByte(uint64_t byte);
    void goBack(int steps); ///< into the history; negative: back towards the text being written

signals:
    void runRequested();

protected:
    bool event(QEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;

private:
    QStringList m_history;
    qsizetype m_back = 0; ///< steps into the history; 0 is the text being written
    QString m_written;
};

} // namespace riffle
