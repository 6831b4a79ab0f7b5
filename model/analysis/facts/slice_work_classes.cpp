// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/facts/slice_work_classes.h"

#include "model/analysis/facts/kernel_class.h"
#include "model/analysis/facts/recorder.h"
#include "model/analysis/facts/slice_reader.h"
#include "model/analysis/facts/trace_facts.h"
#include "model/base/parallel.h"

#include <algorithm>
#include <atomic>
#include <span>
#include <utility>
#include <vector>

namespace riffle {

namespace {

/// Per StringId that names a kernel, its class; the others have None.
std::vector<WorkClass> classesOfNames(const Trace &trace, const SliceClasses &classes)
{
    std::vector<std::atomic<bool>> isKernel(trace.strings.count());
    parallelRanges(trace.sliceCount(), kSliceRange, [&](size_t first, size_t last) {
        forEachSlice(trace, first, last, [&](const Segment &segment, uint32_t at, size_t position) {
            if (const uint32_t name = segment.slices.name[at];
                classes.byPosition()[position] == SliceClass::Kernel && name < isKernel.size())
                isKernel[name].store(true, std::memory_order_relaxed);
        });
    });
    std::vector<WorkClass> found(isKernel.size());
    constexpr size_t kNameRange = 1 << 12;
    parallelRanges(found.size(), kNameRange, [&](size_t first, size_t last) {
        for (size_t name = first; name < last; ++name)
            if (isKernel[name].load(std::memory_order_relaxed))
                found[name] = kernelClass(trace.string(static_cast<uint32_t>(name)));
    });
    return found;
}

/// The pieces of stages as Stages counts them: operators that are only forward because nothing else claims them are
/// left out outside steps and after the last backward of their step.
BigVector<StagePiece> countedPieces(const TraceFacts &facts)
{
    const StagePieces &all = facts.stages();
    BigVector<StagePiece> pieces = all.pieces;
    if (all.forward != ForwardRule::Operators)
        return pieces;
    const StepSet &steps = facts.steps();
    std::vector<Ns> lastBackward(steps.steps.size(), INT64_MAX);
    for (const uint32_t at : all.byStart)
        if (const StagePiece &one = all.pieces[at]; one.mark == StageMark::Backward)
            if (const uint32_t step = steps.at(one.span.begin); step != StepSet::kNone)
                lastBackward[step] = one.span.begin;
    std::erase_if(pieces, [&](const StagePiece &one) {
        const uint32_t step = one.mark == StageMark::Operator ? steps.at(one.span.begin) : StepSet::kNone;
        return one.mark == StageMark::Operator && (step == StepSet::kNone || one.span.begin > lastBackward[step]);
    });
    return pieces;
}

WorkClass classOf(StageMark mark)
{
    switch (mark) {
    case StageMark::Dataloader: return WorkClass::DataLoading;
    case StageMark::Backward: return WorkClass::Backward;
    case StageMark::Optimization: return WorkClass::Optimizer;
    case StageMark::None: return WorkClass::OtherHost;
    case StageMark::Forward:
    case StageMark::Module:
    case StageMark::Annotated:
    case StageMark::Operator: break;
    }
    return WorkClass::Forward;
}

/// Finds the stages of the slices of threads; fast for slices that follow each other.
class StageFinder {
public:
    explicit StageFinder(const BigVector<StagePiece> &pieces) : m_pieces(pieces) {}

    WorkClass of(const Segment &segment, uint32_t at)
    {
        const std::pair key(segment.lane.value, segment.slices.start[at]);
        if (m_after > 0 && isAfter(m_after - 1, key)) // an earlier slice than the last one
            m_after = 0;
        if (m_after == 0)
            m_after =
                static_cast<size_t>(std::partition_point(m_pieces.begin(), m_pieces.end(),
                                                         [&](const StagePiece &one) { return !(key < keyOf(one)); }) -
                                    m_pieces.begin());
        while (m_after < m_pieces.size() && !isAfter(m_after, key))
            ++m_after;
        if (m_after == 0)
            return WorkClass::OtherHost;
        const StagePiece &piece = m_pieces[m_after - 1];
        const bool isInside = piece.lane == segment.lane.value && segment.end(at) <= piece.span.end;
        return isInside ? classOf(piece.mark) : WorkClass::OtherHost;
    }

private:
    static std::pair<uint32_t, Ns> keyOf(const StagePiece &one) { return {one.lane, one.span.begin}; }
    bool isAfter(size_t piece, std::pair<uint32_t, Ns> key) const { return key < keyOf(m_pieces[piece]); }

    const BigVector<StagePiece> &m_pieces; ///< sorted by lane, then start
    size_t m_after = 0;                    ///< the first piece that starts after the last slice; 0 if unknown
};

} // namespace

std::shared_ptr<const WorkClasses> sliceWorkClasses(const TraceFacts &facts)
{
    auto made = std::make_shared<WorkClasses>();
    if (!isOfTraining(facts))
        return made;
    const Trace &trace = facts.trace();
    const SliceClasses &classes = facts.classes();
    made->kernels = classesOfNames(trace, classes);
    made->since = facts.isPart() ? trace.span.begin : INT64_MIN;
    const std::vector<WorkClass> &names = made->kernels;
    const BigVector<StagePiece> pieces = countedPieces(facts);
    made->slices = PerSlice<WorkClass>(trace, WorkClass::None);
    const std::span<WorkClass> values = made->slices.byPosition();
    std::atomic<uint32_t> present = 0;
    parallelRanges(trace.sliceCount(), kSliceRange, [&](size_t first, size_t last) {
        StageFinder stages(pieces);
        uint32_t here = 0;
        forEachSlice(trace, first, last, [&](const Segment &segment, uint32_t at, size_t position) {
            const SliceClass kind = classes.byPosition()[position];
            const LaneKind lane = trace.lanes[segment.lane.value].kind;
            const uint32_t name = segment.slices.name[at];
            WorkClass found = WorkClass::None;
            if (kind == SliceClass::Memcpy || kind == SliceClass::Memset)
                found = WorkClass::Copies;
            else if (kind == SliceClass::Kernel)
                found = name < names.size() ? names[name] : WorkClass::OtherCompute;
            else if (lane == LaneKind::Thread && kind != SliceClass::StreamMark)
                found = stages.of(segment, at);
            values[position] = found;
            here |= 1u << static_cast<uint32_t>(found);
        });
        present |= here;
    });
    made->present = present;
    return made;
}

} // namespace riffle
