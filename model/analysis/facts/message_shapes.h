// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/trace.h"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace riffle {

/// The tensors of a range such as "nccl:all_reduce", whose inputs are what a rank contributes.
struct MessageShape {
    int64_t elements = 0;
    std::string type; ///< "float"; empty if the tensors have different or unknown types
};

/// Reads the raw values of "Input Dims" ([[2,3],[4]]) and "Input type" (["float","float"]). Empty if they contain no
/// tensor, or one whose shape is unknown.
std::optional<MessageShape> messageShape(std::string_view inputDims, std::string_view inputTypes);

/// The shapes of ranges; equal arguments are read once, and at most kMostReads different ones.
class MessageShapes {
public:
    static constexpr size_t kMostReads = 4096;

    /// Reads those of these slices, in the order of the source, because the source may be compressed.
    MessageShapes(const Trace &trace, std::span<const uint32_t> slices);
    /// Null if the slice has no shapes.
    const MessageShape *of(uint32_t slice) const;

private:
    using Key = std::pair<uint64_t, uint64_t>; ///< hashes of shapes and of types
    std::optional<Key> keyOf(uint32_t slice) const;

    const Trace &m_trace;
    std::map<Key, std::optional<MessageShape>> m_shapes;
};

} // namespace riffle
