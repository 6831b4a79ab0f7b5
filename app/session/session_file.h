// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/session/saved_marks.h"
#include "app/session/session_memory.h"
#include "model/base/result.h"
#include "model/trace/source_identity.h"
#include "model/trace/time_map.h"
#include "views/common/session/session.h"

#include <QJsonObject>
#include <QString>
#include <QStringList>

#include <optional>
#include <vector>

namespace riffle {

/// A `.riffle` file, which stores the names of the open files, the visible place, the selection, the filters and the
/// marks. It is a small JSON file that can be passed on together with the traces. Times are relative to the earliest
/// event of any trace and written as text, so that no nanosecond is lost. Traces come first, in the order of the set.
struct SessionFile {
    struct File {
        QString path; ///< absolute in memory; relative to the session file on disk
        std::optional<SourceIdentity> identity;
        std::optional<TimeMap> time; ///< for a trace: its place on the clock whose 0 is the first event, if it was set
        std::optional<size_t> trace; ///< for a snapshot: the index in `files` of the trace that it belongs to
    };
    struct Lane {
        size_t file = 0; ///< index in `files`
        QString key;     ///< laneKey() of the lane
        bool operator==(const Lane &) const = default;
    };
    struct SelectedSlice {
        QString name;
        Ns start = 0; ///< in ns after the first event
        std::optional<Lane> lane;
        uint32_t row = 0; ///< row in the lane; distinguishes slices of the same name and start
    };
    /// The filters, whose lanes and traces are those of the session's files.
    struct SavedFilters {
        Filters plain; ///< without lanes and traces
        std::vector<Lane> lanes;
        std::vector<size_t> traces; ///< indexes in `files`
        bool followsView = false;   ///< analyses cover only the visible range
    };
    std::vector<File> files;
    std::optional<TimeSpan> range; ///< the part of the traces that was read; nothing if all was read
    std::optional<TimeSpan> steps;
    std::optional<TimeSpan> visible;
    std::optional<TimeSpan> area;
    std::vector<Lane> areaLanes;     ///< empty if the area covers all lanes
    std::optional<RankSpan> areaOwn; ///< if the area is on a rank
    std::optional<SelectedSlice> selected;
    std::vector<SavedMark> marks;
    QJsonObject lanes;
    std::optional<SavedFilters> filters; ///< nothing in files of versions that did not save them
    QJsonObject view;                    ///< the page, the tables and their groupings, as the window describes them
    std::optional<SessionMemory> memory; ///< nothing if no snapshot was open

    /// True if the path has the extension of session files. Does not look at the content.
    static bool isNamedLikeOne(const QString &path);
    static Result<SessionFile> read(const QString &path);
    Result<void> write(const QString &path) const;
    /// The same session about some of its files, in their order. What is said about the others is left out.
    SessionFile keeping(const std::vector<size_t> &kept) const;
    /// The files that have changed since the session was written. Missing files are not included.
    QStringList changedFiles() const;
};

} // namespace riffle
