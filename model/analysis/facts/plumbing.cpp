// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/facts/plumbing.h"

#include "model/analysis/facts/frame_class.h"
#include "model/base/filled_vector.h"
#include "model/base/parallel.h"
#include "model/base/stopping.h"

#include <algorithm>
#include <array>
#include <ranges>
#include <span>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace riffle {

namespace {

/// The facts about a slice that are collected while a lane is judged.
enum : uint8_t {
    kHidden = 1 << 0,
    kInLibrary = 1 << 1, ///< the innermost frame around what the slice contains, except wrappers, is not the user's
    kInWrapper = 1 << 2, ///< the innermost frame around it is a wrapper
    kOutermost = 1 << 3, ///< a wrapper that the user's code calls
    kHoldsShown = 1 << 4 ///< something in it is shown
};

/// True for library functions that only pass a call on. Decorators name their functions like this.
bool isWrapperFunction(std::string_view file, std::string_view function)
{
    constexpr std::array<std::string_view, 4> kFiles{"torch/utils/_contextlib.py", "torch/_dynamo/eval_frame.py",
                                                     "torch/_jit_internal.py", "torch/_ops.py"};
    constexpr std::array<std::string_view, 5> kFunctions{"inner", "_call_impl", "_use_grad", "_fn", "decorate_context"};
    return function.find("wrap") != function.npos || std::ranges::find(kFunctions, function) != kFunctions.end() ||
           std::ranges::any_of(kFiles, [file](std::string_view one) { return file.ends_with(one); });
}

uint8_t judged(FrameRole role, uint8_t around)
{
    switch (role) {
    case FrameRole::None: return around;
    case FrameRole::Own: return 0;
    case FrameRole::Module: return kInLibrary;
    case FrameRole::Library:
        return static_cast<uint8_t>(kInLibrary | (around & kInLibrary ? uint8_t{kHidden} : uint8_t{0}));
    case FrameRole::Wrapper:
        return static_cast<uint8_t>(around | kInWrapper | kHidden | (around == 0 ? uint8_t{kOutermost} : uint8_t{0}));
    }
    return 0;
}

/// Writes the indices of a segment's slices by start. Of those that start together, the longer one comes first, so that
/// a parent is before its children; its depth decides between equal ones.
void sortByStart(const Trace &trace, const Segment &segment, std::span<uint32_t> out)
{
    struct StartKey {
        Ns start, duration;
        uint32_t depth, at;
    };
    BigVector<StartKey> keys(segment.size());
    for (uint32_t at = 0; at < segment.size(); ++at)
        keys[at] = {segment.slices.start[at], segment.slices.duration[at], trace.depthOf(segment, at), at};
    size_t comparisons = 0;
    std::sort(keys.begin(), keys.end(), [&comparisons](const StartKey &a, const StartKey &b) {
        throwIfStoppedAt(++comparisons);
        return std::tie(a.start, b.duration, a.depth, a.at) < std::tie(b.start, a.duration, b.depth, b.at);
    });
    std::ranges::transform(keys, out.begin(), &StartKey::at);
}

/// A slice of a lane.
struct LanePlace {
    uint32_t segment; ///< number in the lane
    uint32_t at;      ///< index in the segment
};

/// The slices of a lane, each parent before its children. In a lane that grows, a parent can be in a later segment than
/// its children.
BigVector<LanePlace> placesOf(const Trace &trace, const Lane &lane, const LanePlumbing &plumbing)
{
    BigVector<LanePlace> places;
    places.reserve(plumbing.order.size());
    for (uint32_t index = 0; index < lane.segments.size(); ++index)
        for (const uint32_t at : plumbing.orderOf(index, trace.segments[lane.segments[index]]->size()))
            places.push_back({index, at});
    if (!lane.longSlices)
        return places;
    const auto segmentOf = [&](LanePlace place) -> const Segment & {
        return *trace.segments[lane.segments[place.segment]];
    };
    size_t comparisons = 0;
    std::ranges::stable_sort(places, [&](LanePlace a, LanePlace b) {
        throwIfStoppedAt(++comparisons);
        const Segment &one = segmentOf(a), &other = segmentOf(b);
        const auto spans = [](const Segment &segment, uint32_t at) {
            return std::pair(segment.slices.start[at], -segment.slices.duration[at]);
        };
        const auto first = spans(one, a.at), second = spans(other, b.at);
        return first != second ? first < second : trace.depthOf(one, a.at) < trace.depthOf(other, b.at);
    });
    return places;
}

} // namespace

