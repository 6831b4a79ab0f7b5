// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/session/settings.h"

#include <QString>

#include <optional>

namespace riffle {

/// A program and its arguments.
struct EditorCommand {
    QString program;
    QStringList arguments;
};

/// Translates a recorded path to this machine by replacing the longest prefix that the map contains.
QString mappedPath(const QString &recorded, const Settings::PathMap &map);
/// Puts file and line into a command template ("code -g %f:%l"). Quotes protect spaces; no shell is involved. Empty
/// if the template is empty.
std::optional<EditorCommand> editorCommand(const QString &pattern, const QString &file, int line);
/// Opens a file in the user's editor. Returns an error message, or an empty text on success.
QString openInEditor(const Settings &settings, const QString &recorded, int line);

} // namespace riffle
