// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/result.h"
#include "model/base/time.h"
#include "model/trace/time_map.h"
#include "views/common/look/theme.h"

#include <QSize>
#include <QString>
#include <QStringList>

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace riffle {

/// The files to open and how to open them, from the command line, a session file or the menu.
struct OpenRequest {
    QStringList files;
    QStringList origins; ///< the folders and archives that `files` were found in; empty if the user named `files`
    std::optional<TimeSpan> range; ///< read only this part; in ns after the first event
    std::optional<TimeSpan> steps; ///< read only these steps, begin and end included
    bool isPartChosen = false;     ///< the user has chosen the part, or all, and is not asked
    bool useStore = true;
    size_t first = 0;                ///< the position in `files` of the file that is looked at, which is read first
    std::map<size_t, TimeMap> times; ///< by position in `files`, the places of traces on the set's clock that are known
    const QStringList &named() const { return origins.isEmpty() ? files : origins; } ///< what the user named
};

/// The place to show once the traces are open.
struct PlaceRequest {
    std::optional<TimeSpan> view = {}; ///< visible range, in ns after the first event
    QString select = {}; ///< the slice to select: "NAME", or "NAME@1.5ms" for the one that starts at that time
    QString show = {};   ///< the id of a page or table to show (view_catalog.h)
    bool empty() const { return !view && select.isEmpty() && show.isEmpty(); }
};

/// The parsed options of the command line.
struct LaunchOptions {
    OpenRequest open;
    PlaceRequest place;
    QString screenshot; ///< a PNG to write instead of showing the window
    QSize size;         ///< window size; invalid to keep the last one
    std::optional<ThemeKind> theme;
};

/// The options of the command line as text.
struct RawLaunchOptions {
    std::vector<std::string> files;
    std::string range, steps, view, select, show, screenshot, size, theme;
    bool noStore = false;
};

/// Parses the values of the command line; an error names the value that is not valid.
Result<LaunchOptions> understood(const RawLaunchOptions &raw);

} // namespace riffle
