// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/session/saved_marks.h"

#include "views/common/session/pane_link.h"

#include <algorithm>

namespace riffle {

namespace {

std::optional<TimeSpan> spanFrom(const QJsonValue &value, const QString &begin, const QString &end)
{
    bool goodBegin = false;
    bool goodEnd = false;
    const TimeSpan span{value[begin].toString().toLongLong(&goodBegin), value[end].toString().toLongLong(&goodEnd)};
    return goodBegin && goodEnd && span.begin <= span.end ? std::optional(span) : std::nullopt;
}

} // namespace

std::vector<TraceId> memberIds(const TraceSet &traces)
{
    std::vector<TraceId> ids;
    for (const TraceMember &member : traces.members())
        ids.push_back(member.id);
    return ids;
}

std::optional<RankSpan> rankSpan(const std::vector<TraceId> &files, TimeSpan span, TraceId trace)
{
    const auto found = std::ranges::find(files, trace);
    if (!trace.valid() || found == files.end())
        return std::nullopt;
    return RankSpan{static_cast<size_t>(found - files.begin()), span};
}

std::vector<SavedMark> savedMarks(const TraceSet &traces, const std::vector<Mark> &marks,
                                  const std::vector<TraceId> &files)
{
    std::vector<SavedMark> saved;
    for (const Mark &mark : marks)
        saved.push_back(
            {movedBy(mark.in(traces), -traces.origin()), mark.note, rankSpan(files, mark.span, mark.trace)});
    return saved;
}

std::vector<Mark> marksIn(const TraceSet &traces, const std::vector<SavedMark> &saved,
                          const std::vector<TraceId> &files)
{
    std::vector<Mark> marks;
    for (const SavedMark &mark : saved)
        if (const TraceId trace = mark.own && mark.own->file < files.size() ? files[mark.own->file] : TraceId();
            traces.find(trace))
            marks.push_back({mark.own->span, mark.note, trace});
        else
            marks.push_back({movedBy(mark.span, traces.origin()), mark.note});
    return marks;
}

QJsonObject rankSpanToJson(const RankSpan &own)
{
    return {{QStringLiteral("file"), static_cast<qint64>(own.file)},
            {QStringLiteral("begin"), QString::number(own.span.begin)},
            {QStringLiteral("end"), QString::number(own.span.end)}};
}

std::optional<RankSpan> rankSpanFromJson(const QJsonValue &value)
{
    const qint64 file = value[QStringLiteral("file")].toInteger(-1);
    const auto span = spanFrom(value, QStringLiteral("begin"), QStringLiteral("end"));
    if (file < 0 || !span || span->begin < kEarliestTime || span->end > kLatestTime)
        return std::nullopt;
    return RankSpan{static_cast<size_t>(file), *span};
}

QJsonArray marksToJson(const std::vector<SavedMark> &marks)
{
    QJsonArray array;
    for (const SavedMark &mark : marks) {
        QJsonObject entry{{QStringLiteral("begin_ns"), QString::number(mark.span.begin)},
                          {QStringLiteral("end_ns"), QString::number(mark.span.end)},
                          {QStringLiteral("note"), mark.note}};
        if (mark.own)
            entry[QStringLiteral("own")] = rankSpanToJson(*mark.own);
        array.append(entry);
    }
    return array;
}

std::vector<SavedMark> marksFromJson(const QJsonArray &array)
{
    std::vector<SavedMark> marks;
    for (const QJsonValue &value : array)
        if (const auto span = spanFrom(value, QStringLiteral("begin_ns"), QStringLiteral("end_ns")))
            marks.push_back(
                {*span, value[QStringLiteral("note")].toString(), rankSpanFromJson(value[QStringLiteral("own")])});
    return marks;
}

} // namespace riffle
