// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/facts/slice_classes.h"

#include "model/base/ascii.h"

#include <algorithm>
#include <array>
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
    static constexpr std::array<std::string_view, 8> kAnnotations{"user_annotation", "forward",    "backward", "optimization",
                                                                  "pythonop",        "userdefined", "pythonuserdefined", "communication"};
    static constexpr std::array<std::string_view, 5> kMarks{"gpu_user_annotation", "cuda_sync", "cuda_event", "xpu_sync", "mtia_ccp_events"};
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
    if (lower == "kernel" || lower == "hpu_op")
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
    return (name.starts_with("enumerate(DataLoader)#") && name.find("__next__") != name.npos) || name.starts_with("enumerate(DataPipe)#");
}

/// Calls that return when the device has come so far. A copy without Async in its name does so, too.
bool isBlocking(std::string_view name)
{
    if (name.find("Synchronize") != name.npos)
        return true;
    const bool copies = name.starts_with("cudaMemcpy") || name.starts_with("hipMemcpy") || name.starts_with("cuMemcpy");
    return copies && name.find("Async") == name.npos;
}

} // namespace

SliceClasses::SliceClasses(const Trace &trace)
    : m_categories(trace.strings.count(), static_cast<uint8_t>(SliceClass::Other)), m_names(trace.strings.count(), Plain)
{
    // Which strings are categories is known only from the slices; there are few, so all short strings are asked about.
    constexpr size_t kLongestCategory = 32;
    for (uint32_t id = 0; id < trace.strings.count(); ++id) {
        const std::string_view text = trace.string(id);
        if (text.size() <= kLongestCategory)
            m_categories[id] = static_cast<uint8_t>(classOfCategory(text));
        m_names[id] = isStepMark(text)                    ? Step
                      : isDataloading(text)               ? Loading
                      : text.starts_with("Optimizer.")    ? Optimizing
                      : isBlocking(text)                  ? Blocking
                                                          : Plain;
    }
}

SliceClass SliceClasses::refined(SliceClass kind, uint8_t name, uint16_t flags)
{
    if (kind == SliceClass::Runtime)
        return name == Blocking ? SliceClass::Waiting : kind;
    if (flags & slice_flag::OnStream)
        return SliceClass::StreamMark;
    // In any category: a process may mark its steps by ranges of its own.
    if (name == Step)
        return SliceClass::StepMark;
    if (kind == SliceClass::Frame || kind == SliceClass::StepMark)
        return kind;
    if (name == Loading && kind != SliceClass::Other)
        return SliceClass::Dataloader;
    if ((name == Optimizing && kind == SliceClass::Operator) || (flags & slice_flag::Annotation))
        return SliceClass::Annotation;
    return kind;
}

} // namespace riffle
