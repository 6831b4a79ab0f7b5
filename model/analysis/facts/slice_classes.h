// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/per_slice.h"

#include <cstdint>
#include <span>
#include <string_view>

namespace riffle {

/// The role of a slice in the analyses. It is decided by its category and name and by whether it is on a stream, in all
/// the spellings that the profilers of PyTorch (old and new), Paddle, ROCm and Riffle's own collector use. PyTorch's
/// first profiler wrote no categories: slices in the process "CPU functions" are operators. Slices in "CUDA functions"
/// are not device work, because no launch leads to them.
enum class SliceClass : uint8_t {
    Other,      ///< profiler spans, overhead, slices of other programs
    StepMark,   ///< ProfilerStep#N, Paddle's ProfileStep, on the host
    Operator,   ///< cpu_op and similar categories
    Frame,      ///< python_function
    Annotation, ///< user annotations of the host other than steps, and optimizer steps written as operators
    Dataloader, ///< waits for a batch: enumerate(DataLoader)#…__next__, enumerate(DataPipe)#…, Paddle's Dataloader
    Runtime,    ///< runtime and driver calls that return immediately
    Waiting,    ///< runtime and driver calls that wait for the device
    Kernel,
    Memcpy,
    Memset,
    StreamMark, ///< on a stream, but not work: synchronisation, copies of annotations
};

inline bool isDeviceWork(SliceClass kind)
{
    return kind == SliceClass::Kernel || kind == SliceClass::Memcpy || kind == SliceClass::Memset;
}
inline bool isRuntimeCall(SliceClass kind) { return kind == SliceClass::Runtime || kind == SliceClass::Waiting; }
/// True for the classes that R3 counts as CPU: operators, Python frames, annotations.
inline bool isHostCode(SliceClass kind)
{
    return kind == SliceClass::Operator || kind == SliceClass::Frame || kind == SliceClass::Annotation;
}

/// The classes of a trace's slices; each category and each name is judged once.
class SliceClasses {
public:
    explicit SliceClasses(const Trace &trace);

    SliceClass of(uint32_t slice) const { return m_classes[slice]; }
    SliceClass of(const Segment &segment, uint32_t at) const { return m_classes.of(segment, at); }
    std::span<const SliceClass> of(const Segment &segment) const { return m_classes.of(segment); } ///< by index
    std::span<const SliceClass> byPosition() const { return m_classes.byPosition(); } ///< see SlicePositions
    /// True if any slice is of the class.
    bool has(SliceClass kind) const { return m_present >> static_cast<uint32_t>(kind) & 1; }

private:
    PerSlice<SliceClass> m_classes;
    uint32_t m_present = 0; ///< one bit per class that occurs
};

} // namespace riffle
