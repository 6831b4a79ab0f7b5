// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collector/src/sources/cupti_abi.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

/// A stand-in for CUPTI and the GPU behind it, for random programs. It behaves as NVIDIA's documents say in the cases
/// that are hard to produce on purpose: buffers come back late and in any order, on CUPTI's own thread; a buffer is
/// held back until all its work is done; there may be no buffer; device times have an error. It notes the truth of
/// every record it makes. The functions of this header stand for the CUDA calls of a program; any thread may call them.
namespace riffle::standin {

struct Setup {
    uint64_t seed = 0;
    uint32_t version = 130001;       ///< decides the sizes of the records
    bool perThread = true;           ///< each thread fills a buffer of its own, as is usual since CUDA 13
    bool apart = false;              ///< what devices do has buffers of its own, so calls come back first
    bool takesClock = true;          ///< accepts a callback for its timestamps
    double slew = 0;                 ///< by how much CUPTI's own clock runs faster than CLOCK_MONOTONIC
    int64_t setAfter = 0, setBy = 0; ///< ns; CUPTI's own clock is set forward once, so long after begin()
    int64_t deviceError = 0;         ///< ns; the largest error of a time on a device
    int64_t lateness = 0;            ///< ns; the longest time between a flush and the return of a buffer
    size_t capacity = 4096;          ///< how many bytes of each buffer are used
    uint32_t firstCorrelation = 1;   ///< ids wrap at 32 bits
    size_t earlierDrops = 0;         ///< records that were dropped for an earlier user of CUPTI
    double timeless = 0;             ///< the share of device records whose times are 0
    double kept = 0;                 ///< the share of buffers that come back only when the program ends
    bool nested = false; ///< the runtime launches through calls of the driver, which have records of their own
};
void begin(const Setup &setup);
/// Sets whether another profiler has subscribed.
void hold(bool held);
/// Waits until all buffers that were flushed have come back.
void finish();

enum class Outcome : uint8_t {
    Delivered,
    Dropped,    ///< there was no buffer
    Timeless,   ///< both times are 0
    Unfinished, ///< delivered by a forced flush while it ran: its end is 0
    Kept,       ///< in a buffer that comes back only when the program ends
    Held        ///< still in a buffer that was not flushed
};
/// One record as it should have been. Times are ns of CLOCK_MONOTONIC.
struct Truth {
    uint32_t kind = 0, serial = 0, correlation = 0, thread = 0, device = 0, context = 0, stream = 0, graph = 0;
    uint64_t node = 0;
    int64_t start = 0, end = 0;
    int64_t made = 0;    ///< when CUPTI made the record, with the call
    uint32_t name = 0;   ///< of a call; see cuptiGetCallbackName()
    uint32_t result = 0; ///< of a call
    Outcome outcome = Outcome::Held;
};
std::vector<Truth> truths();
size_t keptBuffers(); ///< the number of buffers that have not come back so far
int64_t now();        ///< ns of CLOCK_MONOTONIC

struct Stream {
    uint32_t context, stream;
};
/// Creates a context on a device, or a stream in a context.
uint32_t makeContext(uint32_t device);
Stream makeStream(uint32_t context);

void launchKernel(Stream on, int64_t duration);
void copy(Stream on, int64_t duration);
void copyToPeer(Stream on, int64_t duration);
void set(Stream on, int64_t duration);
/// Waits until the stream is empty, at most `longest` ns.
void synchronize(Stream on, int64_t longest);
/// A launch that fails, so that there is no kernel.
void failToLaunch();
/// Captures a graph with this many kernels, by as many calls; replaying it launches all of them with one call.
uint32_t capture(uint32_t kernels);
void replay(uint32_t graph, Stream on, int64_t duration);

} // namespace riffle::standin
