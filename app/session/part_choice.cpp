// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/session/part_choice.h"

#include <algorithm>
#include <cmath>

namespace riffle {

namespace {

constexpr double kNsPerSecond = 1e9;
constexpr double kMostSeconds = 1e9; ///< fits into Ns

Ns nsOf(double seconds) { return std::llround(std::clamp(seconds, 0.0, kMostSeconds) * kNsPerSecond); }

} // namespace

std::optional<TimeSpan> PartChoice::steps(std::optional<int64_t> firstStep) const
{
    if (kind == Kind::FirstSteps && firstStep)
        return TimeSpan{*firstStep, *firstStep + std::max<int64_t>(firstSteps, 1) - 1};
    if (kind == Kind::Steps)
        return TimeSpan{std::min(fromStep, toStep), std::max(fromStep, toStep)};
    return std::nullopt;
}

std::optional<TimeSpan> PartChoice::range() const
{
    if (kind != Kind::Time)
        return std::nullopt;
    return TimeSpan{nsOf(std::min(fromSecond, toSecond)), nsOf(std::max(fromSecond, toSecond))};
}

QJsonObject PartChoice::toJson() const
{
    return {{QStringLiteral("kind"), static_cast<int>(kind)}, {QStringLiteral("firstSteps"), qint64(firstSteps)},
            {QStringLiteral("fromStep"), qint64(fromStep)},   {QStringLiteral("toStep"), qint64(toStep)},
            {QStringLiteral("fromSecond"), fromSecond},       {QStringLiteral("toSecond"), toSecond}};
}

PartChoice PartChoice::fromJson(const QJsonObject &object)
{
    PartChoice choice;
    const int kind = object[QStringLiteral("kind")].toInt();
    if (kind >= static_cast<int>(Kind::Everything) && kind <= static_cast<int>(Kind::Time))
        choice.kind = static_cast<Kind>(kind);
    choice.firstSteps = object[QStringLiteral("firstSteps")].toInteger(choice.firstSteps);
    choice.fromStep = object[QStringLiteral("fromStep")].toInteger(choice.fromStep);
    choice.toStep = object[QStringLiteral("toStep")].toInteger(choice.toStep);
    choice.fromSecond = object[QStringLiteral("fromSecond")].toDouble(choice.fromSecond);
    choice.toSecond = object[QStringLiteral("toSecond")].toDouble(choice.toSecond);
    return choice;
}

} // namespace riffle
