// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/facts/slice_classes.h"
#include "model/trace/trace.h"

#include <cstdint>
#include <vector>

namespace riffle {

/// How the forward calls of a trace are known.
enum class ForwardRule : uint8_t {
    Marked,    ///< Paddle marks them
    Modules,   ///< nn.Module frames
    Annotated, ///< slices named ….forward, as DistributedDataParallel.forward
    Operators, ///< operators in no other stage, but those behind the last backward of a step
};

/// What a slice's name or category says of its stage.
enum class StageMark : uint8_t { None, Dataloader, Forward, Backward, Optimization, Module, Annotated, Operator };

struct StagePiece {
    uint32_t lane;
    TimeSpan span;
    uint32_t slice;
    StageMark mark;
};

/// The slices of a trace that are a part of a stage and lie in no other such slice: what Stages are made of.
struct StagePieces {
    std::vector<StagePiece> pieces; ///< by lane, then start
    std::vector<uint32_t> byStart;  ///< indices of pieces by start, then slice
    ForwardRule forward = ForwardRule::Marked;

    StagePieces(const Trace &trace, const SliceClasses &classes);
};

} // namespace riffle
