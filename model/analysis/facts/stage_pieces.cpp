// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/facts/stage_pieces.h"

#include "model/analysis/facts/recorder.h"
#include "model/base/merge_sort.h"
#include "model/base/stopping.h"

#include <algorithm>
#include <span>
#include <tuple>

namespace riffle {

namespace {

StageMark markOfCategory(std::string_view category)
{
    return category == "Dataloader"     ? StageMark::Dataloader
           : category == "Forward"      ? StageMark::Forward
           : category == "Backward"     ? StageMark::Backward
           : category == "Optimization" ? StageMark::Optimization
                                        : StageMark::None;
}

constexpr std::string_view kEvaluates = "autograd::engine::evaluate_function";

/// True for the names of nodes that autograd evaluates, in traces without evaluate_function (before PyTorch 1.9):
/// AddmmBackward0, AccumulateGrad.
bool isBackwardAlone(std::string_view name)
{
    if (name == "torch::autograd::AccumulateGrad" || name == "torch::autograd::GraphRoot")
        return true;
    while (!name.empty() && name.back() >= '0' && name.back() <= '9')
        name.remove_suffix(1);
    return name.ends_with("Backward") && name.find("::") == name.npos;
}

StageMark markOfName(std::string_view name)
{
    return name.starts_with("nn.Module: ")       ? StageMark::Module
           : name.starts_with(kEvaluates)        ? StageMark::Backward
           : name.starts_with("Optimizer.step#") ? StageMark::Optimization
           : name.ends_with(".forward")          ? StageMark::Annotated
                                                 : StageMark::None;
}

/// Finds the outermost slices that belong to a stage.
class PieceFinder {
public:
    PieceFinder(const Trace &trace, const SliceClasses &classes)
        : m_trace(trace)
        , m_classes(classes)
        , m_lanes(trace.lanes.size())
    {
        const Recorder recorder =
            recorderOf(m_trace.info); // Riffle's collector keeps the categories of Paddle's events
        const bool hasCategories = recorder == Recorder::Paddle || recorder == Recorder::Riffle;
        bool evaluates = false;
        for (uint32_t id = 0; id < m_trace.strings.count(); ++id) {
            evaluates |= m_trace.string(id).starts_with(kEvaluates);
            m_byName.push_back(markOfName(m_trace.string(id)));
            m_byCategory.push_back(hasCategories ? markOfCategory(m_trace.string(id)) : StageMark::None);
        }
        for (uint32_t id = 0; id < m_trace.strings.count() && !evaluates; ++id)
            if (m_byName[id] == StageMark::None && isBackwardAlone(m_trace.string(id)))
                m_byName[id] = StageMark::Backward;
    }

    BigVector<StagePiece> find(ForwardRule &rule)
    {
        BigVector<StagePiece> pieces;
        forEachHostSlice([&](const Segment &segment, uint32_t at, SliceClass kind) {
            m_lanes[segment.lane.value].hasStep |= kind == SliceClass::StepMark;
            if (const StageMark mark = markOf(segment, at, kind); mark != StageMark::None)
                pieces.push_back(piece(segment, at, mark));
        });
        const auto has = [&](StageMark mark) {
            return std::any_of(pieces.begin(), pieces.end(), [&](const StagePiece &one) { return one.mark == mark; });
        };
        rule = has(StageMark::Forward)     ? ForwardRule::Marked
               : has(StageMark::Module)    ? ForwardRule::Modules
               : has(StageMark::Annotated) ? ForwardRule::Annotated
                                           : ForwardRule::Operators;
        std::erase_if(pieces, [&](const StagePiece &one) {
            return (one.mark == StageMark::Module && rule != ForwardRule::Modules) ||
                   (one.mark == StageMark::Annotated && rule != ForwardRule::Annotated);
        });
        keepOutermost(pieces);
        for (const StagePiece &one : pieces)
            (one.mark == StageMark::Backward ? m_lanes[one.lane].hasBackward : m_lanes[one.lane].hasOther) = true;
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
            if (m_trace.lanes[segment->lane.value].kind == LaneKind::Thread) {
                const std::span<const SliceClass> classes = m_classes.of(*segment);
                for (uint32_t at = 0; at < segment->size(); ++at) {
                    throwIfStoppedAt(at);
                    visit(*segment, at, classes[at]);
                }
            }
    }
    StageMark markOf(const Segment &segment, uint32_t at, SliceClass kind) const
    {
        if (const StageMark mark = m_byCategory[segment.slices.category[at]]; mark != StageMark::None)
            return mark;
        if (kind == SliceClass::Dataloader)
            return StageMark::Dataloader;
        const StageMark mark = m_byName[segment.slices.name[at]];
        const bool fits = mark == StageMark::Module ? kind == SliceClass::Frame
                                                    : kind == SliceClass::Operator || kind == SliceClass::Annotation;
        return fits ? mark : StageMark::None;
    }
    static StagePiece piece(const Segment &segment, uint32_t at, StageMark mark)
    {
        return {segment.lane.value, {segment.slices.start[at], segment.end(at)}, segment.idAt(at).value, mark};
    }
    /// Keeps the outermost pieces. If a slice occurs twice, the piece found by its name stays, because it was added
    /// first and the sort is stable.
    static void keepOutermost(BigVector<StagePiece> &pieces)
    {
        mergeSortRuns(pieces, [](const StagePiece &a, const StagePiece &b) {
            return std::tuple(a.lane, a.span.begin, -a.span.end, a.slice) <
                   std::tuple(b.lane, b.span.begin, -b.span.end, b.slice);
        });
        uint32_t lane = UINT32_MAX;
        Ns end = 0;
        std::erase_if(pieces, [&](const StagePiece &one) {
            const bool isInside = one.lane == lane && one.span.begin < end;
            end = isInside ? std::max(end, one.span.end) : one.span.end;
            lane = one.lane;
            return isInside;
        });
    }
    /// Adds the pieces of stages that no name or category marks.
    void addRest(BigVector<StagePiece> &pieces, bool forwardOperators) const
    {
        forEachHostSlice([&](const Segment &segment, uint32_t at, SliceClass kind) {
            const LaneFacts &lane = m_lanes[segment.lane.value];
            if (lane.onlyBackward() && (isHostCode(kind) || isRuntimeCall(kind)) && m_trace.depthOf(segment, at) == 0)
                pieces.push_back(piece(segment, at, StageMark::Backward));
            else if (forwardOperators && lane.hasStep && kind == SliceClass::Operator && !isInOperator(segment, at))
                pieces.push_back(piece(segment, at, StageMark::Operator));
        });
    }

    /// True for most operators in others, so that fewer pieces are sorted; keepOutermost() finds the rest.
    bool isInOperator(const Segment &segment, uint32_t at) const
    {
        const uint32_t parent = segment.parentInside(at);
        return parent != kNoRow && m_classes.of(segment, parent) == SliceClass::Operator;
    }

    const Trace &m_trace;
    const SliceClasses &m_classes;
    std::vector<LaneFacts> m_lanes;
    std::vector<StageMark> m_byName, m_byCategory; ///< per StringId
};

} // namespace

StagePieces::StagePieces(const Trace &trace, const SliceClasses &classes)
{
    pieces = PieceFinder(trace, classes).find(forward);
    pieces.shrink_to_fit();
    for (uint32_t at = 0; at < pieces.size(); ++at)
        byStart.push_back(at);
    mergeSortRuns(byStart, [&](uint32_t a, uint32_t b) {
        return std::pair(pieces[a].span.begin, pieces[a].slice) < std::pair(pieces[b].span.begin, pieces[b].slice);
    });
}

} // namespace riffle
