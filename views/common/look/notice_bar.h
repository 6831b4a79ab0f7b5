// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QFrame>
#include <QList>

class QLabel;
class QToolButton;

namespace riffle {

/// A line above the views that reports problems without getting in the way. It is hidden while it is empty. Notices
/// stay until they are dismissed, worst first. However long the text is, the bar stays as wide as its window and a few
/// lines tall; the tool tip shows all of it.
class NoticeBar : public QFrame {
    Q_OBJECT
public:
    enum class Level { Info, Warning, Problem };

    explicit NoticeBar(QWidget *parent = nullptr);

    /// Adds a sentence. A non-empty `action` adds a button that emits actionTriggered().
    void notify(Level level, const QString &text, const QString &action = {});
    void dismiss();
    /// Removes a sentence that is no longer true.
    void withdraw(const QString &text);
    QString text() const; ///< all notices, one line each

signals:
    void notified(riffle::NoticeBar::Level level, const QString &text);
    void actionTriggered();

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

    QList<Notice> m_notices; ///< worst first
    QLabel *m_text;
    QToolButton *m_action;
    QToolButton *m_close;
};

} // namespace riffle
