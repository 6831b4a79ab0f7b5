// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/search/same_slice.h"

#include "model/analysis/facts/shape_label.h"
#include "model/analysis/facts/slice_reader.h"
#include "model/base/format.h"
#include "model/base/merge_sort.h"
#include "model/base/stopping.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace riffle {

namespace {

constexpr uint32_t kNoStep = UINT32_MAX;
constexpr std::string_view kModulePrefix = "nn.Module:";

/// The kind of a slice, as far as its name depends on it.
ShapeKind shapeKindOf(const SliceReader &reader)
{
    const uint16_t flags = reader.flags();
    return flags & slice_flag::Annotation                                       ? ShapeKind::Annotation
           : flags & slice_flag::OnStream                                       ? ShapeKind::Kernel
           : reader.segment().slices.detail[reader.at()] == SliceDetail::Python ? ShapeKind::Module
                                                                                : ShapeKind::Operator;
}

std::string quoted(const std::string &name) { return "“" + name + "”"; }

/// Finds the slices of a trace that have a path in a step.
class PlaceFinder {
public:
    PlaceFinder(const Trace &trace, std::span<const Step> steps)
        : m_trace(trace)
        , m_steps(steps)
        , m_reader(trace)
        , m_around(trace)
        , m_hasMarks(trace.lanes.size(), 0)
    {
        for (const Step &step : steps)
            if (m_reader.seek(step.slice.value))
                m_hasMarks[m_reader.lane().value] = 1;
    }

    /// The place of a slice that exists, without its occurrence.
    CallPlace placeOf(uint32_t slice)
    {
        CallPlace place;
        m_reader.seek(slice);
        place.isOnStream = m_reader.flags() & slice_flag::OnStream;
        const Ends ends = endsOf(slice);
        place.isLaunched = place.isOnStream && ends.isLaunched;
        const uint32_t step = stepAt(ends.start);
        if (step != kNoStep)
            place.step = {step, m_steps[step].number};
        std::vector<std::string> path{nameOf(m_reader)};
        forEachAround(ends.above, step, [&] {
            path.push_back(nameOf(m_around));
            return true;
        });
        if (place.isOnStream && !place.isLaunched)
            path.push_back(m_trace.laneName(m_reader.lane()));
        place.path.assign(path.rbegin(), path.rend());
        place.thread = threadOf(ends.lane);
        return place;
    }

    /// The slices with this path in a step (or outside of all, for kNoStep), in the order of their starts.
    std::vector<SliceId> find(const CallPlace &place, uint32_t step)
    {
        m_place = &place;
        for (std::vector<uint32_t> &known : m_labelOf)
            known.assign(m_trace.strings.count(), kUnknown);
        m_labels.clear();
        for (const std::string &label : place.path)
            m_labels.push_back(labelOf(label));
        m_isNameThere = false;
        std::vector<std::pair<Ns, uint32_t>> found;
        const bool anyThread = std::ranges::none_of(m_trace.lanes, [&](const Lane &lane) {
            return lane.kind != LaneKind::Stream && lane.slices > 0 && threadOf(idOf(lane)) == place.thread;
        });
        for (const auto &segment : m_trace.segments) {
            const Lane &lane = m_trace.lanes[segment->lane.value];
            if ((lane.kind == LaneKind::Stream) != place.isOnStream)
                continue;
            if (!place.isOnStream && !anyThread && threadOf(segment->lane) != place.thread)
                continue;
            for (uint32_t row = 0; row < segment->rows(); ++row) {
                auto [at, end] = place.isOnStream || step == kNoStep
                                     ? std::pair(segment->rowBegin[row], segment->rowBegin[row + 1])
                                     : segment->overlapping(row, m_steps[step].span);
                for (; at < end; ++at) {
                    throwIfStoppedAt(at);
                    if (const auto start = startIfSame(*segment, at, step))
                        found.emplace_back(*start, segment->idAt(at).value);
                }
            }
        }
        stoppableSort(found, [](const auto &a, const auto &b) { return a < b; });
        std::vector<SliceId> slices;
        for (const auto &[start, slice] : found)
            slices.emplace_back(slice);
        return slices;
    }
    /// True if a slice with the name was found in the step, inside whatever.
    bool isNameThere() const { return m_isNameThere; }

private:
    static constexpr uint32_t kUnknown = UINT32_MAX - 1, kOther = UINT32_MAX;

    /// Where a slice belongs in a program.
    struct Ends {
        Ns start;       ///< its start, or that of its launch
        uint32_t above; ///< the first slice around it, or around its launch
        LaneId lane;    ///< its lane, or that of its launch
        bool isLaunched = false;
    };
    /// m_reader is at the slice, before and afterwards.
    Ends endsOf(uint32_t slice)
    {
        if (!(m_reader.flags() & slice_flag::OnStream))
            return {m_reader.start(), m_reader.parent(), m_reader.lane()};
        if (const SliceId launch = m_trace.launchOf(SliceId(slice)); launch.valid() && m_around.seek(launch.value))
            return {m_around.start(), m_around.parent(), m_around.lane(), true};
        return {m_reader.start(), SliceId::kNone, m_reader.lane()};
    }

