// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/facts/scope.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace riffle {

/// What a training step goes through. What belongs to none of these is "Others".
enum class Stage : uint8_t { Dataloader, Forward, Backward, Optimization };
inline constexpr size_t kStages = 4;
inline constexpr std::array<const char *, kStages> kStageNames{"Dataloader", "Forward", "Backward", "Optimization"};

/// The stages of the steps that a scope chooses. A slice inside one of a stage is part of that stage, whatever it is
/// itself (recomputing forward is a part of backward).
/// - Paddle: slices of the categories Dataloader, Forward, Backward and Optimization.
/// - PyTorch: Dataloader is what waits for a batch; Optimization is Optimizer.step#…; Backward are the evaluations of
/// autograd
///   (autograd::engine::evaluate_function…) and all that a thread does which does nothing else; Forward by ForwardRule.
///   Evaluations, and forward operators, are one call until another stage begins.
struct Stages {
    struct Call {
        Stage stage;
        TimeSpan span;      ///< first start to last end
        uint32_t slice = 0; ///< SliceId of the first
        Ns kernels = 0;     ///< summed time of the kernels launched inside
        Ns device = 0;      ///< and copies and memsets
    };
    std::vector<Call> calls; ///< by start
    ForwardRule forward = ForwardRule::Marked;

    explicit Stages(const Scope &scope);

    /// The calls of all steps, whatever is asked about, without the times of the device.
    static std::vector<Call> callsOfAll(const TraceFacts &facts, const StepSet &steps);
};

} // namespace riffle
