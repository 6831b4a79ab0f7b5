// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/result.h"
#include "model/base/time.h"
#include "views/common/look/theme.h"

#include <QSize>
#include <QString>
#include <QStringList>

#include <optional>
#include <string>
#include <vector>

namespace riffle {

/// What to open and how: from the command line, a session file or the menu.
struct OpenRequest {
    QStringList files;
    std::optional<TimeSpan> range; ///< read only this part; ns after the first event
    std::optional<TimeSpan> steps; ///< read only these steps, [begin, end]
    bool useStore = true;
};

/// Where to look once the traces are open.
struct PlaceRequest {
    std::optional<TimeSpan> view; ///< visible range; ns after the first event
    QString select;               ///< "NAME" or "NAME@1.5ms": the slice of that name (that starts then)
    bool empty() const { return !view && select.isEmpty(); }
};

/// The command line.
struct LaunchOptions {
    OpenRequest open;
    PlaceRequest place;
    QString screenshot; ///< a PNG to write instead of showing the window
    QSize size;         ///< of the window; invalid: as it was last
    std::optional<ThemeKind> theme;
};

/// The command line as it was typed.
struct RawLaunchOptions {
    std::vector<std::string> files;
    std::string range, steps, view, select, screenshot, size, theme;
    bool noStore = false;
};

/// What the words of a command line mean, or which of them means nothing.
Result<LaunchOptions> understood(const RawLaunchOptions &raw);

} // namespace riffle
