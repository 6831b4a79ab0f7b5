// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QFrame>
#include <QList>

class QLabel;
class QToolButton;

namespace riffle {

/// A line above the views that tells what went wrong without standing in the way. Hidden until it has something to say.
/// Notices stay together until they are dismissed, the worst first. However much there is to say, the bar stays as wide
/// as its window and a few lines tall; the tooltip has all of it.
class NoticeBar : public QFrame {
    Q_OBJECT
public:
    enum class Level { Info, Warning, Problem };

    explicit NoticeBar(QWidget *parent = nullptr);

    /// Shows a sentence beside those that are shown; with a non-empty `action` a button that emits actionTriggered().
    void notify(Level level, const QString &text, const QString &action = {});
    void dismiss();
    /// Takes a sentence back that is no longer so.
    void withdraw(const QString &text);
    QString text() const; ///< all of it, a line for each notice

signals:
    void notified(riffle::NoticeBar::Level level, const QString &text);
    void actionTriggered();
    void dismissed();

protected:
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;

private:
    struct Notice {
        Level level;
        QString text;
    };

    void fitText();
    void showNotices();

    QList<Notice> m_notices; ///< the worst first
    QLabel *m_text;
    QToolButton *m_action;
    QToolButton *m_close;
};

} // namespace riffle
