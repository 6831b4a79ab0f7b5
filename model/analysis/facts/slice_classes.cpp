// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/facts/slice_classes.h"

#include "model/analysis/facts/slice_reader.h"
#include "model/base/ascii.h"
#include "model/base/filled_vector.h"
#include "model/base/parallel.h"
#include "model/trace/sampled_lane.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <span>
#include <string>

namespace riffle {

namespace {

template <size_t N>
bool isOneOf(std::string_view text, const std::array<std::string_view, N> &list)
{
    return std::find(list.begin(), list.end(), text) != list.end();
}

SliceClass classOfCategory(std::string_view category)
{
    static constexpr std::array<std::string_view, 3> kOperators{"cpu_op", "operator", "operatorinner"};
    static constexpr std::array<std::string_view, 2> kFrames{"python_function", "python"};
    static constexpr std::array<std::string_view, 8> kAnnotations{"user_annotation",   "forward",      "backward",
                                                                  "optimization",      "pythonop",     "userdefined",
                                                                  "pythonuserdefined", "communication"};
    static constexpr std::array<std::string_view, 3> kKernels{"kernel", "hpu_op", "mtia_ccp_events"};
    static constexpr std::array<std::string_view, 4> kMarks{"gpu_user_annotation", "cuda_sync", "cuda_event",
                                                            "xpu_sync"};
    const std::string lower = asciiLower(category);
    if (isOneOf(lower, kOperators) || lower.ends_with("kernellaunch"))
        return SliceClass::Operator;
    if (isOneOf(lower, kFrames))
        return SliceClass::Frame;
    if (isOneOf(lower, kAnnotations))
        return SliceClass::Annotation;
    if (lower == "dataloader")
        return SliceClass::Dataloader;
    if (lower == "profilestep")
        return SliceClass::StepMark;
    if (isOneOf(lower, kKernels))
        return SliceClass::Kernel;
    if (lower == "gpu_memcpy" || lower == "memcpy")
        return SliceClass::Memcpy;
    if (lower == "gpu_memset" || lower == "memset")
        return SliceClass::Memset;
    if (isOneOf(lower, kMarks))
        return SliceClass::StreamMark;
    if (lower.ends_with("runtime") || lower.ends_with("_driver"))
        return SliceClass::Runtime;
    return SliceClass::Other;
}

bool isDataloading(std::string_view name)
{
    return (name.starts_with("enumerate(DataLoader)#") && name.find("__next__") != name.npos) ||
           name.starts_with("enumerate(DataPipe)#");
}

/// True for calls that return only when the device has reached that point, such as a copy without Async in its name.
bool isBlocking(std::string_view name)
{
    if (name.find("Synchronize") != name.npos)
        return true;
    const bool copies = name.starts_with("cudaMemcpy") || name.starts_with("hipMemcpy") || name.starts_with("cuMemcpy");
    return copies && name.find("Async") == name.npos;
}

/// The kinds of names that matter.
enum class Name : uint8_t { Plain, Step, Loading, Optimizing, Blocking, Copying };

Name nameKind(std::string_view text)
{
    return isStepMark(text)                 ? Name::Step
           : isDataloading(text)            ? Name::Loading
           : text.starts_with("Optimizer.") ? Name::Optimizing
           : isBlocking(text)               ? Name::Blocking
           : text == "dma_request"          ? Name::Copying // by MTIA, in the category of its kernels
                                            : Name::Plain;
}

SliceClass refined(SliceClass kind, Name name, uint16_t flags)
{
    if (kind == SliceClass::Runtime)
        return name == Name::Blocking ? SliceClass::Waiting : kind;
    if (kind == SliceClass::Kernel && name == Name::Copying)
        return SliceClass::Memcpy;
    if (kind > SliceClass::Annotation)
        return kind;
    if (flags & slice_flag::OnStream)
        return SliceClass::StreamMark;
    // Step marks count in every category, because a process may mark its steps with its own ranges.
    if (name == Name::Step)
        return SliceClass::StepMark;
    if (kind == SliceClass::Frame || kind == SliceClass::StepMark)
        return kind;
    if (name == Name::Loading && kind != SliceClass::Other)
        return SliceClass::Dataloader;
    if ((name == Name::Optimizing && kind == SliceClass::Operator) || (flags & slice_flag::Annotation))
        return SliceClass::Annotation;
    return kind;
}

/// Per LaneId, 1 if its slices are known from samples. They are not counted with those whose times are exact.
std::vector<uint8_t> sampledLanes(const Trace &trace)
{
    std::vector<uint8_t> lanes(trace.lanes.size());
    for (size_t lane = 0; lane < lanes.size(); ++lane)
        lanes[lane] = sampledThread(trace, trace.lanes[lane]).has_value();
    return lanes;
}

/// Per LaneId, 1 if it contains the operators of PyTorch's first profiler.
std::vector<uint8_t> autogradLanes(const Trace &trace)
{
    std::vector<uint8_t> lanes(trace.lanes.size());
    for (size_t lane = 0; lane < lanes.size(); ++lane) {
        const RawId pid = trace.processes[trace.lanes[lane].process.value].pid;
        lanes[lane] = pid.kind == RawId::Kind::Text && trace.string(static_cast<uint32_t>(pid.bits)) == "CPU functions";
    }
    return lanes;
}

} // namespace

SliceClasses::SliceClasses(const Trace &trace) : m_classes(trace, SliceClass::Other)
{
    // Only the slices show which strings are categories. Categories are short, so all short strings are classified.
    constexpr size_t kLongestCategory = 32;
    const size_t strings = trace.strings.count();
    std::vector<SliceClass> categories(strings, SliceClass::Other);
    std::vector<Name> names(strings);
    for (uint32_t id = 0; id < strings; ++id) {
        const std::string_view text = trace.string(id);
        if (text.size() <= kLongestCategory)
            categories[id] = classOfCategory(text);
        names[id] = nameKind(text);
    }
    const std::vector<uint8_t> isAutograd = autogradLanes(trace), isSampled = sampledLanes(trace);
    const std::span<SliceClass> values = m_classes.byPosition();
    std::atomic<uint32_t> present = 0;
    parallelRanges(m_classes.size(), kSliceRange, [&](size_t first, size_t last) {
        uint32_t here = 0;
        forEachSlice(trace, first, last, [&](const Segment &segment, uint32_t at, size_t position) {
            const uint32_t name = segment.slices.name[at], category = segment.slices.category[at];
            if (category >= strings || name >= strings || isSampled[segment.lane.value])
                return;
            const SliceClass kind = categories[category] == SliceClass::Other && isAutograd[segment.lane.value]
                                        ? SliceClass::Operator
                                        : categories[category];
            const SliceClass found = refined(kind, names[name], segment.slices.flags[at]);
            values[position] = found;
            here |= 1u << static_cast<uint32_t>(found);
        });
        present |= here;
    });
    m_present = present;
}

} // namespace riffle
