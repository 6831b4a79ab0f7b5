// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/facts/plumbing.h"

#include "model/analysis/facts/frame_class.h"
#include "model/base/filled_vector.h"
#include "model/base/parallel.h"
#include "model/base/stopping.h"

#include <algorithm>
#include <array>
#include <span>
#include <tuple>

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

/// Writes the ids of a segment's slices by start. Of those that start together, the longer one comes first, so that a
/// parent is before its children; its depth decides between equal ones.
void sortByStart(const Segment &segment, std::span<uint32_t> out)
{
    struct StartKey {
        Ns start, duration;
        uint32_t depth, at;
    };
    BigVector<StartKey> keys(segment.size());
    for (uint32_t at = 0; at < segment.size(); ++at)
        keys[at] = {segment.slices.start[at], segment.slices.duration[at], segment.nesting.depth[at], at};
    size_t comparisons = 0;
    std::sort(keys.begin(), keys.end(), [&comparisons](const StartKey &a, const StartKey &b) {
        throwIfStoppedAt(++comparisons);
        return std::tie(a.start, b.duration, a.depth, a.at) < std::tie(b.start, a.duration, b.depth, b.at);
    });
    std::ranges::transform(keys, out.begin(), [&](const StartKey &key) { return segment.firstSlice + key.at; });
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
    size_t count = 0;
    for (const uint32_t index : lane.segments) {
        segments.push_back(trace.segments[index].get());
        count += segments.back()->size();
    }
    LanePlumbing plumbing;
    // The segments of a lane have adjacent ids, except perhaps in a damaged store.
    if (count == 0 ||
        size_t{segments.back()->firstSlice} + segments.back()->size() - segments.front()->firstSlice != count)
        return plumbing;
    plumbing.first = segments.front()->firstSlice;
    plumbing.order.resize(count);
    parallelFor(segments.size(), [&](size_t index) {
        const Segment &segment = *segments[index];
        sortByStart(segment, std::span(plumbing.order).subspan(segment.firstSlice - plumbing.first, segment.size()));
    });
    BigVector<uint8_t> &states = plumbing.isHidden;
    states = filledVector(count, uint8_t{0});
    // A damaged store can contain any number.
    const auto parentOf = [&](const Segment &segment, uint32_t id) -> uint8_t * {
        const uint32_t parent = segment.nesting.parent[id - segment.firstSlice] - plumbing.first;
        return parent < count ? &states[parent] : nullptr;
    };
    const auto idsOf = [&](const Segment &segment) {
        return std::span(plumbing.order).subspan(segment.firstSlice - plumbing.first, segment.size());
    };
    for (const Segment *segment : segments)
        for (const uint32_t id : idsOf(*segment)) {
            throwIfStoppedAt(id);
            const uint32_t at = id - segment->firstSlice, name = segment->slices.name[at];
            const bool isFrame = segment->slices.detail[at] == SliceDetail::Python && name < roles.size();
            const uint8_t *parent = parentOf(*segment, id);
            const uint8_t around = parent ? *parent & (kInLibrary | kInWrapper) : 0;
            states[id - plumbing.first] = judged(isFrame ? roles[name] : FrameRole::None, around);
        }
    for (auto segment = segments.rbegin(); segment != segments.rend(); ++segment) {
        const std::span<uint32_t> ids = idsOf(**segment);
        for (auto id = ids.rbegin(); id != ids.rend(); ++id) {
            throwIfStoppedAt(*id);
            uint8_t &state = states[*id - plumbing.first];
            const bool isEvidence = (state & kOutermost) && !(state & kHoldsShown);
            const bool isHidden = (state & kHidden) && !isEvidence;
            if (uint8_t *parent = parentOf(**segment, *id); parent && (!isHidden || state & kHoldsShown))
                *parent |= kHoldsShown;
            state = isHidden ? 1 : 0; // its children, which come later, have been judged
            plumbing.hidden += isHidden ? 1 : 0;
        }
    }
    return plumbing;
}

} // namespace riffle