FrameRole frameRole(std::string_view text)
{
    if (text.starts_with("nn.Module: "))
        return FrameRole::Module;
    const FrameText parts = splitFrame(text);
    // A frame without a file that is no built-in function is unknown, so it is shown: "(frames that are left out)".
    if (parts.file.empty())
        return parts.function.starts_with('<') ? FrameRole::Wrapper : FrameRole::Own;
    switch (classifyFrame(parts.file, parts.function)) {
    case FrameClass::User: return FrameRole::Own;
    case FrameClass::Runtime: return FrameRole::Wrapper;
    case FrameClass::Library:
    case FrameClass::Torch: break;
    }
    return isWrapperFunction(parts.file, parts.function) ? FrameRole::Wrapper : FrameRole::Library;
}

std::vector<FrameRole> frameRoles(const Trace &trace)
{
    std::vector<FrameRole> roles(trace.strings.count(), FrameRole::None);
    std::vector<uint8_t> isFrame(roles.size());
    for (const auto &segment : trace.segments)
        for (uint32_t at = 0; at < segment->size(); ++at) {
            throwIfStoppedAt(at);
            if (const uint32_t name = segment->slices.name[at];
                segment->slices.detail[at] == SliceDetail::Python && name < isFrame.size())
                isFrame[name] = 1;
        }
    for (uint32_t name = 0; name < roles.size(); ++name) {
        throwIfStoppedAt(name);
        if (isFrame[name])
            roles[name] = frameRole(trace.string(name));
    }
    return roles;
}

LanePlumbing plumbingOf(const Trace &trace, const Lane &lane, const std::vector<FrameRole> &roles)
{
    std::vector<const Segment *> segments;
    std::unordered_map<const Segment *, size_t> firstOf;
    LanePlumbing plumbing;
    size_t count = 0;
    for (const uint32_t index : lane.segments) {
        segments.push_back(trace.segments[index].get());
        plumbing.first.push_back(count);
        firstOf.emplace(segments.back(), count);
        count += segments.back()->size();
    }
    plumbing.order.resize(count);
    parallelFor(segments.size(), [&](size_t index) {
        sortByStart(trace, *segments[index],
                    std::span(plumbing.order).subspan(plumbing.first[index], segments[index]->size()));
    });
    BigVector<uint8_t> &states = plumbing.isHidden;
    states = filledVector(count, uint8_t{0});
    // A damaged store can contain any number, also the id of a slice of another lane.
    const auto parentOf = [&](size_t index, uint32_t at) -> uint8_t * {
        const Segment *segment = segments[index];
        const SliceId parent = trace.parentOf(*segment, at);
        if (const uint32_t above = segment->indexOf(parent); above != kNoRow)
            return &states[plumbing.first[index] + above];
        const Segment *other = trace.segmentOf(parent);
        const auto found = firstOf.find(other);
        return found == firstOf.end() ? nullptr : &states[found->second + other->indexOf(parent)];
    };
    const BigVector<LanePlace> places = placesOf(trace, lane, plumbing);
    for (const auto [index, at] : places) {
        throwIfStoppedAt(at);
        const SliceTable &slices = segments[index]->slices;
        const uint32_t name = slices.name[at];
        const bool isFrame = slices.detail[at] == SliceDetail::Python && name < roles.size();
        const uint8_t *parent = parentOf(index, at);
        const uint8_t around = parent ? *parent & (kInLibrary | kInWrapper) : 0;
        states[plumbing.first[index] + at] = judged(isFrame ? roles[name] : FrameRole::None, around);
    }
    for (const auto [index, at] : std::views::reverse(places)) {
        throwIfStoppedAt(at);
        uint8_t &state = states[plumbing.first[index] + at];
        const bool isEvidence = (state & kOutermost) && !(state & kHoldsShown);
        const bool isHidden = (state & kHidden) && !isEvidence;
        if (uint8_t *parent = parentOf(index, at); parent && (!isHidden || state & kHoldsShown))
            *parent |= kHoldsShown;
        state = isHidden ? 1 : 0; // its children, which come later, have been judged
        plumbing.hidden += isHidden ? 1 : 0;
    }
    return plumbing;
}

} // namespace riffle
