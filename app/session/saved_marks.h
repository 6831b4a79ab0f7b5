// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "views/common/session/marks.h"

#include <QJsonArray>
#include <QJsonObject>

#include <optional>
#include <vector>

namespace riffle {

/// A range on a rank as it is saved: in the time of the rank's trace, which is named by its place in a list of files.
/// The functions here are given the traces that these files became.
struct RankSpan {
    size_t file = 0;
    TimeSpan span;
    bool operator==(const RankSpan &) const = default;
};

/// A mark as it is saved. One on a rank also has its place in set time, for the case that its trace is missing later.
struct SavedMark {
    TimeSpan span; ///< relative to the first event of any trace
    QString note;
    std::optional<RankSpan> own = {};
    bool operator==(const SavedMark &) const = default;
};

/// The traces of a set, in its order.
std::vector<TraceId> memberIds(const TraceSet &traces);

/// The range of a mark or area that is on a rank; nothing if it is in set time, or the rank is none of the files.
std::optional<RankSpan> rankSpan(const std::vector<TraceId> &files, TimeSpan span, TraceId trace);

std::vector<SavedMark> savedMarks(const TraceSet &traces, const std::vector<Mark> &marks,
                                  const std::vector<TraceId> &files);
/// The saved marks in a set. A mark on a rank that is not loaded is in set time.
std::vector<Mark> marksIn(const TraceSet &traces, const std::vector<SavedMark> &saved,
                          const std::vector<TraceId> &files);

/// Times are text, because a JSON number is a double and would lose nanoseconds.
QJsonArray marksToJson(const std::vector<SavedMark> &marks);
std::vector<SavedMark> marksFromJson(const QJsonArray &array);

QJsonObject rankSpanToJson(const RankSpan &own);
/// Nothing if the value is no such range, or a time is absurd.
std::optional<RankSpan> rankSpanFromJson(const QJsonValue &value);

} // namespace riffle
