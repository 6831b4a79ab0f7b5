// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/trace_builder.h"
#include "model/trace/trace_set.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <string>
#include <string_view>

namespace riffle::test {

/// The source text of a trace, in memory.
class TextInMemory : public SourceText {
public:
    explicit TextInMemory(std::string text) : m_text(std::move(text)) {}
    Result<std::string> readText(uint64_t offset, uint32_t length) const override
    {
        if (offset > m_text.size() || length > m_text.size() - offset)
            return Error{"out of range", {}, offset};
        return m_text.substr(offset, length);
    }

private:
    std::string m_text;
};

/// Builds a trace slice by slice, with the text of every event, for tests. Times are in ns.
class SmallTrace {
public:
    SmallTrace() : m_writer(&m_builder.newWriter()) { m_writer->beginBatch(0); }

    uint32_t thread(int64_t tid, std::string_view name = {})
    {
        const RawId id{tid, RawId::Kind::Signed};
        if (!name.empty())
            m_writer->metadata({MetadataRow::Kind::ThreadName, kHost, id, intern(name), kNoInt, m_text.size()});
        return m_writer->lane({kHost, id, LaneKind::Thread, 0}, m_text.size());
    }
    uint32_t stream(int64_t number)
    {
        return m_writer->lane({kGpu, {number, RawId::Kind::Signed}, LaneKind::Stream, 0}, m_text.size());
    }

    void plain(uint32_t lane, std::string_view name, std::string_view category, Ns start, Ns duration,
               std::string_view args = "{}")
    {
        m_writer->slice(row(name, category, start, duration, args), lane);
    }
    void operation(uint32_t lane, std::string_view name, Ns start, Ns duration, std::string_view args = "{}",
                   bool hasStack = false)
    {
        OperatorRow detail = emptyOperator();
        detail.callStack = hasStack ? std::hash<std::string_view>()(args) | 1 : 0;
        SliceRow slice = row(name, "cpu_op", start, duration, args);
        slice.detail = SliceDetail::Operator;
        m_writer->slice(slice, lane, detail);
    }
    /// Adds an operator with a Sequence number. With a Fwd thread id, it is a backward operator.
    void numbered(uint32_t lane, std::string_view name, Ns start, Ns duration, int64_t sequence,
                  int64_t forwardThread = kNoInt)
    {
        OperatorRow detail = emptyOperator();
        detail.sequence = sequence;
        detail.forwardThread = forwardThread;
        SliceRow slice = row(name, "cpu_op", start, duration, "{}");
        slice.detail = SliceDetail::Operator;
        m_writer->slice(slice, lane, detail);
    }
    void frame(uint32_t lane, std::string_view name, Ns start, Ns duration, int64_t moduleId = kNoInt)
    {
        SliceRow slice = row(name, "python_function", start, duration, "{}");
        slice.detail = SliceDetail::Python;
        m_writer->slice(slice, lane, PythonRow{0, kNoInt, kNoInt, moduleId, kNoInt});
    }
    void launch(uint32_t lane, Ns start, Ns duration, int64_t correlation)
    {
        SliceRow slice = row("cudaLaunchKernel", "cuda_runtime", start, duration, "{}");
        slice.correlation = correlation;
        m_writer->slice(slice, lane);
    }
    void kernel(uint32_t lane, std::string_view name, Ns start, Ns duration, int64_t correlation)
    {
        SliceRow slice = row(name, "kernel", start, duration, R"({"grid": [1, 2, 3], "stream": 7})");
        slice.correlation = correlation;
        slice.flags = slice_flag::OnStream;
        slice.detail = SliceDetail::Device;
        m_writer->slice(slice, lane, emptyDevice());
    }
    void annotation(uint32_t lane, std::string_view name, Ns start, Ns duration)
    {
        SliceRow slice = row(name, "user_annotation", start, duration, "{}");
        slice.flags = slice_flag::Host | slice_flag::Annotation;
        m_writer->slice(slice, lane);
    }
    void step(uint32_t lane, int number, Ns start, Ns duration)
    {
        annotation(lane, "ProfilerStep#" + std::to_string(number), start, duration);
    }
    /// Adds the device's copy of a step's mark.
    void deviceStep(uint32_t lane, int number, Ns start, Ns duration)
    {
        SliceRow slice = row("ProfilerStep#" + std::to_string(number), "gpu_user_annotation", start, duration, "{}");
        slice.flags = slice_flag::OnStream | slice_flag::Annotation;
        m_writer->slice(slice, lane);
    }
    /// Adds the mark of a step that never ends.
    void openStep(uint32_t lane, int number, Ns start)
    {
        const uint32_t name = intern("ProfilerStep#" + std::to_string(number));
        HalfRow half{};
        half.time = start;
        half.sourceOffset = m_text.size();
        half.correlation = half.externalId = kNoInt;
        half.name = name;
        half.category = intern("user_annotation");
        half.lane = lane;
        half.flags = slice_flag::Host | slice_flag::Annotation;
        half.phase = 'B';
        m_writer->half(half);
        m_hasOpen = true;
    }
    void flow(uint32_t lane, std::string_view category, char phase, int64_t id, Ns time)
    {
        FlowRow point{time, id, m_text.size(), 0, intern(category), lane, SliceId::kNone, phase, 1};
        m_writer->flow(point);
    }