    LaneId idOf(const Lane &lane) const { return LaneId(static_cast<uint32_t>(&lane - m_trace.lanes.data())); }
    std::string threadOf(LaneId lane) const
    {
        return m_hasMarks[lane.value] ? "main thread" : threadShapeName(m_trace.laneName(lane));
    }
    std::string nameOf(const SliceReader &reader) const
    {
        return shapeName(shapeKindOf(reader), m_trace.string(reader.name()));
    }

    uint32_t stepAt(Ns time) const
    {
        const auto behind =
            std::ranges::upper_bound(m_steps, time, {}, [](const Step &step) { return step.span.begin; });
        return behind == m_steps.begin() || !(behind - 1)->span.contains(time)
                   ? kNoStep
                   : static_cast<uint32_t>(behind - 1 - m_steps.begin());
    }

    /// Moves m_around through what is around a slice and belongs to the same step, innermost first, and calls visit()
    /// until that returns false.
    template <typename Visit>
    void forEachAround(uint32_t above, uint32_t step, Visit visit)
    {
        for (size_t count = 0; count < kMaxAncestors && m_around.seek(above); ++count, above = m_around.parent()) {
            const std::string_view name = m_trace.string(m_around.name());
            const bool isMark =
                std::ranges::any_of(step == kNoStep ? std::span<const Step>() : m_steps.subspan(step, 1),
                                    [&](const Step &one) { return one.slice.value == above; });
            const bool isFrame = shapeKindOf(m_around) == ShapeKind::Module && !name.starts_with(kModulePrefix);
            if (isMark || isFrame || isStepMark(name))
                continue;
            if (stepAt(m_around.start()) != step || !visit())
                return;
        }
    }

    /// The number of a text: its first place in the path, or kOther.
    uint32_t labelOf(std::string_view text) const
    {
        const auto found = std::ranges::find(m_place->path, text);
        return found == m_place->path.end() ? kOther : static_cast<uint32_t>(found - m_place->path.begin());
    }
    /// The same for the name of a slice that a reader is at.
    uint32_t labelOf(const SliceReader &reader)
    {
        std::vector<uint32_t> &known = m_labelOf[static_cast<size_t>(shapeKindOf(reader))];
        const uint32_t name = reader.name();
        if (name >= known.size())
            return kOther;
        if (known[name] == kUnknown)
            known[name] = labelOf(nameOf(reader));
        return known[name];
    }

    /// The start by which a slice is ordered; nothing if it does not have the path in the step.
    std::optional<Ns> startIfSame(const Segment &segment, uint32_t at, uint32_t step)
    {
        if (!m_reader.seek(segment.idAt(at).value) || labelOf(m_reader) != m_labels.back())
            return std::nullopt;
        const Ends ends = endsOf(segment.idAt(at).value);
        if (stepAt(ends.start) != step || (m_place->isOnStream && ends.isLaunched != m_place->isLaunched))
            return std::nullopt;
        m_isNameThere = true;
        size_t left = m_labels.size() - 1;
        if (m_place->isOnStream && !ends.isLaunched) {
            const bool isSame = left == 1 && m_place->path[0] == m_trace.laneName(segment.lane);
            return isSame ? std::optional(ends.start) : std::nullopt;
        }
        bool isSame = true;
        forEachAround(ends.above, step, [&] {
            isSame = left > 0 && labelOf(m_around) == m_labels[left - 1];
            left -= isSame;
            return isSame;
        });
        return isSame && left == 0 ? std::optional(ends.start) : std::nullopt;
    }

    const Trace &m_trace;
    std::span<const Step> m_steps;
    SliceReader m_reader, m_around;
    std::vector<uint8_t> m_hasMarks; ///< per lane
    const CallPlace *m_place = nullptr;
    std::vector<uint32_t> m_labels; ///< the numbers of the names in its path
    /// Per kind and StringId: the number of the name, so that a name that comes again costs no text.
    std::array<std::vector<uint32_t>, static_cast<size_t>(ShapeKind::Kernel) + 1> m_labelOf;
    bool m_isNameThere = false;
};

/// The index of the step that a place names; an Error if the trace does not have it.
Result<uint32_t> stepOfPlace(std::span<const Step> steps, const CallPlace &place, SameStepBy by)
{
    if (!place.step)
        return kNoStep;
    if (steps.empty())
        return Error{"The other trace has no steps.", {}, {}, ErrorKind::Question};
    if (by == SameStepBy::Offset) {
        if (place.step->offset < steps.size())
            return place.step->offset;
        return Error{fmt::format("The slice is in step {} from the first one, and the other trace has only {}.",
                                 place.step->offset + 1, steps.size()),
                     {},
                     {},
                     ErrorKind::Question};
    }
    const auto found = std::ranges::find(steps, place.step->number, &Step::number);
    if (found == steps.end())
        return Error{fmt::format("The other trace has no step {}.", place.step->number), {}, {}, ErrorKind::Question};
    return static_cast<uint32_t>(found - steps.begin());
}

} // namespace

