// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/big_vector.h"
#include "model/trace/trace.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace riffle {

/// The role of a slice of a thread in plumbing: the Python frames between the code that a user wrote and what it calls
/// on the device. README.md says which frames are plumbing and why.
enum class FrameRole : uint8_t {
    None,    ///< no Python frame: an operator, a runtime call, an annotation
    Own,     ///< the user's code
    Module,  ///< a call of an nn.Module
    Library, ///< a function of an installed library or of PyTorch
    Wrapper  ///< code that only passes a call on: decorators, the standard library, the interpreter, built-in functions
};

/// Returns the role of a frame with this text.
FrameRole frameRole(std::string_view text);
/// Returns the roles of a trace's frames, per StringId of their names; None for names that no frame has. Throws Stopped
/// if the StopScope is stopped.
std::vector<FrameRole> frameRoles(const Trace &trace);

/// The slices of a lane, and which of them are plumbing.
struct LanePlumbing {
    std::vector<size_t> first;   ///< per segment of the lane, the number of slices in the segments before it
    BigVector<uint32_t> order;   ///< the indices in each segment, from `first` on, by start; a parent before its
                                 ///< children in the segment
    BigVector<uint8_t> isHidden; ///< per `first` of the segment + index in it, 1 for plumbing
    uint32_t hidden = 0;         ///< the number of slices that are plumbing

    /// The part of `order` that belongs to a segment of the lane.
    std::span<const uint32_t> orderOf(size_t segment, uint32_t size) const
    {
        return std::span(order).subspan(first[segment], size);
    }
};
/// Judges the slices of a lane, given frameRoles(). Throws Stopped if the StopScope is stopped.
LanePlumbing plumbingOf(const Trace &trace, const Lane &lane, const std::vector<FrameRole> &roles);

} // namespace riffle
