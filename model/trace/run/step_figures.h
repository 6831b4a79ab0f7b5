// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/tables.h"

#include <array>
#include <cstdint>
#include <span>
#include <tuple>

namespace riffle {

/// Bits of StepFigureTable::flags.
namespace step_flag {
enum : uint8_t {
    Unfinished = 1 << 0,    ///< its mark has no end, so that it is in no mean, extreme or share (R14)
    FarLonger = 1 << 1,     ///< the first step, which took more than twice as long as the median of the others
    Cut = 1 << 2,           ///< only a part of it was asked for; the figures are about this part
    Unmarked = 1 << 3,      ///< no steps are marked: the row is about the whole trace
    ByRecorder = 1 << 4,    ///< the recorder computed the figures; the details are not in the log any more
    PartOfDevices = 1 << 5, ///< the trace has more devices than have rows
};
}

/// The number of the causes of idle time (R6), which IdleCause lists.
inline constexpr size_t kIdleCauseCount = 9;

/// The figures of one step on one device, or of a step without device work (`device` is kNoInt32). Rows are in the
/// order of (start, device). Times are ns. Those that are not points in time are clipped to the step's span on the host
/// (R2); kNoInt is a figure that is not known, which is not 0. If the device was recorded, busy + idle + missing is the
/// duration, and the idle times by cause add up to `idle`.
template <template <typename> class C>
struct StepFigureTableT {
    static constexpr const char *kName = "step_figures";
    C<int64_t> number;     ///< the number in the name of the step's mark
    C<Ns> start;           ///< of the mark, on the trace's clock
    C<Ns> duration;        ///< of the mark
    C<Ns> deviceStart;     ///< first start of the device work that the step launched, wherever it runs (R1)
    C<Ns> deviceEnd;       ///< last end of the same
    C<Ns> kernelTime;      ///< any kernel ran (R5: utilisation is its share)
    C<Ns> busy;            ///< any kernel, copy or memset ran
    C<Ns> communication;   ///< any kernel of a collective ran; without devices, the collectives on the host (R3)
    C<Ns> exposed;         ///< the same without any other kernel (R5)
    C<Ns> hostWait;        ///< the step's thread was in calls that return when the device is done
    C<Ns> idle;            ///< nothing ran on the device although it was recorded (R6)
    C<Ns> missing;         ///< device work was not recorded
    C<int64_t> memoryPeak; ///< the most bytes in use on the device, also those at the start of the step
    C<std::array<Ns, kIdleCauseCount>> idleByCause; ///< the parts of `idle`, by IdleCause
    C<uint32_t> mark;                               ///< SliceId of the step's mark; none if there is no mark
    C<int32_t> device;                              ///< the profiler's number of the device
    C<uint8_t> flags;                               ///< step_flag bits

    auto members()
    {
        return std::tie(number, start, duration, deviceStart, deviceEnd, kernelTime, busy, communication, exposed,
                        hostWait, idle, missing, memoryPeak, idleByCause, mark, device, flags);
    }
    auto members() const { return const_cast<StepFigureTableT *>(this)->members(); }
};

using StepFigureTable = StepFigureTableT<Column>;
using StepFigures = StepFigureTableT<Value>; ///< one row

/// A row in which nothing is known.
StepFigures unknownStepFigures();
/// The rows as columns, in memory of their own.
StepFigureTable stepFigureTable(std::span<const StepFigures> rows);

} // namespace riffle
