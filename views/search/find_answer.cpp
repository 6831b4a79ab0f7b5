// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/search/find_answer.h"

#include "model/analysis/summary/step_lookup.h"
#include "model/base/format.h"
#include "views/common/look/qt_text.h"
#include "views/search/search_words.h"

#include <QCoreApplication>
#include <QRegularExpression>

#include <algorithm>

namespace riffle {

namespace {

constexpr uint64_t kMostRows = 200;
constexpr size_t kTicks = 2048;
constexpr size_t kMostLanes = 3;

QString say(const char *text) { return QCoreApplication::translate("riffle::FindAnswer", text); }

Choice rowOf(const TraceSet &traces, SliceRef ref)
{
    const LoadedTrace &member = *traces.find(ref.trace);
    const Slice slice = *member.trace->slice(ref.slice);
    QString lane = toQString(member.trace->laneName(slice.lane));
    if (traces.members().size() > 1)
        lane = toQString(traces.title(ref.trace)) + QStringLiteral(" · ") + lane;
    return {singleLine(toQString(member.trace->string(slice.data.name)), 300),
            {lane, toQString(formatDuration(member.time.toSet(slice.data.start) - traces.origin())),
             toQString(formatDuration(slice.data.duration))}};
}

bool isIn(std::string_view text, const QString &word) { return toQString(text).contains(word, Qt::CaseInsensitive); }

void addPlaces(std::vector<Destination> &places, const TraceSet &traces, const QString &text)
{
    const std::string typed = toUtf8(text);
    const Result<TimeSpan> place = lookUpPlace(traces, typed);
    const auto step = parseStepNumber(typed);
    const auto ofStep = step ? stepSpan(traces, *step) : std::nullopt;
    if (place) {
        const bool isStep = ofStep && ofStep->begin == place->begin && ofStep->end == place->end;
        const QString begin = toQString(formatDuration(place->begin - traces.origin()));
        places.push_back({isStep ? say("step %1").arg(*step)
                          : place->empty()
                              ? begin
                              : say("%1 to %2").arg(begin, toQString(formatDuration(place->end - traces.origin()))),
                          *place,
                          {},
                          {}});
    }
    if (text.size() < 2)
        return;
    for (const LoadedTrace &member : traces.loaded())
        if (const std::string title = traces.title(member.id);
            traces.size() > 1 && toQString(title).compare(text, Qt::CaseInsensitive) == 0 && member.trace->lanes.size())
            places.push_back({toQString(title), {}, LaneRef{member.id, LaneId(0)}, {}});
    size_t lanes = 0;
    for (const LoadedTrace &member : traces.loaded())
        for (uint32_t lane = 0; lane < member.trace->lanes.size() && lanes < kMostLanes; ++lane)
            if (const std::string name = member.trace->laneName(LaneId(lane)); isIn(name, text)) {
                const QString rank =
                    traces.size() > 1 ? toQString(traces.title(member.id)) + QStringLiteral(" · ") : QString();
                places.push_back({rank + toQString(name), {}, LaneRef{member.id, LaneId(lane)}, {}});
                ++lanes;
            }
}

/// Adds the first slice of a line of Python, whose slices are named "train.py(12): step".
void addLine(std::vector<Destination> &places, const TraceSet &traces, const QString &text, const Task &task)
{
    static const QRegularExpression line(QStringLiteral("^(\\S+\\.py):(\\d+)$"));
    const QRegularExpressionMatch match = line.match(text);
    if (!match.hasMatch())
        return;
    SearchQuery query;
    query.text = toUtf8(QStringLiteral("%1(%2)").arg(match.captured(1), match.captured(2)));
    const Result<SearchHits> hits = search(traces, query, task);
    if (hits && hits->count() > 0)
        places.push_back({text, {}, {}, hits->next({})});
}

} // namespace

FindAnswer findAnswer(const TraceSet &traces, const QString &typed, TimeSpan whole, const Task &task)
{
    FindAnswer answer;
    const QString text = typed.trimmed();
    addPlaces(answer.destinations, traces, text);
    addLine(answer.destinations, traces, text, task);
    const SearchQuery query = searchQueryOf(text);
    if (query.text.empty())
        return answer;
    Result<SearchHits> hits = search(traces, query, task);
    if (!hits) {
        answer.trouble = toQString(hits.error().message);
        return answer;
    }
    answer.hits = std::move(*hits);
    SliceRef at;
    for (uint64_t row = 0; row < std::min(kMostRows, answer.hits.count()); ++row) {
        at = answer.hits.next(at);
        answer.first.push_back(at);
        answer.firstRows += rowOf(traces, at);
    }
    answer.ticks = answer.hits.spread(whole, kTicks);
    return answer;
}

} // namespace riffle
