// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/facts/scope.h"
#include "model/base/big_vector.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace riffle {

/// The stages of a training step. Time that belongs to none of them is "Others".
enum class Stage : uint8_t { Dataloader, Forward, Backward, Optimization };
inline constexpr size_t kStages = 4;
inline constexpr std::array<const char *, kStages> kStageNames{"Dataloader", "Forward", "Backward", "Optimization"};

/// The stages of the steps that a scope chooses. A slice inside a slice of a stage belongs to that stage, even if it
/// would be another stage elsewhere (a forward that is recomputed during backward belongs to backward).
/// - Paddle, also recorded by Riffle's collector: slices of the categories Dataloader, Forward, Backward and
///   Optimization.
/// - PyTorch: Dataloader consists of the slices that wait for a batch, and Optimization of Optimizer.step#…. Backward
///   consists of autograd's evaluations (autograd::engine::evaluate_function…) and everything on threads that do
///   nothing else. Forward depends on ForwardRule. Successive evaluations or forward operators form one call until
///   another stage starts.
struct Stages {
    struct Call {
        Stage stage;
        TimeSpan span;      ///< first start to last end
        uint32_t slice = 0; ///< SliceId of the first slice
        Ns kernels = 0;     ///< summed time of the kernels launched inside
        Ns device = 0;      ///< that, plus copies and memsets
    };
    BigVector<Call> calls; ///< ordered by start
    ForwardRule forward = ForwardRule::Marked;

    explicit Stages(const Scope &scope);

    /// The calls of all steps, independent of any scope and without device times.
    static BigVector<Call> callsOfAll(const TraceFacts &facts, const StepSet &steps);
};

} // namespace riffle
