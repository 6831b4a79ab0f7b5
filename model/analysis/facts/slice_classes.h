// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/trace.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace riffle {

/// What a slice is to the analyses. Decided by category, name and whether it lies on a stream, in whatever spelling the
/// profilers of PyTorch (old and new), Paddle, ROCm and Riffle's own collector write it.
enum class SliceClass : uint8_t {
    Other,      ///< profiler spans, overhead, what other programs write
    StepMark,   ///< ProfilerStep#N, Paddle's ProfileStep, on the host
    Operator,   ///< cpu_op and its like
    Frame,      ///< python_function
    Annotation, ///< user annotations of the host other than steps; data loading and optimizer steps written as operators
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

/// Classes of a trace's slices, by two look-ups a slice: each category and each name is judged once.
class SliceClasses {
public:
    explicit SliceClasses(const Trace &trace);

    SliceClass of(uint32_t name, uint32_t category, uint16_t flags) const
    {
        if (category >= m_categories.size() || name >= m_names.size())
            return SliceClass::Other;
        const auto kind = static_cast<SliceClass>(m_categories[category]);
        return kind <= SliceClass::Annotation || kind == SliceClass::Runtime ? refined(kind, m_names[name], flags) : kind;
    }
    SliceClass of(const Segment &segment, uint32_t at) const
    {
        return of(segment.slices.name[at], segment.slices.category[at], segment.slices.flags[at]);
    }
    SliceClass of(const Slice &slice) const { return of(slice.data.name, slice.data.category, slice.data.flags); }

private:
    enum Name : uint8_t { Plain, Step, Loading, Optimizing, Blocking };
    static SliceClass refined(SliceClass kind, uint8_t name, uint16_t flags);

    std::vector<uint8_t> m_categories; ///< SliceClass by StringId
    std::vector<uint8_t> m_names;      ///< Name by StringId
};

} // namespace riffle
