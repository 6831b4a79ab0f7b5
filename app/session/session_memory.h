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

/// What a session file says of the memory snapshots that it names: which one is looked at, and what of it.
struct SessionMemory {
    size_t file = 0; ///< index in SessionFile::files
    size_t device = 0;
    std::optional<uint32_t> instant; ///< an event; nothing: before the history
    std::optional<std::pair<uint32_t, uint32_t>> range;
    std::optional<uint32_t> selected; ///< row of the device's allocations
    MemorySession::Colour colour = MemorySession::Colour::Stack;
    bool timed = false; ///< the axis counts time, not events
    QString rules;      ///< the file of the rules that guess categories; empty: the built-in ones

    bool operator==(const SessionMemory &) const = default;
    /// `folder`: of the session file, which the rules' path is relative to.
    QJsonObject toJson(const QDir &folder) const;
    /// Nothing where there is none. What makes no sense in it is left out.
    static std::optional<SessionMemory> fromJson(const QJsonObject &object, const QDir &folder);

    /// Of what is looked at; without axis. `firstFile`: index of the first snapshot among the files of the session.
    static SessionMemory of(const MemorySession &memory, size_t firstFile);
    /// Looks at the same again. `snapshot`: which of the open ones it is.
    void applyTo(MemorySession *memory, size_t snapshot) const;
};

/// Which of the snapshots that are open is a file of the session; nothing where it could not be opened. `files`: of the
/// session; `opened`: of the snapshots, in the same order.
std::optional<size_t> openedSnapshot(const QStringList &files, size_t file, const QStringList &opened);

} // namespace riffle
