// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/flight_job.h"

#include "model/base/quoted_text.h"
#include "model/ingest/flight_recorder/flight_recorder.h"
#include "tests/support/chunked_source.h"
#include "tests/support/pickle_writer.h"

#include <algorithm>
#include <cstdlib>

namespace riffle::test {

namespace {

std::string rankList(const std::vector<int64_t> &ranks)
{
    return jsonList(ranks, [](int64_t rank) { return std::to_string(rank); });
}

void writeSizes(PickleWriter &out, const std::vector<int64_t> &sizes)
{
    out.emptyList();
    out.mark();
    out.emptyList();
    out.mark();
    for (const int64_t size : sizes)
        out.integer(size);
    out.appends();
    out.appends();
}

void writeTypes(PickleWriter &out, const std::string &dtype)
{
    out.emptyList();
    out.mark();
    out.text(dtype);
    out.appends();
}

void writeFrame(PickleWriter &out, const std::string &name, const std::string &file, int64_t line)
{
    out.emptyDict();
    out.mark();
    out.text("name");
    out.text(name);
    out.text("filename");
    out.text(file);
    out.text("line");
    out.integer(line);
    out.setItems();
}

} // namespace

JobCall &FlightJob::call(int64_t rank, size_t group, const std::string &kind, int64_t elements)
{
    auto &list = calls[rank];
    auto &[collectives, p2p] = m_counts[{rank, group}];
    JobCall call;
    call.group = group;
    call.name = "nccl:" + kind;
    call.inputs = {elements};
    call.outputs = {elements};
    call.created = now;
    call.line = 100 + static_cast<int64_t>(list.size());
    call.function = kind.substr(0, kind.find(' '));
    call.isP2p = kind.starts_with("send") || kind.starts_with("recv");
    call.record = static_cast<int64_t>(list.size());
    (call.isP2p ? p2p : collectives) += 1;
    call.sequence = collectives;
    call.p2pSequence = p2p;
    list.push_back(std::move(call));
    return list.back();
}

void FlightJob::all(size_t group, const std::string &kind, int64_t elements)
{
    now += 1'000'000;
    for (const int64_t rank : groups[group].ranks)
        call(rank, group, kind, elements);
}

void FlightJob::wait(JobCall &call, bool isStarted, bool isTimedOut)
{
    call.state = isStarted ? "started" : "scheduled";
    call.isRetired = isTimedOut;
}

JobCall &FlightJob::send(int64_t rank, size_t group, int64_t from, int64_t to, int64_t elements)
{
    return call(rank, group, "send " + std::to_string(from) + "->" + std::to_string(to), elements);
}

JobCall &FlightJob::receive(int64_t rank, size_t group, int64_t from, int64_t to, int64_t elements)
{
    return call(rank, group, "recv " + std::to_string(to) + "<-" + std::to_string(from), elements);
}

std::vector<JobCall> FlightJob::kept(int64_t rank, size_t ring) const
{
    const auto found = calls.find(rank);
    std::vector<JobCall> list = found == calls.end() ? std::vector<JobCall>() : found->second;
    if (ring > 0 && list.size() > ring)
        list.erase(list.begin(), list.end() - static_cast<std::ptrdiff_t>(ring));
    return list;
}

std::string FlightJob::pickle(int64_t rank, size_t ring, int protocol) const
{
    std::string bytes;
    PickleWriter out([&](std::string_view piece) { bytes += piece; }, protocol);
    out.emptyDict();
    out.mark();
    out.text("version");
    out.text(version);
    out.text("pg_config");
    out.emptyDict();
    out.mark();
    for (const Group &group : groups)
        if (std::ranges::find(group.ranks, rank) != group.ranks.end()) {
            out.text(listsGroups ? group.name : "");
            out.emptyDict();
            out.mark();
            out.text("name");
            out.text(listsGroups ? group.name : "");
            out.text("desc");
            out.text(listsGroups ? group.description : "");
            out.text("ranks");
            out.text(rankList(group.ranks));
            out.setItems();
        }
    out.setItems();
    out.text("pg_status");
    out.emptyDict();
    out.text("entries");
    out.emptyList();
    out.mark();
    for (const JobCall &call : kept(rank, ring)) {
        out.emptyDict();
        out.mark();
        out.text("frames");
        out.emptyList();
        out.mark();
        writeFrame(out, call.function, "train.py", call.line);
        writeFrame(out, "main", "train.py", 9);
        out.appends();
        out.text("record_id");
        out.integer(call.record);
        out.text("pg_id");
        out.integer(static_cast<int64_t>(call.group));
        out.text("process_group");
        out.text(groups[call.group].name);
        out.text(groups[call.group].description);
        out.raw('\x86');
        out.text("collective_seq_id");
        out.integer(call.sequence);
        out.text("p2p_seq_id");
        out.integer(call.p2pSequence);
        out.text("op_id");
        out.integer(call.record);
        out.text("profiling_name");
        out.text(call.name);
        out.text("time_created_ns");
        out.integer(call.created);
        out.text("input_sizes");
        writeSizes(out, call.inputs);
        out.text("input_dtypes");
        writeTypes(out, call.dtype);
        out.text("output_sizes");
        writeSizes(out, call.outputs);
        out.text("output_dtypes");
        writeTypes(out, call.dtype);
        out.text("state");
        out.text(call.state);
        out.text("time_discovered_started_ns");
        if (call.state == "scheduled")
            out.none();
        else
            out.integer(call.created + 5'000'000'000);
        out.text("time_discovered_completed_ns");
        if (call.state == "completed")
            out.integer(call.created + 6'000'000'000);
        else
            out.none();
        out.text("retired");
        out.boolean(call.isRetired);
        out.text("timeout_ms");
        out.integer(600'000);
        out.text("is_p2p");
        out.boolean(call.isP2p);
        out.setItems();
    }
    out.appends();
    out.setItems();
    out.stop();
    return bytes;
}

std::string FlightJob::json(int64_t rank, size_t ring) const
{
    // The keys are sorted, as PyTorch's library for JSON writes them.
    const auto number = [](int64_t value) { return std::to_string(value); };
    std::string entries, listed;
    for (const JobCall &call : kept(rank, ring)) {
        const std::string sizes = jsonList(call.inputs, number), outputs = jsonList(call.outputs, number);
        entries += (entries.empty() ? "" : ",") + std::string("{\"collective_seq_id\":") + number(call.sequence);
        entries += ",\"input_dtypes\":[" + jsonString(call.dtype) + "],\"input_sizes\":[" + sizes + "],\"is_p2p\":";
        entries += std::string(call.isP2p ? "true" : "false") + ",\"op_id\":" + number(call.record);
        entries += ",\"output_dtypes\":[" + jsonString(call.dtype) + "],\"output_sizes\":[" + outputs + "]";
        entries +=
            ",\"p2p_seq_id\":" + number(call.p2pSequence) + ",\"pg_id\":" + number(static_cast<int64_t>(call.group));
        entries += ",\"process_group\":[" + jsonString(groups[call.group].name) + "," +
                   jsonString(groups[call.group].description) + "],\"profiling_name\":" + jsonString(call.name);
        entries += ",\"record_id\":" + number(call.record) + ",\"retired\":" + (call.isRetired ? "true" : "false");
        entries += ",\"state\":" + jsonString(call.state) + ",\"time_created_ns\":" + number(call.created);
        entries +=
            ",\"time_discovered_completed_ns\":" + number(call.state == "completed" ? call.created + 6'000'000'000 : 0);
        entries +=
            ",\"time_discovered_started_ns\":" + number(call.state == "scheduled" ? 0 : call.created + 5'000'000'000) +
            ",\"timeout_ms\":600000}";
    }
    for (const Group &group : groups)
        if (std::ranges::find(group.ranks, rank) != group.ranks.end())
            listed += (listed.empty() ? "" : ",") + jsonString(group.name) +
                      ":{\"desc\":" + jsonString(group.description) + ",\"name\":" + jsonString(group.name) +
                      ",\"ranks\":" + jsonString(rankList(group.ranks)) + "}";
    return "{\"comm_lib_version\":\"2.21.5\",\"entries\":[" + entries + "],\"pg_config\":{" + listed +
           "},\"pg_status\":{\"0\":{\"last_completed_collective\":\"3\",\"last_enqueued_collective\":\"4\","
           "\"last_started_collective\":\"-1\"}},\"version\":" +
           jsonString(version) + "}";
}

std::shared_ptr<const FlightDump> FlightJob::dump(int64_t rank, size_t ring) const
{
    const std::string bytes = pickle(rank, ring);
    ChunkedSource source(bytes);
    const auto read = readFlightDumpText(source, bytes, "nccl_trace_rank_" + std::to_string(rank), {});
    if (!read)
        std::abort();
    return *read;
}

} // namespace riffle::test
