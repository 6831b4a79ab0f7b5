// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QList>
#include <QString>
#include <QWidget>

#include <map>

class QAction;
class QHBoxLayout;
class QToolButton;

namespace riffle {

/// The line below the menu: a button for each page that applies, what the window puts in the middle, and buttons of
/// actions at the right.
class PageBar : public QWidget {
    Q_OBJECT
public:
    explicit PageBar(QWidget *parent = nullptr);

    void addPage(const QString &id, QAction *action); ///< the action shows the page
    void setOffered(const QString &id, bool offered); ///< a page that does not apply has no button
    void setCurrent(const QString &id);
    /// Puts widgets into the middle, of which the first one takes the room that is left.
    void addMiddle(QWidget *widget);
    void addTool(QAction *action);
    /// Adds the button of an action after the pages, which narrow windows leave out.
    void addWay(QAction *action);

protected:
    void resizeEvent(QResizeEvent *event) override;

private:
    QHBoxLayout *m_pages, *m_ways, *m_middle, *m_tools;
    QList<QToolButton *> m_wayButtons;
    std::map<QString, QToolButton *> m_buttons;
};

} // namespace riffle
