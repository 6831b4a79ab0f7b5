// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/trace.h"

#include <span>
#include <string>
#include <vector>

namespace riffle {

class TraceFacts;

/// One property of a slice, in words, and its number if two slices can be compared by it.
struct CardRow {
    enum class Unit : uint8_t { None, Duration, Bytes, PerSecond, Count }; ///< ns, bytes, GB/s
    std::string label, text;
    Unit unit = Unit::None;
    double number = 0; ///< for units other than None
};

/// The few properties of a slice that matter most, for a card beside the pointer.
struct SliceCard {
    static constexpr size_t kMostRows = 6;
    std::string name; ///< that of a kernel is short
    std::vector<CardRow> rows;
};

/// The card with what the slice itself says: name, duration and its share of the step, odd properties, and the lane.
/// `steps` are those of the trace, ascending. Without a name or rows if there is no such slice.
SliceCard sliceCard(const Trace &trace, SliceId slice, std::span<const Step> steps);

/// The same, and what the slice belongs to. Device work has its launch delay (start less the end of the launch; R9),
/// operator, module, the operator's shapes, and grid and block, or for copies the size and rate. A communication kernel
/// has the size, group and algorithm bandwidth of its call instead. A host slice has self time, module, shapes and the
/// device work that it launched. Reads the source, and needs facts that may have to be computed first; to be called
/// outside the GUI thread.
SliceCard fullSliceCard(const TraceFacts &facts, SliceId slice, std::span<const Step> steps);

/// The difference of a row of one card to the row with the same label of another: "+3.1 µs (+33 %)". Empty if they
/// cannot be compared, "same" if the numbers are equal.
std::string differenceText(const CardRow &row, const SliceCard &other);

} // namespace riffle
