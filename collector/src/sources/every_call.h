// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collector/src/sources/python_stacks.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace riffle::collector {

/// Every Python call as a range, by a profile function of the interpreter (PyEval_SetProfile), which each thread has
/// for itself. Those of the first four need the GIL.

/// The answer to an installation of the profile function.
struct EveryCallAnswer {
    std::string why;     ///< if not empty: why calls are not recorded, or not in all threads
    bool isNone = false; ///< calls are not recorded at all
};
/// Gives the profile function to all threads that have none. `prefixes` are those of files, one per line, that are left
/// out of the calls' names.
EveryCallAnswer installEveryCall(std::string_view prefixes);
/// Gives it to the calling thread, if others have it. Returns false if not.
bool joinEveryCall();
void removeEveryCall(); ///< from all threads
/// In the child of a fork, whose only thread gives the function back at its next call.
void forkedEveryCall();

/// The recording wants calls from now on, or not any more.
void recordEveryCall(bool on);
/// The number of the period in which calls are recorded now; 0: they are not.
uint32_t everyCallPeriod();
/// The end of a period that is over.
int64_t endOfCallPeriod(uint32_t number);

/// The value in a log that tells about stacks of that way.
PythonStacksSaid stacksSaid(StacksWay way);
/// True once after another profile function has come into the place of ours.
bool wasEveryCallReplaced();

} // namespace riffle::collector
