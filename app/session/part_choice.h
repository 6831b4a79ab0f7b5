// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/time.h"

#include <QJsonObject>

#include <cstdint>
#include <optional>

namespace riffle {

/// The part of traces that the user chose, and how; the next question starts with it.
struct PartChoice {
    enum class Kind : uint8_t { Everything, FirstSteps, Steps, Time } kind = Kind::Everything;
    int64_t firstSteps = 3;
    int64_t fromStep = 0, toStep = 0;    ///< both included
    double fromSecond = 0, toSecond = 1; ///< after the first event

    /// The numbers of the steps to read, both included; nothing if the choice is none of steps.
    std::optional<TimeSpan> steps(std::optional<int64_t> firstStep) const;
    /// The range to read, in ns after the first event; nothing if the choice is no range.
    std::optional<TimeSpan> range() const;

    QJsonObject toJson() const;
    static PartChoice fromJson(const QJsonObject &object);
};

} // namespace riffle
