// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace riffle {

/// The kind of a node in a tree of calls (CallShapes). Only nodes of one kind can be the same.
enum class ShapeKind : uint8_t {
    Root,
    Step,
    Thread,     ///< what one thread did in a step
    Stream,     ///< the work of a stream in a step whose launch was not recorded
    Annotation, ///< user annotations and waits for data
    Module,     ///< calls of an nn.Module
    Operator,
    Kernel, ///< with Copy and Memset, the last ones: the device work
    Copy,
    Memset,
};

/// The name of a call without what differs from run to run although the call is the same one: addresses, the number
/// after a '#', PyTorch's key of a compiled graph, and, in annotations, a number that counts steps ("iteration 12").
/// Numbers that tell layers apart ("layer_3", "nn.Module: Linear_3") stay.
std::string shapeName(ShapeKind kind, std::string_view name);

/// The name of a thread without its ids: "thread (pt_autograd_0)" for "thread 108 (pt_autograd_0)".
std::string threadShapeName(std::string_view name);

} // namespace riffle
