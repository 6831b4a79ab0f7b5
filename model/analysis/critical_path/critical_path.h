// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/facts/scope.h"
#include "model/base/big_vector.h"
#include "model/trace/trace_set.h"

#include <array>
#include <cstdint>

namespace riffle {

/// The kind of work or wait that bounds a part of the critical path.
enum class PathKind : uint8_t {
    Compute,
    Communication,
    Memcpy,
    Memset,
    LaunchOverhead,  ///< from the start of a launch call to the start of its work, if nothing else delayed the work
    KernelDelay,     ///< from the end of what device work waited for to the start of the work
    Synchronisation, ///< from the end of what a call waited for to the end of the call
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

/// The critical path of a window. Everything in the window waits for what precedes it. A slice on a thread waits for
/// what ran there before it. Device work waits for its launch, for the previous work on its stream, and for what its
/// stream waited for. A synchronizing call waits for device work. A thread that resumes work after a pause waited for
/// work of another thread that ended during the pause. What ended last determined the start. The path follows these
/// waits back from the window's end; no other chain of waits takes longer. Its segments are in order of time, without
/// gaps or overlaps, so that they sum to the window.
struct CriticalPath {
    TimeSpan window;
    BigVector<PathSegment> segments;
    std::array<Ns, kPathKinds> sums{};
    uint64_t inferred = 0; ///< number of waits for another stream that were not recorded but inferred
};

/// The critical path of a step (an index in scope.steps()): from its start to its end or to the end of the last device
/// work launched in it, whichever is later.
CriticalPath criticalPathOfStep(const Scope &scope, uint32_t step);
/// The critical path of any window: back from what ran at its end.
CriticalPath criticalPathOf(const Scope &scope, TimeSpan window);

} // namespace riffle
