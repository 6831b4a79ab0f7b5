// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/trace.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace riffle {

/// What a slice is to the analyses. Decided by category, name and whether it lies on a stream, in whatever spelling the
/// profilers of PyTorch (old and new), Paddle, ROCm and Riffle's own collector write it. PyTorch's first profiler wrote
/// no categories: what is in the process "CPU functions" is an operator; "CUDA functions" are no work, since no launch
/// leads there.
enum class SliceClass : uint8_t {
    Other,      ///< profiler spans, overhead, what other programs write
    StepMark,   ///< ProfilerStep#N, Paddle's ProfileStep, on the host
    Operator,   ///< cpu_op and its like
    Frame,      ///< python_function
    Annotation, ///< user annotations of the host other than steps; data loading and optimizer steps written as
                ///< operators
    Dataloader, ///< waits for the next batch: enumerate(DataLoader)#…__next__ and Paddle's Dataloader
    Runtime,    ///< runtime and driver calls that return at once
    Waiting,    ///< runtime and driver calls that wait for the device
    Kernel,
    Memcpy,
    Memset,
    StreamMark, ///< on a stream, but no work: synchronisation, copies of annotations
};

inline bool isDeviceWork(SliceClass kind)
{
    return kind == SliceClass::Kernel || kind == SliceClass::Memcpy || kind == SliceClass::Memset;
}
inline bool isRuntimeCall(SliceClass kind) { return kind == SliceClass::Runtime || kind == SliceClass::Waiting; }
/// What R3 counts as CPU: operators, Python frames, annotations.
inline bool isHostCode(SliceClass kind)
{
    return kind == SliceClass::Operator || kind == SliceClass::Frame || kind == SliceClass::Annotation;
}

/// Classes of a trace's slices: each category and each name is judged once.
class SliceClasses {
public:
    explicit SliceClasses(const Trace &trace);

    SliceClass of(uint32_t slice) const { return m_classes[slice]; }
    SliceClass of(const Segment &segment, uint32_t at) const { return m_classes[segment.firstSlice + at]; }

private:
    std::vector<SliceClass> m_classes; ///< by SliceId
};

} // namespace riffle
