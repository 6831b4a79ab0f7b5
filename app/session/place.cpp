// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/session/place.h"

#include "model/analysis/search/find_slice.h"
#include "model/analysis/summary/step_lookup.h"
#include "views/common/look/qt_text.h"

#include <QRegularExpression>

namespace riffle {

namespace {

/// Quotes a text for a POSIX shell if necessary.
QString shellWord(const QString &text)
{
    static const QRegularExpression plain(QStringLiteral("^[A-Za-z0-9_@%+=:,./-]+$"));
    if (plain.match(text).hasMatch())
        return text;
    QString quoted = text;
    quoted.replace(QLatin1Char('\''), QStringLiteral("'\\''"));
    return QLatin1Char('\'') + quoted + QLatin1Char('\'');
}

QString spanText(TimeSpan span)
{
    return toQString(timeText(span.begin)) + QLatin1Char(':') + toQString(timeText(span.end));
}

} // namespace

QString selectedName(const Session &session)
{
    const SliceRef ref = session.selected();
    const Trace *trace = session.traces().trace(ref.trace);
    const std::optional<Slice> slice = trace ? trace->slice(ref.slice) : std::nullopt;
    return slice ? toQString(trace->string(slice->data.name)) : QString();
}

QString selectText(const Session &session, SliceRef ref)
{
    const Trace *trace = session.traces().trace(ref.trace);
    const std::optional<Slice> slice = trace ? trace->slice(ref.slice) : std::nullopt;
    if (!slice)
        return {};
    const TraceSet &set = session.traces();
    const Ns start = set.time(ref.trace).toSet(slice->data.start) - set.origin();
    return toQString(trace->string(slice->data.name)) + QLatin1Char('@') + toQString(timeText(start));
}

QString commandLineFor(const OpenRequest &request, const Session &session)
{
    QStringList words{QStringLiteral("riffle")};
    if (request.range)
        words << QStringLiteral("--range") << spanText(*request.range);
    if (request.steps)
        words << QStringLiteral("--steps") << QStringLiteral("%1:%2").arg(request.steps->begin).arg(request.steps->end);
    if (!session.traces().empty()) {
        const Ns origin = session.traces().origin();
        const TimeSpan visible = session.pane()->visibleRange();
        // Joined with "=", because a range can start with a minus sign.
        words << QStringLiteral("--view=") + spanText({visible.begin - origin, visible.end - origin});
    }
    if (const QString select = selectText(session, session.selected()); !select.isEmpty())
        words << QStringLiteral("--select") << shellWord(select);
    for (const QString &file : request.named())
        words << shellWord(file);
    return words.join(QLatin1Char(' '));
}

bool goToPlace(Session &session, const PlaceRequest &place)
{
    const Ns origin = session.traces().origin();
    if (place.view)
        session.pane()->setVisibleRange(
            {saturatedSum(origin, place.view->begin), saturatedSum(origin, place.view->end)});
    if (place.select.isEmpty())
        return true;
    const std::string whole = toUtf8(place.select);
    const TimeSpan prefer = place.view ? session.pane()->visibleRange() : session.traces().span();
    // A name can itself contain an "@", so try the whole text as a name first.
    SliceRef slice = findSlice(session.traces(), whole, std::nullopt, prefer);
    if (const size_t at = whole.rfind('@'); !slice.valid() && at != whole.npos) {
        if (const auto start = parseTime(std::string_view(whole).substr(at + 1)))
            slice = findSlice(session.traces(), std::string_view(whole).substr(0, at), saturatedSum(origin, *start),
                              prefer);
    }
    if (!slice.valid())
        return false;
    session.select(slice);
    session.pane()->reveal(slice);
    return true;
}

} // namespace riffle
