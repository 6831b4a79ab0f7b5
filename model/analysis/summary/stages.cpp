// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/summary/stages.h"

#include "model/analysis/facts/slice_reader.h"
#include "model/base/big_vector.h"

#include <algorithm>
#include <span>
#include <utility>

namespace riffle {

namespace {

constexpr uint32_t kNoCall = UINT32_MAX;
constexpr int kNearPieces = 16; ///< pieces to try one by one before a binary search

Stage stageOf(StageMark mark)
{
    switch (mark) {
    case StageMark::Dataloader: return Stage::Dataloader;
    case StageMark::Backward: return Stage::Backward;
    case StageMark::Optimization: return Stage::Optimization;
    default: return Stage::Forward;
    }
}

/// Joins the pieces of each step into calls. If there is a scope, only pieces inside it count. `callOf` receives the
/// call of each piece, or kNoCall.
BigVector<Stages::Call> callsOf(const TraceFacts &facts, const StepSet &steps, const Scope *scope,
                                BigVector<uint32_t> &callOf)
{
    const StagePieces &all = facts.stages();
    callOf.assign(all.pieces.size(), kNoCall);
    std::vector<Ns> lastBackward(
        steps.steps.size(),
        INT64_MAX); ///< by step: start of its last backward; without one, all operators are forward
    auto stepAt = [&, last = 0u](Ns time) mutable { // mostly the step of the previous piece
        if (last == StepSet::kNone || !steps.steps[last].host.contains(time))
            last = steps.at(time);
        return last;
    };
    for (const uint32_t at : all.byStart)
        if (const StagePiece &one = all.pieces[at]; one.mark == StageMark::Backward)
            if (const uint32_t step = stepAt(one.span.begin); step != StepSet::kNone)
                lastBackward[step] = one.span.begin;
    BigVector<Stages::Call> calls;
    uint32_t stepOfLast = StepSet::kNone;
    const bool isMarked = all.forward == ForwardRule::Marked || facts.trace().info.format == "Paddle JSON";
    for (const uint32_t at : all.byStart) {
        const StagePiece &one = all.pieces[at];
        if (scope && scope->range() && !scope->touches(one.span))
            continue;
        const uint32_t step = stepAt(one.span.begin);
        if (step == StepSet::kNone || (scope && !scope->hasStep(step)) ||
            (one.mark == StageMark::Operator && one.span.begin > lastBackward[step]))
            continue;
        const Stage stage = stageOf(one.mark);
        const bool joins = one.mark == StageMark::Operator || one.mark == StageMark::Backward;
        if (joins && !isMarked && !calls.empty() && calls.back().stage == stage && stepOfLast == step)
            calls.back().span.end = std::max(calls.back().span.end, one.span.end);
        else
            calls.push_back({stage, one.span, one.slice});
        stepOfLast = step;
        callOf[at] = static_cast<uint32_t>(calls.size() - 1);
    }
    return calls;
}

/// Adds the time of device work to the call of a stage that contains its launch.
void addDeviceTimes(const Scope &scope, std::span<const StagePiece> pieces, std::span<const uint32_t> callOf,
                    std::span<Stages::Call> calls)
{
    const DeviceWork &work = scope.facts().work();
    SliceReader reader(scope.facts().trace());
    const auto isBefore = [](const auto &key, const StagePiece &one) {
        return key < std::pair(one.lane, one.span.begin);
    };
    auto after = pieces.begin(); // the first piece after the launch; mostly close to that of the previous launch
    for (uint32_t at = 0; at < work.size(); ++at) {
        if (!scope.launches(at) || work.launch[at] == DeviceWork::kNone || !reader.seek(work.launch[at]))
            continue;
        const std::pair key(reader.lane().value, reader.start());
        if (after != pieces.begin() && isBefore(key, *(after - 1)))
            after = std::upper_bound(pieces.begin(), after, key, isBefore);
        for (int steps = 0; steps < kNearPieces && after != pieces.end() && !isBefore(key, *after); ++steps)
            ++after;
        if (after != pieces.end() && !isBefore(key, *after))
            after = std::upper_bound(after, pieces.end(), key, isBefore);
        if (after == pieces.begin())
            continue;
        const auto piece = after - 1;
        if (piece->lane != key.first || piece->span.end <= key.second)
            continue;
        const uint32_t call = callOf[static_cast<size_t>(piece - pieces.begin())];
        if (call == kNoCall)
            continue;
        calls[call].kernels += isKernel(work.role[at]) ? work.duration(at) : 0;
        calls[call].device += work.duration(at);
    }
}

} // namespace

Stages::Stages(const Scope &scope)
{
    const StagePieces &all = scope.facts().stages();
    forward = all.forward;
    BigVector<uint32_t> callOf;
    calls = callsOf(scope.facts(), scope.steps(), &scope, callOf);
    addDeviceTimes(scope, all.pieces, callOf, calls);
}

BigVector<Stages::Call> Stages::callsOfAll(const TraceFacts &facts, const StepSet &steps)
{
    BigVector<uint32_t> callOf;
    return callsOf(facts, steps, nullptr, callOf);
}

} // namespace riffle
