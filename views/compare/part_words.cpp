// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/compare/part_words.h"

#include "model/analysis/summary/step_lookup.h"
#include "model/base/format.h"
#include "views/common/look/qt_text.h"

#include <QCoreApplication>
#include <QRegularExpression>

#include <limits>

namespace riffle {

namespace {

constexpr Ns kOpenEnd = std::numeric_limits<Ns>::max() / 4; ///< parseRange() gives it to a range without an end

QString words(const char *text) { return QCoreApplication::translate("riffle::PartWords", text); }

} // namespace

QString partWords(const SideRequest &request, bool hasSteps)
{
    if (request.range)
        return toQString(timeText(request.range->begin) + ":" +
                         (request.range->end >= kOpenEnd ? std::string() : timeText(request.range->end)));
    if (request.steps && request.steps->begin == request.steps->end)
        return words("Step %1").arg(request.steps->begin);
    if (request.steps)
        return words("Steps %1 to %2").arg(request.steps->begin).arg(request.steps->end);
    return request.allSteps ? words("All steps") : hasSteps ? words("Median step") : words("All of it");
}

Result<SideRequest> partFromWords(const QString &text, const SideRequest &before, bool hasSteps)
{
    SideRequest request;
    request.stepMark = before.stepMark;
    const QString typed = text.trimmed();
    for (const bool steps : {true, false})
        if (typed.compare(partWords(request, steps), Qt::CaseInsensitive) == 0)
            return request;
    SideRequest all = request;
    all.allSteps = true;
    if (typed.compare(partWords(all, true), Qt::CaseInsensitive) == 0 ||
        typed.compare(QLatin1String("all"), Qt::CaseInsensitive) == 0)
        return all;
    static const QRegularExpression numbers(QStringLiteral("(-?\\d+)(?:\\D+(\\d+))?"));
    static const QRegularExpression unit(QStringLiteral("\\d\\s*(ns|us|µs|ms|s|m|h)\\b"));
    const bool isRange =
        typed.contains(unit) || typed.startsWith(QLatin1Char(':')) || typed.endsWith(QLatin1Char(':')) || !hasSteps;
    if (isRange) {
        const auto range = parseRange(toUtf8(typed));
        if (!range)
            return range.error();
        request.range = *range;
        return request;
    }
    const QRegularExpressionMatch found = numbers.match(typed);
    const QString last = found.captured(2).isEmpty() ? found.captured(1) : found.captured(2);
    const auto steps = parseSteps(toUtf8(found.hasMatch() ? found.captured(1) + QLatin1Char(':') + last : typed));
    if (!steps)
        return steps.error();
    request.steps = *steps;
    return request;
}

} // namespace riffle
