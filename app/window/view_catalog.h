// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/window/shell/workspace.h"
#include "app/window/window_facts.h"
#include "views/common/session/session.h"

#include <QJsonObject>
#include <QString>

#include <functional>
#include <span>

class QAction;
class QWidget;

namespace riffle {

class ComparisonState;
class FlightFiles;
class MemoryFiles;

/// The services that the window offers its views.
struct ViewHost {
    Session *session = nullptr;
    std::function<void(const QString &file, int line)> openFile;
    std::function<void(const QString &suggestedName, const QString &text)> saveText;
    std::function<void(const QString &suggestedName, const QByteArray &content)> saveFile;
    std::function<void(const QString &page)> showPage;
    MemoryFiles *memoryFiles = nullptr; ///< the open memory timelines and memory logs
    FlightFiles *flightFiles = nullptr; ///< the open dumps of the Flight Recorder
    QAction *criticalPath = nullptr;    ///< toggles the critical path in the timeline
    ComparisonState *comparison = nullptr;
    /// Shows the comparison of two members; of one with itself, of two of its steps.
    std::function<void(TraceId a, TraceId b)> compareMembers;
    /// Load and save the state of the view with this id, which is kept from one start to the next.
    std::function<QJsonObject(const QString &id)> viewState;
    std::function<void(const QString &id, const QJsonObject &state)> keepViewState;
};

/// A page of the window. To add one, add a row to pageCatalog().
struct PageEntry {
    const char *id;    ///< must not change, because saved layouts name it
    const char *title; ///< translated in the context riffle::ViewCatalog
    int key;           ///< the shortcut; 0 for a digit with Ctrl
    Workspace::Beside beside;
    bool (*applies)(const WindowFacts &facts);
    QWidget *(*make)(const ViewHost &host, QWidget *parent);
    bool (*settled)(const QWidget *page); ///< true if the page is up to date and nothing is being computed
};

/// A view with a tab in the dock or in the side panel. To add one, add a row to viewCatalog().
struct ViewEntry {
    const char *id;    ///< must not change, because saved layouts name it
    const char *title; ///< translated in the context riffle::ViewCatalog
    const char *group; ///< the group of its tab in the dock, translated too; empty for the side panel
    bool (*applies)(const WindowFacts &facts);
    QWidget *(*make)(const ViewHost &host, QWidget *parent);
    bool (*settled)(const QWidget *view); ///< true if the view is up to date and nothing is being computed
    bool isInSide() const { return *group == 0; }
};

std::span<const PageEntry> pageCatalog();
std::span<const ViewEntry> viewCatalog();
/// A title or the name of a group in the user's language.
QString catalogText(const char *text);

} // namespace riffle
