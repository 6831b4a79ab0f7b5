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

/// A recorded path as it is on this machine: the longest matching beginning of the map is exchanged.
QString mappedPath(const QString &recorded, const Settings::PathMap &map);
/// Puts file and line into a command template ("code -g %f:%l"). Quotes hold blanks together; nothing goes through a
/// shell.
std::optional<EditorCommand> editorCommand(const QString &pattern, const QString &file, int line);
/// Opens a file in the user's editor. An error's text when that failed, else empty.
QString openInEditor(const Settings &settings, const QString &recorded, int line);

} // namespace riffle
