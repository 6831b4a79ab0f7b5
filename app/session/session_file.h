// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/session/session_memory.h"
#include "model/base/result.h"
#include "model/trace/source_identity.h"
#include "views/common/session/session.h"

#include <QJsonObject>
#include <QString>
#include <QStringList>

#include <optional>
#include <vector>

namespace riffle {

/// A `.riffle` file: which traces, where to look, what is selected and noted. Small JSON, to be handed on beside the
/// traces. Times are relative to the traces' first event and written as text, so no nanosecond is lost.
struct SessionFile {
    struct File {
        QString path; ///< absolute once read; written relative to the session file
        std::optional<SourceIdentity> identity;
    };
    struct Lane {
        size_t file = 0; ///< index in `files`
        QString key;     ///< laneKey() of the lane
        bool operator==(const Lane &) const = default;
    };
    struct SelectedSlice {
        QString name;
        Ns start = 0; ///< after the first event
        std::optional<Lane> lane;
        uint32_t row = 0; ///< of the lane: tells slices apart that are equal otherwise
    };
    std::vector<File> files;
    std::optional<TimeSpan> range; ///< only this part was read
    std::optional<TimeSpan> steps;
    std::optional<TimeSpan> visible;
    std::optional<TimeSpan> area;
    std::vector<Lane> areaLanes; ///< none: the area covers all lanes
    std::optional<SelectedSlice> selected;
    std::vector<Mark> marks; ///< relative times
    QJsonObject lanes;
    std::optional<SessionMemory> memory; ///< of snapshots, where it names any

    /// By its name only; what it holds is looked at when it is read.
    static bool isNamedLikeOne(const QString &path);
    static Result<SessionFile> read(const QString &path);
    Result<void> write(const QString &path) const;
    /// The files that are not what they were when the session was written; missing ones are not among them.
    QStringList changedFiles() const;
};

} // namespace riffle
