// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QJsonObject>
#include <QString>
#include <QWidget>

#include <map>

class QAction;
class QSplitter;
class QStackedWidget;

namespace riffle {

class TabDock;

/// The window below its bar: a page, under it the dock with the tables, and at the right the side panel. A page says
/// whether the dock and the panel stand beside it.
class Workspace : public QWidget {
    Q_OBJECT
public:
    /// How much of the window the dock takes.
    enum class DockSize { Folded, Open, Full };
    enum class Beside { Nothing, Dock, DockAndSide };

    explicit Workspace(QWidget *parent = nullptr);

    void addPage(const QString &id, QWidget *page, Beside beside); ///< owned by the workspace
    void showPage(const QString &id);
    const QString &page() const { return m_page; }
    QWidget *pageWidget() const;
    bool hasDock() const { return beside() != Beside::Nothing; } ///< the page has the dock, folded or not
    bool hasSide() const { return beside() == Beside::DockAndSide; }

    TabDock *dock() const { return m_dock; }
    TabDock *side() const { return m_side; }
    DockSize dockSize() const { return m_dockSize; }
    void setDockSize(DockSize size);
    /// Shows or hides the side panel, on pages that have one.
    void setSideShown(bool shown);
    bool isSideShown() const { return m_isSideShown; }

    QAction *foldAction() const { return m_fold; } ///< folds the dock to its tabs, and opens it again
    QAction *fillAction() const { return m_fill; } ///< lets the dock fill the page's place, and ends that

    /// The current views of the dock and the panel, and whether the dock is open and how high.
    QJsonObject state() const;
    void restoreState(const QJsonObject &state);

signals:
    void arranged(); ///< another page or view is shown, or a part was folded or opened

protected:
    void resizeEvent(QResizeEvent *event) override;

private:
    Beside beside() const;
    void arrange();
    void placeDock();

    struct Page {
        QWidget *widget;
        Beside beside;
    };
    std::map<QString, Page> m_pages;
    QString m_page;
    QSplitter *m_columns; ///< pages and dock | side
    QSplitter *m_rows;    ///< pages | dock
    QStackedWidget *m_stack;
    TabDock *m_dock, *m_side;
    QAction *m_fold, *m_fill;
    DockSize m_dockSize = DockSize::Folded;
    int m_dockHeight = 0; ///< logical pixels, when it is open; 0 for the default
    bool m_isSideShown = false;
};

} // namespace riffle
