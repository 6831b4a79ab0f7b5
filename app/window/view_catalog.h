// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "views/common/session/session.h"

#include <QJsonObject>
#include <QString>

#include <functional>
#include <span>

class QAction;
class QWidget;

namespace riffle {

class MemoryFiles;

/// The services that the window offers its views.
struct ViewHost {
    Session *session = nullptr;
    std::function<void(const QString &file, int line)> openFile;
    std::function<void(const QString &suggestedName, const QString &text)> saveText;
    std::function<void(const QString &suggestedName, const QByteArray &content)> saveFile;
    MemoryFiles *memoryFiles = nullptr; ///< the open memory timelines and memory logs
    QAction *criticalPath = nullptr;    ///< toggles the critical path in the timeline
    /// Load and save the state of the view with this id, which is kept from one start to the next.
    std::function<QJsonObject(const QString &id)> viewState;
    std::function<void(const QString &id, const QJsonObject &state)> keepViewState;
};

/// The kinds of open files, as bits.
namespace shown_with {
inline constexpr int Traces = 1, Snapshots = 2, Both = 4, Files = 8; ///< Files: only memory timelines and memory logs
}

/// One dockable view. To add a view, add a row to viewCatalog().
struct ViewEntry {
    const char *id;    ///< must not change, because it names the dock in saved layouts
    const char *title; ///< translated in the context riffle::ViewCatalog
    Qt::DockWidgetArea area;
    int shownAtFirst; ///< bits of shown_with for which the view is shown at first; 0 if it is always hidden at first
    QWidget *(*make)(const ViewHost &host, QWidget *parent);
    bool (*settled)(const QWidget *view); ///< true if the view is up to date and nothing is being computed
    /// The changes of the session that show the view if it is hidden and an area is selected; 0 for none.
    Session::Changes showOn;
};

std::span<const ViewEntry> viewCatalog();
QString viewTitle(const ViewEntry &entry);

} // namespace riffle
