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

/// What a view may ask of the window around it.
struct ViewHost {
    Session *session = nullptr;
    std::function<void(const QString &file, int line)> openFile;
    std::function<void(const QString &suggestedName, const QString &text)> saveText;
    std::function<void(const QString &suggestedName, const QByteArray &content)> saveFile;
    MemoryFiles *memoryFiles = nullptr; ///< timelines and logs that are open
    QAction *criticalPath = nullptr;    ///< shows it in the timeline or not
    /// What a view was told to look like, from one start to the next; by the id of the view.
    std::function<QJsonObject(const QString &id)> viewState;
    std::function<void(const QString &id, const QJsonObject &state)> keepViewState;
};

/// What is open, as bits.
namespace shown_with {
inline constexpr int Traces = 1, Snapshots = 2, Both = 4, Files = 8; ///< Files: only timelines and logs of memory
}

/// One dockable view. To add a view, add a row to viewCatalog().
struct ViewEntry {
    const char *id;    ///< stable: names the dock in saved layouts
    const char *title; ///< translated in the context riffle::ViewCatalog
    Qt::DockWidgetArea area;
    int shownAtFirst; ///< with what: shown_with; 0: only when asked for
    QWidget *(*make)(const ViewHost &host, QWidget *parent);
    bool (*settled)(const QWidget *view); ///< shows what it should: nothing is being computed
    /// A change of the session on which a hidden view comes forward, or 0.
    Session::Changes showOn;
};

std::span<const ViewEntry> viewCatalog();
QString viewTitle(const ViewEntry &entry);

} // namespace riffle
