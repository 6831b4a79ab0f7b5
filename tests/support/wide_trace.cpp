// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/wide_trace.h"

#include "model/trace/trace_builder.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace riffle::test {

namespace {

constexpr int kDeepest = 88;
constexpr int kStreams = 16;

class Maker {
public:
    Maker(TraceWriter &writer, uint64_t slices, int lanes, uint64_t seed, bool hasFrames)
        : m_writer(writer)
        , m_slices(slices)
        , m_lanes(lanes)
        , m_random(seed)
        , m_hasFrames(hasFrames)
    {
        for (int i = 0; i < 400; ++i)
            m_names.push_back(
                writer.intern("void at::native::vectorized_elementwise_kernel<" + std::to_string(i) + ", float>", 0));
        for (int i = 0; i < 400; ++i)
            m_names.push_back(writer.intern(callName(i), 0));
        m_frame = writer.intern("python_function", 0);
        m_category = writer.intern("cpu_op", 0);
        m_kernel = writer.intern("kernel", 0);
        m_launch = writer.intern("cudaLaunchKernel", 0);
    }

    void make()
    {
        const uint64_t perLane = std::max<uint64_t>(1, m_slices / static_cast<uint64_t>(m_lanes));
        for (int i = 0; i < m_lanes; ++i) {
            if (i < kStreams)
                stream(i, perLane);
            else
                thread(i, perLane, i == kStreams ? kDeepest : 2 + i % 9);
        }
        counter(perLane / 4 + 1000);
    }

private:
    uint64_t random() { return m_random(); }

    std::string callName(int number) const
    {
        if (!m_hasFrames)
            return "aten::operator_" + std::to_string(number);
        return (number % 8 == 0 ? "train.py(" : "torch/utils/_pytree.py(") + std::to_string(number) + "): call";
    }

    /// The number of a name for a call; of eight frames inside one another, the first one is the user's.
    size_t nameOf(int level)
    {
        const uint64_t number = random() + static_cast<uint64_t>(level);
        return m_hasFrames ? number % 50 * 8 + static_cast<uint64_t>(level % 8) : number % 400;
    }

    SliceRow row(Ns start, Ns duration, uint32_t name, uint16_t flags)
    {
        ++m_offset;
        return {start, duration, m_offset, kNoInt, kNoInt, 1, name, m_category, flags, 'X', SliceDetail::None};
    }

    void stream(int number, uint64_t count)
    {
        const RawId gpu{number / 4, RawId::Kind::Signed};
        const uint32_t lane = m_writer.lane({gpu, {7 + number % 4, RawId::Kind::Signed}, LaneKind::Stream, 0}, 0);
        Ns at = 1000;
        DeviceRow device{};
        device.slice = device.launch = SliceId::kNone;
        device.blocksPerSm = device.warpsPerSm = device.occupancy = std::numeric_limits<float>::quiet_NaN();
        for (uint64_t i = 0; i < count; ++i) {
            const Ns length = i % 50 == 0 ? 100'000 : 500 + static_cast<Ns>(random() % 9000);
            SliceRow slice = row(at, length, m_names[random() % 400], slice_flag::OnStream);
            slice.correlation = static_cast<int64_t>(number) << 40 | static_cast<int64_t>(i);
            slice.category = m_kernel;
            slice.detail = SliceDetail::Device;
            m_writer.slice(slice, lane, device);
            at += length + static_cast<Ns>(random() % (i % 1000 == 0 ? 3'000'000 : 6000));
        }
        m_end = std::max(m_end, at);
    }

    void thread(int number, uint64_t count, int depth)
    {
        const RawId host{100, RawId::Kind::Signed};
        const uint32_t lane = m_writer.lane({host, {84 + number, RawId::Kind::Signed}, LaneKind::Thread, 0}, 0);
        Ns at = 0;
        uint64_t made = 0;
        int stream = number % kStreams;
        while (made < count) {
            // A nest of calls of this depth. Its innermost call has several leaves.
            const int deep = random() % 4 == 0 ? depth : 1 + static_cast<int>(random() % static_cast<uint64_t>(depth));
            const Ns inner = 20'000 + static_cast<Ns>(random() % 60'000);
            for (int level = 0; level < deep && made < count; ++level, ++made)
                call(row(at + level * 40, inner + (deep - level) * 90, m_names[400 + nameOf(level)], slice_flag::Host),
                     lane);
            const Ns floor = at + deep * 40;
            for (Ns part = 0; part + 6000 < inner && made < count; part += 6000, ++made) {
                SliceRow leaf = row(floor + part, 3000 + static_cast<Ns>(random() % 2500), m_launch, slice_flag::Host);
                leaf.correlation = static_cast<int64_t>(stream) << 40 | static_cast<int64_t>(made);
                m_writer.slice(leaf, lane);
            }
            at += inner + depth * 130 + static_cast<Ns>(random() % 20'000);
        }
        m_end = std::max(m_end, at);
    }

    void call(SliceRow slice, uint32_t lane)
    {
        if (!m_hasFrames) {
            m_writer.slice(slice, lane);
            return;
        }
        slice.category = m_frame;
        slice.detail = SliceDetail::Python;
        m_writer.slice(slice, lane, PythonRow{0, kNoInt, kNoInt, kNoInt, kNoInt});
    }

    void counter(uint64_t samples)
    {
        const uint32_t name = m_writer.intern("GPU memory", 0);
        const RawId host{100, RawId::Kind::Signed};
        const uint32_t lane = m_writer.lane({host, {}, LaneKind::Counter, name}, 0);
        const uint32_t series = m_writer.intern("Bytes", 0);
        for (uint64_t i = 0; i < samples; ++i) {
            const Ns time =
                static_cast<Ns>(static_cast<double>(m_end) * static_cast<double>(i) / static_cast<double>(samples));
            const double value =
                4e9 + 3e9 * std::sin(static_cast<double>(i) * 0.001) + static_cast<double>(random() % 100'000'000);
            m_writer.counter({time, value, ++m_offset, 1, lane, series});
        }
    }

    TraceWriter &m_writer;
    uint64_t m_slices;
    int m_lanes;
    std::mt19937_64 m_random;
    bool m_hasFrames;
    std::vector<uint32_t> m_names;
    uint32_t m_category = 0;
    uint32_t m_kernel = 0;
    uint32_t m_frame = 0;
    uint32_t m_launch = 0;
    uint64_t m_offset = 0;
    Ns m_end = 0;
};

} // namespace

std::shared_ptr<const Trace> wideTrace(uint64_t slices, int lanes, uint64_t seed, bool hasFrames)
{
    TraceBuilder builder;
    TraceWriter &writer = builder.newWriter();
    writer.beginBatch(0);
    Maker(writer, slices, lanes, seed, hasFrames).make();
    TraceInfo info;
    info.path = "wide";
    info.format = "made";
    auto trace = builder.seal(std::move(info), nullptr, {}, {});
    if (!trace)
        std::abort();
    return *trace;
}

} // namespace riffle::test
