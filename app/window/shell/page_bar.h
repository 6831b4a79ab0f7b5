// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

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
    void setMiddle(QWidget *middle);
    void addTool(QAction *action);

private:
    QHBoxLayout *m_pages, *m_middle, *m_tools;
    std::map<QString, QToolButton *> m_buttons;
};

} // namespace riffle
