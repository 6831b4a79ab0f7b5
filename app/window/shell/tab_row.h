// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <QWidget>

#include <vector>

class QLabel;
class QMenu;
class QToolButton;

namespace riffle {

class TabButton;

/// A row of tabs in groups that never scrolls. The names of the groups stand before their tabs if there is room. Tabs
/// without room are in a menu at the end, except the current one.
class TabRow : public QWidget {
    Q_OBJECT
public:
    explicit TabRow(QWidget *parent = nullptr);

    /// Tabs of one group must be added one after another. An empty group has no name.
    void add(const QString &id, const QString &title, const QString &group);
    /// Shows the tab, or hides it because it does not apply to what is open.
    void setOffered(const QString &id, bool offered);
    bool isOffered(const QString &id) const;
    void setCurrent(const QString &id); ///< empty for none
    const QString &current() const { return m_current; }
    /// The ids of the tabs that stand in the row, from left to right.
    std::vector<QString> shown() const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

signals:
    void chosen(const QString &id);
    void doubleClicked();

protected:
    void resizeEvent(QResizeEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    struct Tab {
        QString id, group;
        TabButton *button;
        bool isOffered = true;
    };
    const Tab *find(const QString &id) const;
    int widthOf(const std::vector<const Tab *> &tabs, bool named) const;
    void arrange();
    void fillMenu(QMenu *menu);

    std::vector<Tab> m_tabs;
    std::vector<QLabel *> m_names; ///< of the groups, by the order of their tabs
    std::vector<const Tab *> m_hidden;
    QString m_current;
    QToolButton *m_more;
};

} // namespace riffle
