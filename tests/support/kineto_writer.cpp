// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/kineto_writer.h"

#include <fmt/format.h>

namespace riffle::test {

namespace {

constexpr std::string_view kEnd = "\n    }\n  },\n";
constexpr int kDevices = 8;
constexpr std::int64_t kReserved = std::int64_t(64) << 30;

} // namespace

KinetoWriter::KinetoWriter(const TraceOptions &options, const OpCatalogue &catalogue, ByteSink &sink)
    : m_options(options)
    , m_catalogue(catalogue)
    , m_sink(sink)
{
    const auto track = [](std::int64_t pid, std::int64_t tid) {
        return Track{fmt::format("\", \"pid\": {}, \"tid\": {},\n    \"ts\": ", pid, tid),
                     fmt::format(", \"pid\": {}, \"tid\": {}, \"ts\": ", pid, tid)};
    };
    m_host = {track(options.pid, options.mainThread), track(options.pid, options.autogradThread)};
    m_compute = track(options.device, options.computeStream);
    m_nccl = track(options.device, options.ncclStream);
    for (int rank = 0; rank < options.worldSize; ++rank)
        m_ranks += fmt::format("{}{}", rank ? ", " : "", rank);
    m_groupText = fmt::format("\"Process Group Name\": \"0\", \"Process Group Description\": \"default_pg\", "
                              "\"Process Group Ranks\": \"[{}]\"",
                              m_ranks);
}

void KinetoWriter::header()
{
    m_sink.text("\n{\n  \"schemaVersion\": 1,\n  \"deviceProperties\": [\n");
    for (int device = 0; device < kDevices; ++device) {
        m_sink.text(fmt::format("    {{\n      \"id\": {}, \"name\": \"NVIDIA H100 80GB HBM3\", "
                                "\"totalGlobalMem\": 84929347584,\n"
                                "      \"computeMajor\": 9, \"computeMinor\": 0,\n"
                                "      \"maxThreadsPerBlock\": 1024, \"maxThreadsPerMultiprocessor\": 2048,\n"
                                "      \"regsPerBlock\": 65536, \"warpSize\": 32,\n      "
                                "\"sharedMemPerBlock\": 49152, \"numSms\": 132\n"
                                "    , \"regsPerMultiprocessor\": 65536, \"sharedMemPerBlockOptin\": 232448, "
                                "\"sharedMemPerMultiprocessor\": 233472\n    }}{}\n",
                                device, device + 1 < kDevices ? "," : ""));
    }
    m_sink.text("  ],\n  \"cupti_version\": 26,\n  \"cuda_runtime_version\": 12080,\n");
    if (m_options.withShapes)
        m_sink.text("  \"record_shapes\": 1,\n");
    m_sink.text("  \"cuda_driver_version\": 13000,\n");
    if (m_options.withMemory)
        m_sink.text("  \"profile_memory\": 1,\n");
    if (m_options.withPython)
        m_sink.text("  \"with_stack\": 1,\n");
    m_sink.text(fmt::format(
        "  \"distributedInfo\": {{\"backend\": \"nccl\", \"rank\": {}, \"world_size\": {}, \"pg_count\": 1, "
        "\"pg_config\": [{{\"pg_name\": \"0\", \"pg_desc\": \"default_pg\", \"backend_config\": "
        "\"cuda:nccl\", "
        "\"pg_size\": {}, \"ranks\": [{}]}}], \"nccl_version\": \"2.26.2\"}},\n"
        "  \"trace_id\": \"{:032X}\",\n  \"displayTimeUnit\": \"ms\",\n  \"baseTimeNanoseconds\": {},\n"
        "  \"traceEvents\": [\n",
        m_options.rank, m_options.worldSize, m_options.worldSize, m_ranks, m_options.seed,
        m_options.baseTimeNanoseconds));
}

void KinetoWriter::slice(std::string_view category, const Record &record, const Track &track)
{
    m_sink.text("  {\n    \"ph\": \"X\", \"cat\": \"");
    m_sink.text(category);
    m_sink.text("\", \"name\": \"");
    m_sink.text(m_catalogue.nameText(record.name));
    if ((record.kind == RecordKind::Annotation || record.kind == RecordKind::GpuAnnotation) && record.first >= 0)
        m_sink.integer(record.first);
    m_sink.text(track.inSlice);
    m_sink.micros(record.begin);
    m_sink.text(", \"dur\": ");
    m_sink.micros(record.end - record.begin);
    m_sink.text(",\n    \"args\": {\n      ");
    ++m_counts.events;
}

void KinetoWriter::flow(char phase, std::string_view category, std::int64_t id, std::int64_t time, const Track &track)
{
    if (!m_options.withFlows)
        return;
    m_sink.text(phase == 's' ? "  {\n    \"ph\": \"s\", \"id\": " : "  {\n    \"ph\": \"f\", \"id\": ");
    m_sink.integer(id);
    m_sink.text(track.inFlow);
    m_sink.micros(time);
    m_sink.text(",\n    \"cat\": \"");
    m_sink.text(category);
    m_sink.text("\", \"name\": \"");
    m_sink.text(category);
    m_sink.text(phase == 's' ? "\"\n  },\n" : "\", \"bp\": \"e\"\n  },\n");
    ++m_counts.events;
    ++m_counts.flows;
}

void KinetoWriter::hostRecord(const Record &record)
{
    switch (record.kind) {
    case RecordKind::Op:
    case RecordKind::Collective: op(record); break;
    case RecordKind::Annotation:
        slice("user_annotation", record, host(record));
        m_sink.text("\"External id\": ");
        m_sink.integer(record.externalId);
        m_sink.text(",\"Record function id\": 0, \"finished\": true, \"Ev Idx\": ");
        m_sink.integer(m_evIdx++);
        m_sink.text(kEnd);
        ++m_counts.annotations;
        break;
    case RecordKind::Memory:
        if (m_options.withMemory)
            memory(record);
        break;
    default: break;
    }
}

void KinetoWriter::op(const Record &record)
{
    slice("cpu_op", record, host(record));
    m_sink.text("\"External id\": ");
    m_sink.integer(record.externalId);
    m_sink.text(",");
    const bool hasSequence = record.kind == RecordKind::Op && record.first >= 0;
    if (hasSequence) {
        m_sink.text("\"Sequence number\": ");
        m_sink.integer(record.first);
        m_sink.text(", \"Fwd thread id\": ");
        m_sink.integer(record.second);
        m_sink.text(", ");
    }
    m_sink.text("\"Record function id\": 0, ");
    if (record.kind == RecordKind::Collective) {
        collectiveArguments(record.first);
        m_sink.text(
            fmt::format(", \"Rank\": {}, \"Global rank start\": 0, \"Global rank stride\": 1, ", m_options.rank));
    }
    if (m_options.withShapes)
        m_sink.text(m_catalogue.argumentText(record.arguments));
    m_sink.text("\"Ev Idx\": ");
    m_sink.integer(m_evIdx++);
    m_sink.text(kEnd);
    ++m_counts.cpuOps;
    if (record.kind == RecordKind::Op && record.third != 0)
        flow(record.third > 0 ? 's' : 'f', "fwdbwd", std::abs(record.third), record.begin, host(record));
}

void KinetoWriter::collectiveArguments(std::int64_t elements)
{
    m_sink.text("\"Collective name\": \"allreduce\", \"In msg nelems\": ");
    m_sink.integer(elements);
    m_sink.text(", \"Out msg nelems\": ");
    m_sink.integer(elements);
    m_sink.text(", \"Group size\": ");
    m_sink.integer(m_options.worldSize);
    m_sink.text(", \"dtype\": \"BFloat16\", \"In split size\": \"[]\", \"Out split size\": \"[]\", ");
    m_sink.text(m_groupText);
}

void KinetoWriter::memory(const Record &record)
{
    m_sink.text("  {\n    \"ph\": \"i\", \"cat\": \"cpu_instant_event\", \"s\": \"t\", \"name\": \"[memory]");
    // An instant has its pid and tid on a separate line.
    const std::string_view track = host(record).inSlice;
    m_sink.text("\",\n    ");
    m_sink.text(track.substr(3));
    m_sink.micros(record.begin);
    m_sink.text(",\n    \"args\": {\n      \"Total Reserved\": ");
    m_sink.integer(kReserved);
    m_sink.text(", \"Total Allocated\": ");
    m_sink.integer(record.third);
    m_sink.text(", \"Bytes\": ");
    m_sink.integer(record.second);
    m_sink.text(", \"Device Id\": ");
    m_sink.integer(m_options.device);
    m_sink.text(", \"Device Type\": 1, \"Addr\": ");
    m_sink.integer(record.first);
    m_sink.text(", \"finished\": true, \"Ev Idx\": ");
    m_sink.integer(m_evIdx++);
    m_sink.text(kEnd);
    ++m_counts.events;
    ++m_counts.memoryEvents;
}

void KinetoWriter::pythonRecord(const Record &record)
{
    slice("python_function", record, host(record));
    if (record.second > 0) {
        m_sink.text("\"Python parent id\": ");
        m_sink.integer(record.second);
    } else {
        m_sink.text("\"Python parent id\": null");
    }
    m_sink.text(", \"Python id\": ");
    m_sink.integer(record.first);
    if (record.third >= 0) {
        m_sink.text(", \"Python module id\": ");
        m_sink.integer(record.third);
    }
    m_sink.text(", \"finished\": true, \"Ev Idx\": ");
    m_sink.integer(m_evIdx++);
    m_sink.text(kEnd);
    ++m_counts.pythonFrames;
}

void KinetoWriter::gpuRecord(const Record &record)
{
    const bool isNccl = record.kind == RecordKind::NcclKernel;
    const Track &stream = isNccl ? m_nccl : m_compute;
    switch (record.kind) {
    case RecordKind::Kernel:
    case RecordKind::NcclKernel:
    case RecordKind::Copy: {
        const bool isCopy = record.kind == RecordKind::Copy;
        slice(isCopy ? "gpu_memcpy" : "kernel", record, stream);
        m_sink.text("\"External id\": ");
        m_sink.integer(record.externalId);
        m_sink.text(isCopy ? ",      \"device\": " : ",      \"queued\": 0, \"device\": ");
        m_sink.integer(m_options.device);
        m_sink.text(", \"context\": 1,      \"stream\": ");
        m_sink.integer(isNccl ? m_options.ncclStream : m_options.computeStream);
        m_sink.text(", \"correlation\": ");
        m_sink.integer(record.correlation);
        m_sink.text(",      ");
        if (isCopy) {
            m_sink.text("\"bytes\": ");
            m_sink.integer(record.first);
            m_sink.text(
                fmt::format(", \"memory bandwidth (GB/s)\": {}",
                            static_cast<double>(record.first) / static_cast<double>(record.end - record.begin)));
        } else {
            m_sink.text(m_catalogue.kernel(static_cast<int>(record.first)).launchText);
            if (isNccl) {
                m_sink.text(",      ");
                collectiveArguments(record.second);
            }
        }
        m_sink.text(kEnd);
        flow('f', "ac2g", record.correlation, record.begin, stream);
        ++m_counts.gpuSlices;
        break;
    }
    case RecordKind::Runtime:
        slice("cuda_runtime", record, host(record));
        m_sink.text("\"External id\": ");
        m_sink.integer(record.externalId);
        m_sink.text(",      \"cbid\": ");
        m_sink.integer(record.first);
        m_sink.text(", \"correlation\": ");
        m_sink.integer(record.correlation);
        m_sink.text(kEnd);
        flow('s', "ac2g", record.correlation, record.begin, host(record));
        ++m_counts.runtimeCalls;
        break;
    case RecordKind::GpuAnnotation:
        slice("gpu_user_annotation", record, m_compute);
        m_sink.text("\"External id\": ");
        m_sink.integer(record.externalId);
        m_sink.text(kEnd);
        ++m_counts.gpuSlices;
        break;
    default: break;
    }
}

void KinetoWriter::metadata(std::string_view name, std::string_view pid, std::string_view tid,
                            std::string_view argument, std::string_view value, std::int64_t time)
{
    m_sink.text(fmt::format("  {{\n    \"name\": \"{}\", \"ph\": \"M\", \"ts\": ", name));
    m_sink.micros(time);
    m_sink.text(
        fmt::format(", \"pid\": {}, \"tid\": {},\n    \"args\": {{\n      \"{}\": {}", pid, tid, argument, value));
    m_sink.text(kEnd);
    ++m_counts.events;
}

void KinetoWriter::footer(std::int64_t begin, std::int64_t end)
{
    const auto process = [&](std::int64_t pid, std::string_view label, std::int64_t order) {
        const std::string id = std::to_string(pid);
        metadata("process_name", id, "0", "name", "\"python3\"", begin);
        metadata("process_labels", id, "0", "labels", fmt::format("\"{}\"", label), begin);
        metadata("process_sort_index", id, "0", "sort_index", std::to_string(order), begin);
    };
    const auto thread = [&](std::int64_t pid, std::int64_t tid, std::string_view name) {
        const std::string owner = std::to_string(pid);
        const std::string id = std::to_string(tid);
        metadata("thread_name", owner, id, "name", fmt::format("\"{}\"", name), begin);
        metadata("thread_sort_index", owner, id, "sort_index", id, begin);
    };
    process(m_options.pid, "CPU", m_options.pid);
    for (int device = 0; device < kDevices; ++device)
        process(device, fmt::format("GPU {}", device), 5'000'000 + device);
    thread(m_options.device, m_options.computeStream, fmt::format("stream {} ", m_options.computeStream));
    thread(m_options.device, m_options.ncclStream, fmt::format("stream {} ", m_options.ncclStream));
    thread(m_options.pid, m_options.mainThread, fmt::format("thread {} (python3)", m_options.mainThread));
    thread(m_options.pid, m_options.autogradThread, fmt::format("thread {} (python3)", m_options.autogradThread));
    thread(m_options.pid, m_options.autogradThread, fmt::format("thread {} (pt_autograd_0)", m_options.autogradThread));

    m_sink.text("  {\n    \"ph\": \"X\", \"cat\": \"Trace\", \"ts\": ");
    m_sink.micros(begin);
    m_sink.text(", \"dur\": ");
    m_sink.micros(end - begin);
    m_sink.text(",\n    \"pid\": \"Spans\", \"tid\": \"PyTorch Profiler\",\n    \"name\": \"PyTorch Profiler (0)\",\n"
                "    \"args\": {\n      \"Op count\": 0");
    m_sink.text(kEnd);
    m_sink.text("  {\n    \"name\": \"process_sort_index\", \"ph\": \"M\", \"ts\": ");
    m_sink.micros(begin);
    m_sink.text(",\n    \"pid\": \"Spans\", \"tid\": 0,\n    \"args\": {\n      \"sort_index\": 536870912");
    m_sink.text(kEnd);
    m_sink.text("  {\n    \"name\": \"Iteration Start: PyTorch Profiler\", \"ph\": \"i\", \"s\": \"g\",\n"
                "    \"pid\": \"Traces\", \"tid\": \"Trace PyTorch Profiler\", \"ts\": ");
    m_sink.micros(begin);
    m_sink.text("\n  },\n  {\n    \"name\": \"Record Window End\", \"ph\": \"i\", \"s\": \"g\",\n"
                "    \"pid\": \"\", \"tid\": \"\", \"ts\": ");
    m_sink.micros(end);
    m_sink.text(fmt::format("\n  }}\n  ],\n  \"traceName\": \"{}\"\n}}", m_options.traceName));
    m_counts.events += 4;
}

} // namespace riffle::test