Result<CallPlace> callPlaceOf(const Trace &trace, std::span<const Step> steps, SliceId slice)
{
    if (!trace.placeOf(slice).segment)
        return Error{"There is no such slice.", {}, {}, ErrorKind::Question};
    PlaceFinder finder(trace, steps);
    CallPlace place = finder.placeOf(slice.value);
    const std::vector<SliceId> alike = finder.find(place, place.step ? place.step->offset : kNoStep);
    place.occurrence = static_cast<uint32_t>(std::ranges::find(alike, slice) - alike.begin());
    return place;
}

Result<SliceId> sliceAtPlace(const Trace &trace, std::span<const Step> steps, const CallPlace &place, SameStepBy by)
{
    if (place.path.empty())
        return Error{"The place has no name.", {}, {}, ErrorKind::Question};
    const Result<uint32_t> step = stepOfPlace(steps, place, by);
    if (!step)
        return step.error();
    PlaceFinder finder(trace, steps);
    const std::vector<SliceId> alike = finder.find(place, *step);
    if (place.occurrence < alike.size())
        return alike[place.occurrence];
    const std::string where = *step != kNoStep ? fmt::format("in step {} of the other trace", steps[*step].number)
                              : steps.empty()  ? "in the other trace"
                                               : "outside the steps of the other trace";
    const std::string name = quoted(place.path.back());
    std::string why;
    if (!alike.empty())
        why = fmt::format("{} has this path only {} {}, and this is number {}.", name,
                          formatCounted(static_cast<int64_t>(alike.size()), "time", "times"), where,
                          place.occurrence + 1);
    else if (!finder.isNameThere())
        why = fmt::format("{} does not occur {}.", name, where);
    else
        why = fmt::format("{} occurs {}, but not with the path {}.", name, where,
                          quoted(fmt::format("{}", fmt::join(place.path, " › "))));
    return Error{why, {}, {}, ErrorKind::Question};
}

namespace {

/// True if both traces recorded their ranks in a run of equal size, and not the same one.
bool areRanksOfOneRun(const TraceMember &one, const TraceMember &other)
{
    return one.rank && other.rank && one.rank != other.rank && one.worldSize == other.worldSize;
}

Result<SliceRef> sameInOtherStep(const LoadedTrace &member, std::span<const Step> steps, CallPlace place, int direction)
{
    const auto none = [](const char *why) { return Error{why, {}, {}, ErrorKind::Question}; };
    if (!place.step)
        return none("The slice is in no step, and no other trace is open.");
    if (direction < 0 && place.step->offset == 0)
        return none("The slice is in the first step, and no other trace is open.");
    if (direction > 0 && place.step->offset + 1 >= steps.size())
        return none("The slice is in the last step, and no other trace is open.");
    place.step->offset += direction > 0 ? 1u : UINT32_MAX;
    place.step->number = steps[place.step->offset].number;
    const Result<SliceId> found = sliceAtPlace(*member.trace, steps, place);
    if (found)
        return SliceRef{member.id, *found};
    Error why = found.error();
    if (const std::string other = " of the other trace"; why.message.find(other) != std::string::npos)
        why.message.erase(why.message.find(other), other.size());
    return why;
}

} // namespace

Result<SliceRef> sameSliceElsewhere(const TraceSet &set, const PerTrace<std::vector<Step>> &steps, SliceRef from,
                                    int direction)
{
    const std::span<const LoadedTrace> members = set.loaded();
    const auto own = std::ranges::find(members, from.trace, &LoadedTrace::id);
    if (own == members.end())
        return Error{"The trace of the slice is not loaded.", {}, {}, ErrorKind::Question};
    const Result<CallPlace> place = callPlaceOf(*own->trace, steps[from.trace], from.slice);
    if (!place)
        return place.error();
    if (members.size() == 1)
        return sameInOtherStep(*own, steps[from.trace], *place, direction);
    std::optional<Error> why; // of the first one
    const size_t at = static_cast<size_t>(own - members.begin());
    for (size_t far = 1; far < members.size(); ++far) {
        const LoadedTrace &member = members[(direction > 0 ? at + far : at + members.size() - far) % members.size()];
        const bool byNumber = areRanksOfOneRun(*set.member(from.trace), *set.member(member.id));
        const Result<SliceId> found =
            sliceAtPlace(*member.trace, steps[member.id], *place, byNumber ? SameStepBy::Number : SameStepBy::Offset);
        if (found)
            return SliceRef{member.id, *found};
        if (!why)
            why = Error{set.title(member.id) + ": " + found.error().text(), {}, {}, ErrorKind::Question};
    }
    return *why;
}

} // namespace riffle
