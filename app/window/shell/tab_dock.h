// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <QWidget>

#include <map>

class QAction;
class QHBoxLayout;
class QStackedWidget;

namespace riffle {

class TabRow;

/// Views behind tabs, one of which is shown. The dock can be folded to its tabs, and a view that is not shown does
/// nothing.
class TabDock : public QWidget {
    Q_OBJECT
public:
    explicit TabDock(QWidget *parent = nullptr);

    /// Adds a view, which the dock owns. Views of one group must be added one after another.
    void add(const QString &id, const QString &title, const QString &group, QWidget *view);
    void setOffered(const QString &id, bool offered); ///< hides the tab of a view that does not apply
    bool isOffered(const QString &id) const;
    bool has(const QString &id) const { return m_views.contains(id); }

    /// Makes a view the current one, which is seen unless the dock is folded. A view that is not offered is left out.
    void setCurrent(const QString &id);
    const QString &current() const;
    QWidget *currentView() const; ///< null if there is none
    bool isFolded() const { return m_isFolded; }
    void setFolded(bool folded);

    TabRow *tabs() const { return m_tabs; }
    /// Adds the button of an action at the end of the tabs.
    void addTool(QAction *action);
    QSize minimumSizeHint() const override;

signals:
    void chosen(const QString &id); ///< the user has clicked a tab
    void doubleClicked();

private:
    TabRow *m_tabs;
    QHBoxLayout *m_head;
    QStackedWidget *m_stack;
    std::map<QString, QWidget *> m_views;
    bool m_isFolded = false;
};

} // namespace riffle
