// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace riffle {

class Trace;
class TraceFacts;
struct TraceInfo;

/// The program that recorded a trace. It decides what the trace can contain and how to record what is missing.
enum class Recorder : uint8_t { PyTorch, Paddle, Riffle, Other };

Recorder recorderOf(const TraceInfo &info);

/// True if the trace contains anything that can be shown in time: slices, counters, instants or memory events. Of a
/// partially read trace, the slices outside the requested part do not count.
bool hasEvents(const Trace &trace);

/// True if the trace comes from a training run or the like: a recorder for such runs wrote it, or it contains
/// operators, data loading, marked steps, or anything on a device.
bool isOfTraining(const TraceFacts &facts);

} // namespace riffle
