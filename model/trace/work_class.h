// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/per_slice.h"
#include "model/trace/per_trace.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace riffle {

/// The kind of work that a slice is, as its colour shows it: first those of streams, then those of threads.
enum class WorkClass : uint8_t {
    None, ///< marks on streams, and what is on neither streams nor threads
    MatrixProducts,
    Attention,
    OtherCompute,
    Compiled, ///< kernels of a compiler and Triton's
    Communication,
    Copies,
    Forward,
    Backward,
    Optimizer,
    DataLoading,
    OtherHost
};
inline constexpr size_t kWorkClasses = 12;

/// True for the classes of threads; the others are those of streams.
inline bool isOfThreads(WorkClass kind) { return kind >= WorkClass::Forward; }
/// The class in words, for a legend: "Matrix products"; empty for None.
inline const char *workClassTitle(WorkClass kind)
{
    switch (kind) {
    case WorkClass::None: break;
    case WorkClass::MatrixProducts: return "Matrix products";
    case WorkClass::Attention: return "Attention";
    case WorkClass::OtherCompute: return "Other compute";
    case WorkClass::Compiled: return "Compiled, Triton";
    case WorkClass::Communication: return "Communication";
    case WorkClass::Copies: return "Copies";
    case WorkClass::Forward: return "Forward";
    case WorkClass::Backward: return "Backward";
    case WorkClass::Optimizer: return "Optimizer";
    case WorkClass::DataLoading: return "Data loading";
    case WorkClass::OtherHost: return "Other";
    }
    return "";
}

/// A set of classes as one bit per class.
using WorkClassSet = uint32_t;
inline WorkClassSet bitOf(WorkClass kind) { return WorkClassSet{1} << static_cast<uint32_t>(kind); }

/// The classes of a trace's slices. Without slices, the trace is not one of machine learning: its slices have no
/// classes, and names tell them apart.
struct WorkClasses {
    PerSlice<WorkClass> slices;
    WorkClassSet present = 0;       ///< the classes that occur
    std::vector<WorkClass> kernels; ///< by StringId: the class of the kernels with the name; None for other names
    Ns since = INT64_MIN; ///< slices that ended before are left out, because the classes are of a trace's newest part

    /// The class of a slice that ended before `since`, as far as its name tells it.
    WorkClass ofOlder(uint32_t name) const { return name < kernels.size() ? kernels[name] : WorkClass::None; }
    /// The class of a slice; None for slices that came later, because their trace has grown.
    WorkClass of(uint32_t slice) const { return slices.at(slice, WorkClass::None); }
    bool has(WorkClass kind) const { return present & bitOf(kind); }
    /// True if a slice is of one of these classes.
    bool isOf(WorkClassSet wanted, const Segment &segment, uint32_t at) const
    {
        return wanted & bitOf(slices.of(segment, at));
    }
    bool isOf(WorkClassSet wanted, uint32_t slice) const { return wanted & bitOf(of(slice)); }
};

/// Null for traces whose classes are not known yet.
using SetWorkClasses = PerTrace<std::shared_ptr<const WorkClasses>>;

} // namespace riffle
