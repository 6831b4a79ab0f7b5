// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QFrame>

class QLabel;
class QToolButton;

namespace riffle {

/// A line above the views that tells what went wrong without standing in the way. Hidden until it has something to say.
class NoticeBar : public QFrame {
    Q_OBJECT
public:
    enum class Level { Info, Warning, Problem };

    explicit NoticeBar(QWidget *parent = nullptr);

    /// Shows a sentence; with a non-empty `action` a button that emits actionTriggered().
    void notify(Level level, const QString &text, const QString &action = {});
    void dismiss();
    QString text() const;

signals:
    void actionTriggered();
    void dismissed();

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    Level m_level = Level::Info;
    QLabel *m_text;
    QToolButton *m_action;
    QToolButton *m_close;
};

} // namespace riffle
