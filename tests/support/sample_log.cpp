// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/sample_log.h"

#include <fmt/format.h>

#include <random>

namespace riffle::test {

using wire::ChunkType;
using wire::Field;

namespace {

constexpr int kSteps = 8, kSlowStep = 5, kLayers = 6;
constexpr int64_t kThread = 0, kStream = 7;

/// Columns of chunks that are filled row by row.
struct SampleRanges {
    std::vector<int64_t> thread, start, duration, name, category, sequence, shapes;
};
struct SampleCalls {
    std::vector<int64_t> start, duration, name, correlation;
};
struct SampleKernels {
    std::vector<int64_t> start, duration, name, correlation, grid;
};

class SampleRun {
public:
    SampleRun()
    {
        m_log.process({{"executable", "python3"},
                       {"rank", "0"},
                       {"world_size", "1"},
                       {"host", "generated"},
                       {"metadata:riffle.generated", R"("This log is generated, not recorded.")"}});
        m_log.clocks(1'000'000, 1'700'000'000'000'000'000).thread(kThread, 4336, "python3");
    }

    LogFileText write()
    {
        for (int step = 0; step < kSteps; ++step)
            runStep(step);
        const std::vector<int64_t> keys = m_log.ids({"name", "totalGlobalMem", "numSms"}),
                                   values = m_log.ids({"Generated GPU", "85899345920", "132"});
        m_log.add(LogChunkText(ChunkType::Devices)
                      .delta(Field::Device, {0, 0, 0})
                      .delta(Field::Key, keys)
                      .delta(Field::Value, values));
        writeRows();
        return m_log.end();
    }

private:
    int64_t around(int64_t ns)
    {
        return ns * 9 / 10 + static_cast<int64_t>(m_random() % static_cast<uint64_t>(ns / 5));
    }

    size_t begin(const std::string &name, const char *category, int64_t sequence = wire::kAbsent)
    {
        m_ranges.thread.push_back(kThread);
        m_ranges.start.push_back(m_now);
        m_ranges.duration.push_back(0);
        m_ranges.name.push_back(m_log.id(name));
        m_ranges.category.push_back(m_log.id(category));
        m_ranges.sequence.push_back(sequence);
        m_ranges.shapes.push_back(0);
        m_now += around(1'500);
        return m_ranges.start.size() - 1;
    }
    void end(size_t range)
    {
        m_now += around(900);
        m_ranges.duration[range] = m_now - m_ranges.start[range];
    }

    void launch(const char *kernel, int64_t duration)
    {
        m_calls.start.push_back(m_now);
        m_calls.duration.push_back(around(3'000));
        m_calls.name.push_back(m_log.id("cudaLaunchKernel"));
        m_calls.correlation.push_back(++m_correlation);
        m_now += m_calls.duration.back();
        m_kernels.start.push_back(std::max(m_now + 2'000, m_deviceFree + 800));
        m_kernels.duration.push_back(around(duration));
        m_kernels.name.push_back(m_log.id(kernel));
        m_kernels.correlation.push_back(m_correlation);
        m_kernels.grid.push_back(64);
        m_deviceFree = m_kernels.start.back() + m_kernels.duration.back();
    }

    void operation(const char *name, const char *kernel, int64_t duration)
    {
        const size_t range = begin(name, wire::kOperatorCategory, m_sequence++);
        launch(kernel, duration);
        end(range);
    }

    void runStep(int step)
    {
        const size_t whole = begin(fmt::format("ProfilerStep#{}", step), wire::kStepCategory);
        const size_t load = begin("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", wire::kUserCategory);
        m_now += around(step == kSlowStep ? 6'000'000 : 150'000);
        end(load);
        const size_t forward = begin("forward", wire::kUserCategory);
        for (int layer = 0; layer < kLayers; ++layer) {
            operation("aten::addmm", "ampere_bf16_s16816gemm_bf16_128x64_ldg8_f2f_tn", 180'000);
            operation("aten::gelu", "void at::native::vectorized_elementwise_kernel<4, Gelu>", 24'000);
        }
        end(forward);
        const size_t backward = begin("backward", wire::kUserCategory);
        for (int layer = 0; layer < kLayers; ++layer) {
            operation("aten::mm", "ampere_bf16_s16816gemm_bf16_128x64_ldg8_f2f_nt", 175'000);
            operation("aten::mm", "ampere_bf16_s16816gemm_bf16_128x64_ldg8_f2f_nn", 178'000);
        }
        end(backward);
        const size_t optimizer = begin("Optimizer.step#Adam.step", wire::kUserCategory);
        operation("aten::_fused_adam_", "void at::native::multi_tensor_apply_kernel<FusedAdam>", 210'000);
        end(optimizer);
        m_now = std::max(m_now, m_deviceFree); // the loss is read
        end(whole);
    }

    void writeRows()
    {
        const auto same = [](size_t rows, int64_t value) { return std::vector<int64_t>(rows, value); };
        const size_t calls = m_calls.start.size(), kernels = m_kernels.start.size();
        const int64_t runtime = m_log.id("cuda_runtime");
        m_log.add(LogChunkText(ChunkType::Ranges)
                      .delta(Field::Thread, m_ranges.thread)
                      .delta(Field::Start, m_ranges.start)
                      .plain(Field::Duration, m_ranges.duration)
                      .delta(Field::Name, m_ranges.name)
                      .delta(Field::Category, m_ranges.category)
                      .delta(Field::Sequence, m_ranges.sequence)
                      .delta(Field::Shapes, m_ranges.shapes)
                      .times(m_ranges.start.front(), m_now));
        m_log.add(LogChunkText(ChunkType::Calls)
                      .delta(Field::Thread, same(calls, kThread))
                      .delta(Field::Start, m_calls.start)
                      .plain(Field::Duration, m_calls.duration)
                      .delta(Field::Name, m_calls.name)
                      .delta(Field::Category, same(calls, runtime))
                      .delta(Field::Correlation, m_calls.correlation)
                      .delta(Field::Result, same(calls, 0)));
        LogChunkText chunk(ChunkType::Kernels);
        chunk.delta(Field::Start, m_kernels.start)
            .plain(Field::Duration, m_kernels.duration)
            .delta(Field::Name, m_kernels.name)
            .delta(Field::Device, same(kernels, 0))
            .delta(Field::Context, same(kernels, 1))
            .delta(Field::Stream, same(kernels, kStream))
            .delta(Field::Correlation, m_kernels.correlation)
            .plain(Field::GridX, m_kernels.grid);
        for (const Field field : {Field::GridY, Field::GridZ, Field::BlockY, Field::BlockZ})
            chunk.plain(field, same(kernels, 1));
        chunk.plain(Field::BlockX, same(kernels, 256)).plain(Field::Registers, same(kernels, 96));
        m_log.add(chunk.plain(Field::SharedMemory, same(kernels, 16'384)));
    }

    LogFileText m_log;
    std::mt19937 m_random{1};
    SampleRanges m_ranges;
    SampleCalls m_calls;
    SampleKernels m_kernels;
    int64_t m_now = 1'000'000'000, m_deviceFree = 0, m_correlation = 0, m_sequence = 0;
};

} // namespace

LogFileText sampleLog() { return SampleRun().write(); }

} // namespace riffle::test
