// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/importers.h"
#include "model/ingest/nccl_inspector/nccl_inspector.h"
#include "tests/support/archives.h"
#include "tests/support/chunked_source.h"

#include <gtest/gtest.h>

#include <string>

namespace riffle {
namespace {

using test::ChunkedSource;
using Log = std::shared_ptr<const NcclInspectorLog>;

Result<Log> read(std::string_view text, size_t chunk = 0)
{
    ChunkedSource source(text, chunk);
    return readInspectorText(source, "inspector.log", 64 << 20, {});
}

std::string context(const char *id, int rank, const char *version)
{
    return "\"header\":{\"id\":\"" + std::string(id) + "\",\"comm_name\":\"dp\",\"rank\":" + std::to_string(rank) +
           ",\"n_ranks\":8,\"nnodes\":2},\"metadata\":{\"inspector_output_format_version\":\"" + version +
           "\",\"git_rev\":\"\",\"rec_mechanism\":\"nccl_profiler_interface\",\"dump_timestamp_us\":1748030377748202,"
           "\"hostname\":\"node-1\",\"pid\":4711},";
}

std::string collective(int sequence, const std::string &more = {})
{
    return "\"coll_perf\":{\"coll\":\"AllReduce\",\"coll_algo\":\"RING\",\"coll_proto\":\"LL\",\"coll_sn\":" +
           std::to_string(sequence) +
           ",\"coll_msg_size_bytes\":17179869184,\"coll_exec_time_us\":61974,\"coll_timing_source\":\"kernel_gpu\","
           "\"coll_algobw_gbs\":277.210914,\"coll_busbw_gbs\":485.119099" +
           more + "}}\n";
}

std::string p2p(int sequence)
{
    return "\"p2p_perf\":{\"p2p\":\"Send\",\"p2p_sn\":" + std::to_string(sequence) +
           ",\"p2p_peer\":3,\"p2p_msg_size_bytes\":1024,\"p2p_exec_time_us\":12,\"p2p_timing_source\":\"kernel_gpu\","
           "\"p2p_algobw_gbs\":1.5,\"p2p_busbw_gbs\":1.5}}\n";
}

std::string stats(int collectives, int peers, int proxy, int dropped)
{
    return "\"dump_stats\":{\"coll_records\":" + std::to_string(collectives) +
           ",\"coll_dropped_total\":" + std::to_string(dropped) +
           ",\"coll_dropped_since_last_dump\":1,\"p2p_records\":" + std::to_string(peers) +
           ",\"p2p_dropped_total\":0,\"p2p_dropped_since_last_dump\":0,\"proxy_records\":" + std::to_string(proxy) +
           ",\"proxy_dropped_total\":2,\"proxy_ops_dropped_total\":3,\"proxy_pxn_skipped_process_total\":5}}\n";
}

TEST(InspectorLogs, RecordsWithHeadersOfTheirOwn)
{
    const std::string text =
        "{" + context("0x7f", 2, "v4.0") + collective(1407) + "{" + context("0x7f", 2, "v4.0") +
        collective(1408, R"(,"event_trace_ts":{"coll_start_ts":1752867229235059,"kernel_events":[]})") + "{" +
        context("0xaa", 1, "v4.0") + p2p(5);
    for (const size_t chunk : {0, 1, 61}) {
        const auto log = read(text, chunk);
        ASSERT_TRUE(log) << log.error().text();
        const NcclInspectorLog &own = **log;
        ASSERT_EQ(own.calls.size(), 3u);
        ASSERT_EQ(own.communicators.size(), 2u);
        EXPECT_EQ(own.versions, std::vector<std::string>{"v4.0"});
        EXPECT_EQ(own.communicators[0].id, "0x7f");
        EXPECT_EQ(own.communicators[0].name, "dp");
        EXPECT_EQ(own.communicators[0].rank, 2);
        EXPECT_EQ(own.communicators[0].ranks, 8);
        EXPECT_EQ(own.communicators[0].nodes, 2);
        EXPECT_EQ(own.communicators[0].host, "node-1");
        EXPECT_EQ(own.communicators[0].pid, 4711);
        const InspectorCall &first = own.calls[0], &send = own.calls[2];
        EXPECT_EQ(own.text(first.name), "AllReduce");
        EXPECT_EQ(own.text(first.algorithm), "RING");
        EXPECT_EQ(own.text(first.protocol), "LL");
        EXPECT_EQ(own.text(first.timing), "kernel_gpu");
        EXPECT_EQ(first.sequence, 1407);
        EXPECT_EQ(first.bytes, 17179869184);
        EXPECT_EQ(first.microseconds, 61974);
        EXPECT_DOUBLE_EQ(first.algorithmBandwidth, 277.210914);
        EXPECT_DOUBLE_EQ(first.busBandwidth, 485.119099);
        EXPECT_EQ(first.start, InspectorCall::kNone);
        EXPECT_EQ(own.calls[1].start, 1752867229235059);
        EXPECT_TRUE(send.isP2p);
        EXPECT_EQ(send.peer, 3);
        EXPECT_EQ(send.sequence, 5);
        EXPECT_EQ(send.communicator, 1u);
        EXPECT_FALSE(own.hasLosses());
        EXPECT_EQ(own.textBytes, text.size());
    }
}

TEST(InspectorLogs, RecordsBehindTheMarkOfTheirDump)
{
    const std::string proxy = "{\"proxy_trace\":{\"record_type\":\"proxy_op\",\"record_sn\":1}}\n";
    const std::string text = "{" + context("0x7f", 2, "v4.3") + stats(2, 1, 1, 7) + "{" + collective(1) + "{" +
                             collective(2) + "{" + p2p(1) + proxy + "{" + context("0xaa", 0, "v4.3") +
                             stats(3, 0, 0, 0) + "{" + collective(1) + "{" + context("0x7f", 2, "v4.3") +
                             stats(0, 0, 0, 9);
    const auto log = read(text);
    ASSERT_TRUE(log) << log.error().text();
    const NcclInspectorLog &own = **log;
    EXPECT_EQ(own.calls.size(), 4u);
    EXPECT_EQ(own.calls[2].communicator, 0u);
    EXPECT_EQ(own.calls[3].communicator, 1u);
    EXPECT_EQ(own.proxyRecords, 1u);
    EXPECT_EQ(own.dumps, 3u);
    EXPECT_EQ(own.promised, 2u) << "the second dump announces 3 records, and 1 follows";
    EXPECT_EQ(own.communicators[0].droppedCollectives, 9u) << "totals are not added up";
    EXPECT_EQ(own.communicators[0].droppedProxy, 5u);
    EXPECT_EQ(own.proxySkipped, 5u);
    EXPECT_EQ(own.dropped(), 9u + 5u + 5u);
    EXPECT_TRUE(own.hasLosses());
    // Beyond what the mark announces, nothing says whose a record is.
    const auto stray = read(text + "{" + collective(3) + "{\"coll_perf\":1}\n[]\n{\"a\":1}\nwords\n");
    ASSERT_TRUE(stray);
    EXPECT_EQ((*stray)->calls.size(), 4u);
    ASSERT_EQ((*stray)->troubles.size(), 3u);
    EXPECT_EQ((*stray)->troubles[0].what, "records without the header of their communicator");
    EXPECT_EQ((*stray)->troubles[1].what, "records of an unknown kind");
    EXPECT_EQ((*stray)->troubles[1].count, 2u);
    EXPECT_EQ((*stray)->troubles[2].what, "lines that are no JSON object");
    EXPECT_EQ((*stray)->troubles[2].count, 2u);
    EXPECT_EQ((*stray)->troubles[2].firstLine, 11u);
}

TEST(InspectorLogs, CutAndForeignTexts)
{
    const std::string text =
        "{" + context("0x7f", 2, "v4.0") + collective(1) + "{" + context("0x7f", 2, "v4.0") + collective(2);
    const auto cut = read(std::string_view(text).substr(0, text.size() - 20));
    ASSERT_TRUE(cut);
    EXPECT_EQ((*cut)->calls.size(), 1u);
    ASSERT_TRUE((*cut)->damage);
    EXPECT_NE((*cut)->damage->message.find("cut off"), std::string::npos);
    const auto whole = read(std::string_view(text).substr(0, text.size() - 1)); // without the last line feed
    ASSERT_TRUE(whole);
    EXPECT_EQ((*whole)->calls.size(), 2u);
    EXPECT_FALSE((*whole)->damage);
    for (const std::string_view other : {"", "\n\n", "words", "{\"traceEvents\":[]}", "[1]\n[2]\n"})
        EXPECT_FALSE(read(other)) << other;
    const std::string longLine = "{\"a\":\"" + std::string(17 << 20, 'x') + "\"}\n" + text;
    const auto skipped = read(longLine, 1 << 16);
    ASSERT_TRUE(skipped);
    EXPECT_EQ((*skipped)->calls.size(), 2u);
    EXPECT_EQ((*skipped)->troubles.size(), 1u);
    EXPECT_EQ((*skipped)->troubles[0].what, "lines of more than 16 MiB");
}

TEST(InspectorLogs, TheTableOfFormatsKnowsThem)
{
    const std::string text = "{" + context("0x7f", 2, "v4.0") + collective(1);
    for (const std::string &bytes : {text, test::gzipped(text)}) {
        const test::TemporaryFolder folder;
        const std::string path = folder.file("node-1-pid4711.log");
        test::writeFile(path, bytes);
        const Importer &importer = importerOf(path);
        ASSERT_EQ(importer.kind, FileKind::InspectorLog);
        const auto log = importer.open(path, {}, {});
        ASSERT_TRUE(log) << log.error().text();
        EXPECT_EQ(std::get<Log>(*log)->calls.size(), 1u);
        const auto trace = importTrace(path, {}, {});
        ASSERT_FALSE(trace);
        EXPECT_NE(trace.error().message.find("NCCL Inspector"), std::string::npos) << trace.error().text();
    }
}

} // namespace
} // namespace riffle
