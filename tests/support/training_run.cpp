// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/training_run.h"

#include <algorithm>
#include <string>

namespace riffle::test {

namespace {

constexpr int kDefaultLayers = 12;
constexpr std::int64_t kFirstAddress = 139'700'000'000'000;
constexpr std::int64_t kAddressStep = std::int64_t(64) << 20;

} // namespace

TrainingRun::TrainingRun(const TraceOptions &options, OpCatalogue &catalogue)
    : m_options(options)
    , m_catalogue(catalogue)
    , m_layers(options.layers > 0 ? options.layers : kDefaultLayers)
    , m_random(options.seed + 1)
    , m_now(options.startNanoseconds)
{
    m_frames.push_back(kOuterFrames);
}

std::uint32_t TrainingRun::random(std::uint32_t below)
{
    m_random = m_random * 6364136223846793005ull + 1442695040888963407ull;
    return static_cast<std::uint32_t>(((m_random >> 32) * below) >> 32);
}

std::size_t TrainingRun::open(RecordKind kind, std::uint32_t name)
{
    pass(200 + random(1500));
    Record &record = m_records.emplace_back();
    record.kind = kind;
    record.onAutogradThread = m_onAutogradThread;
    record.name = name;
    record.begin = m_now;
    record.first = -1;
    if (kind == RecordKind::Op || kind == RecordKind::Annotation || kind == RecordKind::Collective)
        record.externalId = ++m_externalId;
    return m_records.size() - 1;
}

void TrainingRun::close(std::size_t record)
{
    pass(150 + random(1200));
    m_records[record].end = m_now;
}

std::size_t TrainingRun::openFrame(std::uint32_t name, std::int64_t module)
{
    const std::size_t index = open(RecordKind::Python, name);
    Record &record = m_records[index];
    record.first = ++m_pythonId;
    record.second = m_frames.back();
    record.third = module;
    m_frames.push_back(record.first);
    return index;
}

void TrainingRun::closeFrame(std::size_t record)
{
    m_frames.pop_back();
    close(record);
}

/// A module call is four frames deep. The outermost record is returned; the three others follow it directly.
std::size_t TrainingRun::openModule(std::uint32_t name, std::int64_t module, std::uint32_t forward)
{
    const std::size_t outermost = openFrame(name, module);
    openFrame(m_catalogue.name("torch/nn/modules/module.py(1749): _wrapped_call_impl"));
    openFrame(m_catalogue.name("torch/nn/modules/module.py(1755): _call_impl"));
    openFrame(forward);
    return outermost;
}

void TrainingRun::closeModule(std::size_t record)
{
    for (std::size_t i = 4; i-- > 0;)
        closeFrame(record + i);
}

void TrainingRun::lookUpAttributes()
{
    const std::uint32_t name = m_catalogue.name("torch/nn/modules/module.py(1918): __getattr__");
    for (std::uint32_t i = 0, count = 8 + random(8); i < count; ++i)
        closeFrame(openFrame(name));
}

void TrainingRun::callOp(int op, bool recordsTape)
{
    const OpSpec &spec = m_catalogue.op(op);
    const std::size_t index = open(RecordKind::Op, spec.name);
    m_records[index].arguments = spec.firstArguments + random(OpCatalogue::kVariants);
    if (recordsTape && spec.backwardNode != 0) {
        m_records[index].first = m_sequence;
        m_records[index].third = ++m_flow;
        m_tape.push_back({op, m_sequence++, m_flow});
    }
    for (const int child : spec.children)
        callOp(child, recordsTape);
    if (spec.allocates)
        allocate((1 + std::int64_t(random(24))) * 512 * 1024);
    if (spec.kernel >= 0)
        launch(spec.kernel, m_records[index].externalId, 0, RecordKind::Kernel, 0);
    close(index);
}

void TrainingRun::callBuiltin(std::uint32_t name, int op)
{
    const std::size_t frame = openFrame(name);
    callOp(op, true);
    closeFrame(frame);
}

/// Stream 0 computes, stream 1 communicates. The GPU record comes before its launch, as in the profiler's files.
void TrainingRun::launch(int kernel, std::int64_t externalId, int stream, RecordKind kind, std::int64_t size)
{
    pass(400 + random(600));
    const std::int64_t called = m_now;
    pass(3000 + random(2500));
    const bool isCopy = kernel == kCopyKernel;
    const std::int64_t nominal = isCopy ? 20'000 + size / 20 : m_catalogue.kernel(kernel).nanoseconds;

    Record gpu;
    gpu.kind = kind;
    gpu.name = isCopy ? m_catalogue.name("Memcpy HtoD (Pinned -> Device)") : m_catalogue.kernel(kernel).name;
    gpu.externalId = externalId;
    gpu.correlation = ++m_correlation;
    gpu.begin = std::max(m_now + 1800 + random(900), m_streamFree[stream] + 900 + random(400));
    gpu.end = gpu.begin + nominal - nominal / 16 + random(static_cast<std::uint32_t>(nominal / 8));
    gpu.first = isCopy ? size : kernel;
    gpu.second = kind == RecordKind::NcclKernel ? size : 0;
    m_streamFree[stream] = gpu.end;
    if (m_firstKernel == 0)
        m_firstKernel = gpu.begin;
    m_records.push_back(gpu);

    Record call;
    call.kind = RecordKind::Runtime;
    call.onAutogradThread = m_onAutogradThread;
    call.name = m_catalogue.name(isCopy ? "cudaMemcpyAsync" : stream == 0 ? "cudaLaunchKernel" : "cudaLaunchKernelExC");
    call.begin = called;
    call.end = m_now;
    call.externalId = externalId;
    call.correlation = gpu.correlation;
    call.first = isCopy ? 41 : stream == 0 ? 211 : 430;
    m_records.push_back(call);
}

void TrainingRun::synchronize()
{
    pass(900);
    Record call;
    call.kind = RecordKind::Runtime;
    call.name = m_catalogue.name("cudaDeviceSynchronize");
    call.begin = m_now;
    m_now = std::max(m_now, std::max(m_streamFree[0], m_streamFree[1])) + 2500;
    call.end = m_now;
    call.externalId = m_externalId;
    call.correlation = ++m_correlation;
    call.first = 165;
    m_records.push_back(call);
}

void TrainingRun::allocate(std::int64_t bytes)
{
    pass(300);
    m_live.push_back({kFirstAddress + static_cast<std::int64_t>(m_live.size()) * kAddressStep, bytes});
    m_allocated += bytes;
    const std::size_t index = open(RecordKind::Memory, m_catalogue.name("[memory]"));
    Record &record = m_records[index];
    record.first = m_live.back().address;
    record.second = bytes;
    record.third = m_allocated;
}

void TrainingRun::release()
{
    if (m_live.empty())
        return;
    const Allocation freed = m_live.back();
    m_live.pop_back();
    m_allocated -= freed.bytes;
    const std::size_t index = open(RecordKind::Memory, m_catalogue.name("[memory]"));
    Record &record = m_records[index];
    record.first = freed.address;
    record.second = -freed.bytes;
    record.third = m_allocated;
}

const std::vector<Record> &TrainingRun::playStep()
{
    m_records.clear();
    m_firstKernel = 0;

    // The call that enters record_function ends only after the range that it opens has started, so these two slices
    // cross.
    const std::size_t enter = openFrame(
        m_catalogue.name("<built-in method _record_function_enter_new of PyCapsule object at 0x7f3a5c0d1e40>"));
    const std::size_t annotation = open(RecordKind::Annotation, m_catalogue.name("ProfilerStep#"));
    m_records[annotation].first = m_step;
    closeFrame(enter);

    loadBatch();
    const std::size_t step = openFrame(m_catalogue.name("train.py(212): train_step"));
    forward();
    backward();
    optimize();
    closeFrame(step);
    synchronize();
    while (!m_live.empty())
        release();
    close(annotation);

    Record onGpu;
    onGpu.kind = RecordKind::GpuAnnotation;
    onGpu.name = m_records[annotation].name;
    onGpu.begin = m_firstKernel - 1;
    onGpu.end = m_streamFree[0] + 1;
    onGpu.externalId = m_records[annotation].externalId;
    onGpu.first = m_step;
    m_records.push_back(onGpu);
    ++m_step;
    pass(20'000);
    return m_records;
}

} // namespace riffle::test
