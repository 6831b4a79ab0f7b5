// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "views/common/memory/memory_session.h"

#include <QDir>
#include <QJsonObject>
#include <QStringList>

#include <cstdint>
#include <optional>
#include <utility>

namespace riffle {

/// The part of a session file that says which memory snapshot is shown, and how.
struct SessionMemory {
    size_t file = 0; ///< index in SessionFile::files
    size_t device = 0;
    std::optional<uint32_t> instant; ///< the instant after this event; nothing for the instant before the history
    std::optional<std::pair<uint32_t, uint32_t>> range;
    std::optional<uint32_t> selected; ///< row in the device's allocations
    MemorySession::Colour colour = MemorySession::Colour::Stack;
    bool timed = false; ///< the axis shows time, not events
    QString rules;      ///< the file of category rules; empty for the built-in rules

    bool operator==(const SessionMemory &) const = default;
    /// `folder` is the session file's folder; the rules' path is written relative to it.
    QJsonObject toJson(const QDir &folder) const;
    /// Returns nothing if the object does not describe a snapshot. Leaves out values that are not valid.
    static std::optional<SessionMemory> fromJson(const QJsonObject &object, const QDir &folder);

    /// Describes what is shown now, except the axis. `firstFile` is the index of the first snapshot among the session's
    /// files.
    static SessionMemory of(const MemorySession &memory, size_t firstFile);
    /// Shows the same place again. `snapshot` is its index among the open snapshots.
    void applyTo(MemorySession *memory, size_t snapshot) const;
};

/// The index in `opened` of the session's file files[file]; nothing if that file could not be opened. `files` are all
/// files of the session, `opened` the files of the open snapshots, in the same order.
std::optional<size_t> openedSnapshot(const QStringList &files, size_t file, const QStringList &opened);

} // namespace riffle
