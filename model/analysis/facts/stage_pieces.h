// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/facts/slice_classes.h"
#include "model/base/big_vector.h"
#include "model/trace/trace.h"

#include <cstdint>

namespace riffle {

/// The way in which the forward calls of a trace are recognised.
enum class ForwardRule : uint8_t {
    Marked,    ///< Paddle marks them
    Modules,   ///< nn.Module frames
    Annotated, ///< slices named ….forward, such as DistributedDataParallel.forward
    Operators, ///< operators in no other stage, except those after the last backward of a step
};

/// The stage that a slice's name or category indicates.
enum class StageMark : uint8_t { None, Dataloader, Forward, Backward, Optimization, Module, Annotated, Operator };

struct StagePiece {
    uint32_t lane;
    TimeSpan span;
    uint32_t slice;
    StageMark mark;
};

/// The outermost slices of a trace that belong to a stage. Stages are built from them.
struct StagePieces {
    BigVector<StagePiece> pieces; ///< sorted by lane, then start
    BigVector<uint32_t> byStart;  ///< indices of pieces, sorted by start, then slice
    ForwardRule forward = ForwardRule::Marked;

    StagePieces(const Trace &trace, const SliceClasses &classes);
};

} // namespace riffle
