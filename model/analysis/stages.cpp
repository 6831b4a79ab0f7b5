// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/stages.h"

#include "model/analysis/facts/slice_reader.h"

#include <algorithm>
#include <optional>
#include <tuple>

namespace riffle {

namespace {

/// What a slice's name or category says of its stage.
enum class Mark : uint8_t { None, Dataloader, Forward, Backward, Optimization, Module, Annotated, Operator };

struct Piece {
    uint32_t lane;
    TimeSpan span;
    uint32_t slice;
    Mark mark;
    uint32_t call = UINT32_MAX; ///< index in Stages::calls
};

Stage stageOf(Mark mark)
{
    switch (mark) {
    case Mark::Dataloader: return Stage::Dataloader;
    case Mark::Backward: return Stage::Backward;
    case Mark::Optimization: return Stage::Optimization;
    default: return Stage::Forward;
    }
}

Mark markOfCategory(std::string_view category)
{
    return category == "Dataloader"     ? Mark::Dataloader
           : category == "Forward"      ? Mark::Forward
           : category == "Backward"     ? Mark::Backward
           : category == "Optimization" ? Mark::Optimization
                                        : Mark::None;
}

Mark markOfName(std::string_view name)
{
    return name.starts_with("nn.Module: ")                          ? Mark::Module
           : name.starts_with("autograd::engine::evaluate_function") ? Mark::Backward
           : name.starts_with("Optimizer.step#")                    ? Mark::Optimization
           : name.ends_with(".forward")                             ? Mark::Annotated
                                                                    : Mark::None;
}

/// Finds the slices that are stages and lie in no other one.
class PieceFinder {
public:
    explicit PieceFinder(const Scope &scope)
        : m_trace(scope.facts().trace()), m_classes(scope.facts().classes()), m_lanes(m_trace.lanes.size())
    {
        for (uint32_t id = 0; id < m_trace.strings.count(); ++id) {
            m_byName.push_back(markOfName(m_trace.string(id)));
            m_byCategory.push_back(m_trace.info.format == "Paddle JSON" ? markOfCategory(m_trace.string(id)) : Mark::None);
        }
    }

    std::vector<Piece> find(ForwardRule &rule)
    {
        std::vector<Piece> pieces;
        forEachHostSlice([&](const Segment &segment, uint32_t at, SliceClass kind) {
            m_lanes[segment.lane.value].hasStep |= kind == SliceClass::StepMark;
            if (const Mark mark = markOf(segment, at, kind); mark != Mark::None)
                pieces.push_back(piece(segment, at, mark));
        });
        const auto has = [&](Mark mark) { return std::any_of(pieces.begin(), pieces.end(), [&](const Piece &one) { return one.mark == mark; }); };
        rule = has(Mark::Forward)     ? ForwardRule::Marked
               : has(Mark::Module)    ? ForwardRule::Modules
               : has(Mark::Annotated) ? ForwardRule::Annotated
                                      : ForwardRule::Operators;
        std::erase_if(pieces, [&](const Piece &one) {
            return (one.mark == Mark::Module && rule != ForwardRule::Modules) || (one.mark == Mark::Annotated && rule != ForwardRule::Annotated);
        });
        keepOutermost(pieces);
        for (const Piece &one : pieces)
            (one.mark == Mark::Backward ? m_lanes[one.lane].hasBackward : m_lanes[one.lane].hasOther) = true;
        addRest(pieces, rule == ForwardRule::Operators && !pieces.empty());
        keepOutermost(pieces);
        return pieces;
    }

private:
    struct LaneFacts {
        bool hasStep = false, hasBackward = false, hasOther = false;
        bool onlyBackward() const { return hasBackward && !hasStep && !hasOther; }
    };

