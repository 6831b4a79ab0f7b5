// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/support/op_catalogue.h"
#include "tests/support/trace_generator.h"

#include <array>
#include <cstdint>
#include <vector>

namespace riffle::test {

enum class RecordKind : std::uint8_t {
    Op,
    Collective, ///< record_param_comms
    Annotation,
    Memory,
    Python,
    Kernel,
    NcclKernel,
    Copy,
    Runtime,
    GpuAnnotation,
};

/// One event of the simulated job, with times in nanoseconds. The kind determines the meaning of `first` to `third`.
struct Record {
    RecordKind kind = RecordKind::Op;
    bool onAutogradThread = false;
    std::uint32_t name = 0;
    std::int64_t begin = 0;
    std::int64_t end = 0;
    std::int64_t externalId = 0;
    std::int64_t correlation = 0;
    /// Op: sequence number or -1 · Python: id · Memory: address · Kernel: its index · Copy: bytes ·
    /// Collective: elements · Runtime: cbid · annotations: step or -1
    std::int64_t first = 0;
    /// Op: forward thread · Python: parent id · Memory: bytes, negative when freed · NcclKernel: elements
    std::int64_t second = 0;
    /// Op: flow that starts (> 0) or ends (< 0) here · Python: module id or -1 · Memory: total allocated
    std::int64_t third = 0;
    std::uint32_t arguments = 0;
};

/// Plays the training steps of a transformer on two threads and two streams, one step at a time. The same options give
/// the same steps.
class TrainingRun {
public:
    /// The number of Python frames around all steps. Their ids are 1 to kOuterFrames.
    static constexpr int kOuterFrames = 14;

    TrainingRun(const TraceOptions &options, OpCatalogue &catalogue);

    /// The records of the next step, ordered by their start on the CPU. Valid until the next call.
    const std::vector<Record> &playStep();
    std::int64_t now() const { return m_now; }

private:
    // Kernels of the catalogue that no operator's recipe launches.
    static constexpr int kCopyKernel = -1;
    static constexpr int kNcclKernel = 9;

    struct TapeEntry {
        int op = 0;
        std::int64_t sequence = 0;
        std::int64_t flow = 0;
    };
    struct Allocation {
        std::int64_t address = 0;
        std::int64_t bytes = 0;
    };

    std::uint32_t random(std::uint32_t below);
    void pass(std::int64_t nanoseconds) { m_now += nanoseconds; }
    std::size_t open(RecordKind kind, std::uint32_t name);
    void close(std::size_t record);
    std::size_t openFrame(std::uint32_t name, std::int64_t module = -1);
    void closeFrame(std::size_t record);
    std::size_t openModule(std::uint32_t name, std::int64_t module, std::uint32_t forward);
    void closeModule(std::size_t record);
    void lookUpAttributes();

    void callOp(int op, bool recordsTape);
    void callBuiltin(std::uint32_t name, int op);
    void launch(int kernel, std::int64_t externalId, int stream, RecordKind kind, std::int64_t size);
    void synchronize();
    void allocate(std::int64_t bytes);
    void release();

    void loadBatch();
    void forward();
    void layer(int index);
    void backward();
    void reduceGradients();
    void optimize();

    const TraceOptions &m_options;
    OpCatalogue &m_catalogue;
    int m_layers;
    std::uint64_t m_random;
    std::int64_t m_now;
    bool m_onAutogradThread = false;
    int m_step = 0;
    std::int64_t m_externalId = 0;
    std::int64_t m_correlation = 0;
    std::int64_t m_sequence = 0;
    std::int64_t m_flow = 0;
    std::int64_t m_pythonId = kOuterFrames;
    std::int64_t m_allocated = 0;
    std::array<std::int64_t, 2> m_streamFree = {};
    std::int64_t m_firstKernel = 0;
    std::vector<Record> m_records;
    std::vector<std::int64_t> m_frames;
    std::vector<TapeEntry> m_tape;
    std::vector<Allocation> m_live;
};

} // namespace riffle::test
