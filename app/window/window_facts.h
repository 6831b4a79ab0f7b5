// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <stop_token>

namespace riffle {

class Session;

/// The facts about the open files that decide which pages and tables apply.
struct WindowFacts {
    bool traces = false, snapshots = false;
    bool memoryFiles = false; ///< memory timelines or memory logs
    bool flightDumps = false; ///< dumps of the Flight Recorder
    bool devices = false;     ///< a trace has device work
    bool area = false;        ///< an area is selected
    bool ranks = false;       ///< something was found of more than one rank
    bool training = false;    ///< a trace is from machine learning
    bool failed = false;      ///< a snapshot has an allocation that failed
    bool operator==(const WindowFacts &) const = default;
};

/// The facts that take no time to find; `training` is true if the tables of a trace show it.
WindowFacts quickFacts(const Session &session);
/// Completes `training` and `failed`, for which traces and snapshots must be looked at. The function runs on a worker.
std::function<WindowFacts(std::stop_token)> completion(const WindowFacts &quick, const Session &session);

} // namespace riffle
