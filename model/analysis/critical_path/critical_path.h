// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/facts/scope.h"
#include "model/trace/trace_set.h"

#include <array>
#include <cstdint>
#include <stop_token>
#include <vector>

namespace riffle {

/// What a part of the critical path is bound by.
enum class PathKind : uint8_t {
    Compute,
    Communication,
    Memcpy,
    Memset,
    LaunchOverhead,  ///< from the start of a launching call to the start of its work, when nothing else held that up
    KernelDelay,     ///< between the end of what device work waited for and its start
    Synchronisation, ///< between the end of what a call waited for and the call's end
    DataLoading,
    Runtime,
    Cpu, ///< operators, Python frames, annotations
    NothingRecorded,
};
inline constexpr size_t kPathKinds = 11;

struct PathKindText {
    const char *key;
    const char *title;
    const char *meaning;
};
const PathKindText &textOf(PathKind kind);

struct PathSegment {
    TimeSpan span;
    SliceRef slice; ///< what took the time, or waited; invalid where nothing was recorded
    PathKind kind = PathKind::NothingRecorded;
};

/// The critical path of a window. Everything in it waits for what precedes it: on a thread for what stands before it, a
/// piece of device work for its launch, for what was on its stream before and for what its stream waited for; a call
/// that waits, for device work; a thread that begins to work again, for the operator of another thread that ended
/// meanwhile. Of these the one that was over last determined when it could begin. The path follows them back from the
/// window's end; no other chain of such waits takes longer. Its segments are in order of time, without gap or overlap,
/// so that they sum to the window.
struct CriticalPath {
    TimeSpan window;
    std::vector<PathSegment> segments;
    std::array<Ns, kPathKinds> sums{};
    uint64_t inferred = 0; ///< waits for another stream that were not recorded but seem to be there
};

/// Of a step (its place in scope.steps()): from its start to its end or that of the last device work launched in it.
/// One that was stopped is of no use.
CriticalPath criticalPathOfStep(const Scope &scope, uint32_t step, std::stop_token stop = {});
/// Of any window: back from what ran at its end.
CriticalPath criticalPathOf(const Scope &scope, TimeSpan window, std::stop_token stop = {});

} // namespace riffle