    std::shared_ptr<const Trace> seal(uint32_t segmentSlices = Segment::kMaxSlices)
    {
        TraceInfo info;
        info.path = "small.json";
        info.format = format;
        if (m_hasOpen) // slices without an end reach to the end of the recording
            info.recorded = m_recorded;
        auto sealed = m_builder.seal(info, std::make_shared<TextInMemory>(m_text), {}, {}, segmentSlices);
        if (!sealed)
            std::abort();
        return *sealed;
    }

    std::string format = "Kineto JSON"; ///< what the sealed trace claims to be

private:
    static constexpr RawId kHost{100, RawId::Kind::Signed};
    static constexpr RawId kGpu{0, RawId::Kind::Signed};

    uint32_t intern(std::string_view text) { return m_writer->intern(text, m_text.size()); }

    SliceRow row(std::string_view name, std::string_view category, Ns start, Ns duration, std::string_view args)
    {
        const std::string event =
            R"({"ph": "X", "name": ")" + std::string(name) + R"(", "args": )" + std::string(args) + "}";
        m_recorded = {std::min(m_recorded.begin, start), std::max(m_recorded.end, start + duration)};
        SliceRow slice{start,        duration,         m_text.size(),
                       kNoInt,       kNoInt,           static_cast<uint32_t>(event.size()),
                       intern(name), intern(category), slice_flag::Host,
                       'X',          SliceDetail::None};
        m_text += event + ",\n";
        return slice;
    }
    static OperatorRow emptyOperator() { return {0, kNoInt, kNoInt, kNoInt, kNoInt, 0, 0, 0, 0, 0, 0}; }
    static DeviceRow emptyDevice()
    {
        const float none = std::numeric_limits<float>::quiet_NaN();
        DeviceRow row{};
        row.slice = row.launch = SliceId::kNone;
        row.context = row.stream = row.bytes = row.graphId = row.graphNode = kNoInt;
        row.device = row.registers = row.sharedMemory = kNoInt32;
        row.grid = row.block = {kNoInt32, kNoInt32, kNoInt32};
        row.blocksPerSm = row.warpsPerSm = row.occupancy = none;
        return row;
    }

    TraceBuilder m_builder;
    TraceWriter *m_writer;
    std::string m_text;
    TimeSpan m_recorded{INT64_MAX, INT64_MIN}; ///< of the complete slices
    bool m_hasOpen = false;
};

inline TraceSet setOf(std::shared_ptr<const Trace> trace)
{
    TraceSet set;
    set.add(std::move(trace), TimeMap());
    return set;
}

/// The first slice (by id) with that name.
inline SliceId sliceNamed(const Trace &trace, std::string_view name)
{
    for (uint32_t id = 0; id < trace.sliceCount(); ++id) {
        const auto slice = trace.slice(SliceId(id));
        if (slice && trace.string(slice->data.name) == name)
            return SliceId(id);
    }
    return {};
}

/// Two steps with frames, operators, launches and kernels. Most tests of the views use this trace.
inline std::shared_ptr<const Trace> trainingTrace()
{
    SmallTrace trace;
    const uint32_t main = trace.thread(100, "python");
    const uint32_t autograd = trace.thread(101);
    const uint32_t gpu = trace.stream(7);
    for (int step = 0; step < 2; ++step) {
        const Ns at = 1'000'000 + step * 100'000;
        const int64_t id = step * 2 + 1;
        trace.step(main, step, at, 90'000);
        trace.frame(main, "train.py(20): train", at + 1'000, 80'000);
        trace.frame(main, "nn.Module: Linear_0", at + 2'000, 40'000);
        trace.frame(main, "torch/nn/modules/linear.py(114): forward", at + 3'000, 30'000);
        trace.operation(main, "aten::linear", at + 4'000, 20'000,
                        R"({"Input Dims": [[32, 64], [64, 8], []], "Input type": ["float", "float", "Scalar"]})");
        trace.flow(main, "fwdbwd", 's', id, at + 4'000);
        trace.operation(main, "aten::mm", at + 5'000, 10'000);
        trace.launch(main, at + 6'000, 2'000, id);
        trace.kernel(gpu, "sgemm", at + 9'000, 12'000, id);
        trace.operation(autograd, "MmBackward0", at + 50'000, 20'000);
        trace.flow(autograd, "fwdbwd", 'f', id, at + 50'000);
        trace.launch(autograd, at + 52'000, 2'000, id + 1);
        trace.kernel(gpu, "sgemm_bwd", at + 60'000, 24'000, id + 1);
    }
    return trace.seal();
}

} // namespace riffle::test
