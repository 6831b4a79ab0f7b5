// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/facts/slice_tints.h"

#include "model/base/stopping.h"
#include "model/trace/details.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <functional>
#include <string_view>

namespace riffle {

namespace {

constexpr std::array<const char *, kDurationTints> kDurationTitles{"under 1 µs", "under 10 µs", "under 100 µs",
                                                                   "under 1 ms", "under 10 ms", "10 ms and longer"};

/// Calls `visit` with every segment and the index of each of its slices.
template <typename Visit>
void forEachSlice(const Trace &trace, Visit visit)
{
    for (const auto &segment : trace.segments) {
        throwIfStopped();
        for (uint32_t i = 0; i < segment->size(); ++i)
            visit(*segment, i);
    }
}

/// The tint of a name, which is the same in all traces.
uint8_t tintOf(std::string_view name, size_t tints)
{
    return static_cast<uint8_t>(std::hash<std::string_view>()(name) % tints);
}

/// Gives device work the value of its launch.
template <typename T>
void takeFromLaunches(const Trace &trace, PerSlice<T> &values)
{
    LaunchLinks::Place near;
    forEachDetail(trace, &Segment::device, [&](const Segment &segment, uint32_t, uint32_t row) {
        const uint32_t slice = segment.device.slice[row], launch = trace.launchOf(segment, row, near).value;
        if (values.has(slice) && values.has(launch))
            values[slice] = values[launch];
    });
}

void tintSteps(const Trace &trace, std::span<const Step> steps, size_t tints, SliceTints &out)
{
    forEachSlice(trace, [&](const Segment &segment, uint32_t i) {
        const Ns start = segment.slices.start[i];
        const auto after = std::ranges::upper_bound(steps, start, {}, [](const Step &step) { return step.span.begin; });
        if (after != steps.begin() && (after - 1)->span.contains(start))
            out.of(segment, i) = static_cast<uint8_t>(static_cast<size_t>(after - steps.begin() - 1) % tints);
    });
    takeFromLaunches(trace, out);
}

void tintAnnotations(const Trace &trace, size_t tints, SliceTints &out)
{
    // The annotation of a slice is its own name if it is one, otherwise that of its parent, which may come later.
    constexpr uint32_t kUnknown = UINT32_MAX, kNone = UINT32_MAX - 1;
    PerSlice<uint32_t> annotation(trace, kUnknown);
    std::vector<uint32_t> path;
    forEachSlice(trace, [&](const Segment &segment, uint32_t i) {
        uint32_t slice = segment.idAt(i).value, found = kNone;
        path.clear();
        for (const Segment *at = &segment; at;) {
            if (annotation[slice] != kUnknown) {
                found = annotation[slice];
                break;
            }
            path.push_back(slice);
            annotation[slice] = kNone; // so that damaged parents cannot form a circle
            const uint32_t index = at->indexOf(SliceId(slice));
            if (at->slices.flags[index] & slice_flag::Annotation) {
                found = at->slices.name[index];
                break;
            }
            const SliceId parent = trace.parentOf(*at, index);
            slice = parent.value;
            at = at->indexOf(parent) != kNoRow ? at : trace.segmentOf(parent);
        }
        for (const uint32_t one : path)
            annotation[one] = found;
    });
    PerSlice<uint32_t> ofLaunches = annotation;
    takeFromLaunches(trace, ofLaunches);
    forEachSlice(trace, [&](const Segment &segment, uint32_t i) {
        const uint32_t slice = segment.idAt(i).value;
        const uint32_t name = annotation[slice] == kNone ? ofLaunches[slice] : annotation[slice];
        if (name != kNone && name != kUnknown)
            out[slice] = tintOf(trace.string(name), tints);
    });
}

} // namespace

size_t durationTint(Ns duration)
{
    size_t tint = 0;
    for (Ns limit = 1'000; tint + 1 < kDurationTints && duration >= limit; limit *= 10)
        ++tint;
    return tint;
}

const char *durationTintTitle(size_t tint)
{
    assert(tint < kDurationTints);
    return kDurationTitles[tint];
}

SliceTints sliceTints(const Trace &trace, ColourMode mode, std::span<const Step> steps, size_t tints)
{
    assert(tints > 0 && tints <= kNoTint);
    SliceTints out(trace, kNoTint);
    switch (mode) {
    case ColourMode::Class:
    case ColourMode::Name: return {};
    case ColourMode::Lane:
        for (const auto &segment : trace.segments) {
            const uint8_t tint = tintOf(trace.laneName(segment->lane), tints);
            for (uint32_t i = 0; i < segment->size(); ++i)
                out.of(*segment, i) = tint;
        }
        break;
    case ColourMode::Duration:
        forEachSlice(trace, [&](const Segment &segment, uint32_t i) {
            out.of(segment, i) = static_cast<uint8_t>(durationTint(segment.slices.duration[i]));
        });
        break;
    case ColourMode::Step: tintSteps(trace, steps, tints, out); break;
    case ColourMode::Annotation: tintAnnotations(trace, tints, out); break;
    }
    return out;
}

} // namespace riffle