    template <typename Visit>
    void forEachHostSlice(Visit visit) const
    {
        for (const auto &segment : m_trace.segments)
            if (m_trace.lanes[segment->lane.value].kind == LaneKind::Thread)
                for (uint32_t at = 0; at < segment->size(); ++at)
                    visit(*segment, at, m_classes.of(*segment, at));
    }
    Mark markOf(const Segment &segment, uint32_t at, SliceClass kind) const
    {
        if (const Mark mark = m_byCategory[segment.slices.category[at]]; mark != Mark::None)
            return mark;
        if (kind == SliceClass::Dataloader)
            return Mark::Dataloader;
        const Mark mark = m_byName[segment.slices.name[at]];
        const bool fits = mark == Mark::Module ? kind == SliceClass::Frame : kind == SliceClass::Operator || kind == SliceClass::Annotation;
        return fits ? mark : Mark::None;
    }
    static Piece piece(const Segment &segment, uint32_t at, Mark mark)
    {
        return {segment.lane.value, {segment.slices.start[at], segment.end(at)}, segment.firstSlice + at, mark};
    }
    static void keepOutermost(std::vector<Piece> &pieces)
    {
        std::sort(pieces.begin(), pieces.end(), [](const Piece &a, const Piece &b) {
            return std::tuple(a.lane, a.span.begin, -a.span.end, a.slice) < std::tuple(b.lane, b.span.begin, -b.span.end, b.slice);
        });
        uint32_t lane = UINT32_MAX;
        Ns end = 0;
        std::erase_if(pieces, [&](const Piece &one) {
            const bool isInside = one.lane == lane && one.span.begin < end;
            end = isInside ? std::max(end, one.span.end) : one.span.end;
            lane = one.lane;
            return isInside;
        });
    }
    /// What stages are made of although no name says so.
    void addRest(std::vector<Piece> &pieces, bool forwardOperators) const
    {
        forEachHostSlice([&](const Segment &segment, uint32_t at, SliceClass kind) {
            const bool isOuter = segment.nesting.depth[at] == 0;
            if (m_lanes[segment.lane.value].onlyBackward() && isOuter && (isHostCode(kind) || isRuntimeCall(kind)))
                pieces.push_back(piece(segment, at, Mark::Backward));
            else if (forwardOperators && m_lanes[segment.lane.value].hasStep && kind == SliceClass::Operator && !isInOperator(segment, at))
                pieces.push_back(piece(segment, at, Mark::Operator));
        });
    }

    bool isInOperator(const Segment &segment, uint32_t at) const
    {
        const uint32_t parent = segment.nesting.parent[at] - segment.firstSlice;
        return parent < segment.size() && m_classes.of(segment, parent) == SliceClass::Operator;
    }

    const Trace &m_trace;
    const SliceClasses &m_classes;
    std::vector<LaneFacts> m_lanes;
    std::vector<Mark> m_byName, m_byCategory; ///< by StringId
};

/// Makes calls of pieces, step by step.
std::vector<Stages::Call> callsOf(const Scope &scope, std::vector<Piece> &pieces)
{
    const StepSet &steps = scope.steps();
    std::sort(pieces.begin(), pieces.end(), [](const Piece &a, const Piece &b) { return std::pair(a.span.begin, a.slice) < std::pair(b.span.begin, b.slice); });
    std::vector<Ns> lastBackward(steps.steps.size(), INT64_MAX); ///< by step: its start; without one all operators are forward
    for (const Piece &one : pieces)
        if (const uint32_t step = steps.at(one.span.begin); one.mark == Mark::Backward && step != StepSet::kNone)
            lastBackward[step] = one.span.begin;
    std::vector<Stages::Call> calls;
    uint32_t stepOfLast = StepSet::kNone;
    for (Piece &one : pieces) {
        const uint32_t step = steps.at(one.span.begin);
        if (step == StepSet::kNone || !scope.hasStep(step) || !scope.touches(one.span) ||
            (one.mark == Mark::Operator && one.span.begin > lastBackward[step]))
            continue;
        const Stage stage = stageOf(one.mark);
        const bool joins = one.mark == Mark::Operator || one.mark == Mark::Backward;
        const bool isMarked = scope.facts().trace().info.format == "Paddle JSON";
        if (joins && !isMarked && !calls.empty() && calls.back().stage == stage && stepOfLast == step)
            calls.back().span.end = std::max(calls.back().span.end, one.span.end);
        else
            calls.push_back({stage, one.span, one.slice});
        stepOfLast = step;
        one.call = static_cast<uint32_t>(calls.size() - 1);
    }
    return calls;
}

/// Gives device work to the stage that its launch lies in.
void addDeviceTimes(const Scope &scope, std::vector<Piece> pieces, std::vector<Stages::Call> &calls)
{
    std::sort(pieces.begin(), pieces.end(), [](const Piece &a, const Piece &b) { return std::pair(a.lane, a.span.begin) < std::pair(b.lane, b.span.begin); });
    const DeviceWork &work = scope.facts().work();
    SliceReader reader(scope.facts().trace());
    for (uint32_t at = 0; at < work.size(); ++at) {
        if (!scope.launches(at) || work.launch[at] == DeviceWork::kNone || !reader.seek(work.launch[at]))
            continue;
        const std::pair key(reader.lane().value, reader.start());
        auto after = std::upper_bound(pieces.begin(), pieces.end(), key, [](const auto &value, const Piece &one) {
            return value < std::pair(one.lane, one.span.begin);
        });
        if (after == pieces.begin() || (--after)->lane != key.first || after->span.end <= key.second || after->call == UINT32_MAX)
            continue;
        const bool runsKernel = isKernel(work.role[at]);
        calls[after->call].kernels += runsKernel ? work.duration(at) : 0;
        calls[after->call].device += work.duration(at);
    }
}

} // namespace

Stages::Stages(const Scope &scope)
{
    std::vector<Piece> pieces = PieceFinder(scope).find(forward);
    calls = callsOf(scope, pieces);
    addDeviceTimes(scope, std::move(pieces), calls);
}

} // namespace riffle
