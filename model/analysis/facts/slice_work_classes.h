// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/work_class.h"

#include <memory>

namespace riffle {

class TraceFacts;

/// Computes what kind of work each slice of a trace is, in parallel. Kernels have the class of their name
/// (kernelClass()), judged once per name; copies and memsets are copies; other slices on streams have none. Slices on
/// threads have the class of the stage whose outermost slice contains them on the same thread, as Stages recognises it:
/// a forward that is recomputed in backward is backward. Slices in no stage are other, as are all if the trace shows
/// none. A trace that is not of a training run gets no classes. Throws Stopped if the StopScope is stopped.
std::shared_ptr<const WorkClasses> sliceWorkClasses(const TraceFacts &facts);

} // namespace riffle
