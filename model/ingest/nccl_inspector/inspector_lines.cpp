// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/nccl_inspector/inspector_lines.h"

#include <algorithm>
#include <cstring>

namespace riffle {

namespace {

using simdjson::dom::element;
using simdjson::dom::object;

constexpr size_t kLongestName = 4 << 10;
constexpr uint64_t kBesideInspectorText = 48, kBesideCommunicator = 400;
constexpr size_t kMostVersions = 16;

int64_t integerOf(object from, const char *key, int64_t otherwise)
{
    int64_t number = 0;
    return from[key].get(number) == simdjson::SUCCESS ? number : otherwise;
}

uint64_t countOf(object from, const char *key)
{
    return static_cast<uint64_t>(std::max<int64_t>(integerOf(from, key, 0), 0));
}

double numberOf(object from, const char *key)
{
    double number = 0;
    return from[key].get(number) == simdjson::SUCCESS ? number : -1;
}

std::string_view textOf(object from, const char *key)
{
    std::string_view text;
    return from[key].get(text) == simdjson::SUCCESS ? text.substr(0, kLongestName) : std::string_view();
}

} // namespace

InspectorLines::InspectorLines(NcclInspectorLog &log, MemoryBudget &budget)
    : m_log(log)
    , m_budget(budget)
    , m_calls(&budget)
{
}

uint32_t InspectorLines::text(Object object, const char *key)
{
    const uint32_t id = m_texts.intern(textOf(object, key), 0);
    const uint64_t cost = m_texts.memoryBytes() + m_texts.count() * kBesideInspectorText;
    if (cost > m_textCost)
        m_budget.take(cost - m_textCost);
    m_textCost = std::max(m_textCost, cost);
    return id;
}

void InspectorLines::refuse(const char *what, uint64_t offset, uint64_t number)
{
    for (FileTrouble &trouble : m_log.troubles)
        if (trouble.what == what) {
            ++trouble.count;
            return;
        }
    m_log.troubles.push_back({what, 1, offset, number});
}

/// Makes the communicator of a record the current one; false if the record has no header.
bool InspectorLines::readContext(Object record)
{
    Object header, metadata;
    if (record["header"].get(header) != simdjson::SUCCESS)
        return false;
    const bool hasMetadata = record["metadata"].get(metadata) == simdjson::SUCCESS;
    const std::string_view host = hasMetadata ? textOf(metadata, "hostname") : std::string_view();
    const int64_t pid = hasMetadata ? integerOf(metadata, "pid", -1) : -1;
    std::string key(textOf(header, "id"));
    key.append(1, '\n').append(host).append(1, '\n').append(std::to_string(pid));
    key.append(1, '\n').append(std::to_string(integerOf(header, "rank", -1)));
    const auto [known, isNew] =
        m_communicators.try_emplace(std::move(key), static_cast<uint32_t>(m_log.communicators.size()));
    if (isNew) {
        m_budget.take(kBesideCommunicator + 3 * known->first.size());
        m_log.communicators.push_back({.id = std::string(textOf(header, "id")),
                                       .name = std::string(textOf(header, "comm_name")),
                                       .rank = integerOf(header, "rank", -1),
                                       .ranks = integerOf(header, "n_ranks", -1),
                                       .nodes = integerOf(header, "nnodes", -1),
                                       .host = std::string(host),
                                       .pid = pid});
    }
    m_current = known->second;
    m_hasCurrent = true;
    if (hasMetadata) {
        const std::string version(textOf(metadata, "inspector_output_format_version"));
        auto &versions = m_log.versions;
        if (!version.empty() && versions.size() < kMostVersions &&
            std::find(versions.begin(), versions.end(), version) == versions.end())
            versions.push_back(version);
    }
    return true;
}

void InspectorLines::closeBatch()
{
    m_log.promised += m_left;
    m_left = 0;
}

void InspectorLines::readStats(Object stats)
{
    closeBatch();
    ++m_log.dumps;
    const auto add = [](uint64_t left, uint64_t right) {
        return left > UINT64_MAX - right ? UINT64_MAX : left + right;
    };
    // An announcement is not believed beyond what a ring can have.
    constexpr uint64_t kMostRecords = 1ull << 32;
    m_left = std::min(
        add(add(countOf(stats, "coll_records"), countOf(stats, "p2p_records")), countOf(stats, "proxy_records")),
        kMostRecords);
    m_isBatch = true;
    InspectorCommunicator &own = m_log.communicators[m_current];
    const auto keep = [&](uint64_t &into, uint64_t total) { into = std::max(into, std::min(total, kMostRecords)); };
    keep(own.droppedCollectives, countOf(stats, "coll_dropped_total"));
    keep(own.droppedP2p, countOf(stats, "p2p_dropped_total"));
    keep(own.droppedProxy, add(countOf(stats, "proxy_dropped_total"), countOf(stats, "proxy_ops_dropped_total")));
    // This one is a total of the process, which all of its communicators repeat.
    keep(m_log.proxySkipped, countOf(stats, "proxy_pxn_skipped_process_total"));
}

void InspectorLines::readCall(Object call, bool isP2p)
{
    const auto key = [&](const char *collective, const char *p2p) { return isP2p ? p2p : collective; };
    InspectorCall own;
    own.isP2p = isP2p;
    own.communicator = m_current;
    own.name = text(call, key("coll", "p2p"));
    own.algorithm = text(call, "coll_algo");
    own.protocol = text(call, "coll_proto");
    own.timing = text(call, key("coll_timing_source", "p2p_timing_source"));
    own.sequence = integerOf(call, key("coll_sn", "p2p_sn"), InspectorCall::kNone);
    own.bytes = integerOf(call, key("coll_msg_size_bytes", "p2p_msg_size_bytes"), InspectorCall::kNone);
    own.microseconds = integerOf(call, key("coll_exec_time_us", "p2p_exec_time_us"), InspectorCall::kNone);
    own.peer = integerOf(call, "p2p_peer", InspectorCall::kNone);
    own.algorithmBandwidth = numberOf(call, key("coll_algobw_gbs", "p2p_algobw_gbs"));
    own.busBandwidth = numberOf(call, key("coll_busbw_gbs", "p2p_busbw_gbs"));
    Object times;
    if (call["event_trace_ts"].get(times) == simdjson::SUCCESS)
        own.start = integerOf(times, key("coll_start_ts", "p2p_start_ts"), InspectorCall::kNone);
    m_calls.push(own);
}

void InspectorLines::read(std::string_view line, uint64_t offset, uint64_t number)
{
    if (line.find_first_not_of(" \t\r") == line.npos)
        return;
    m_padded.assign(line);
    m_padded.resize(line.size() + simdjson::SIMDJSON_PADDING);
    element root;
    Object record;
    if (m_parser.parse(m_padded.data(), line.size(), false).get(root) != simdjson::SUCCESS ||
        root.get(record) != simdjson::SUCCESS) {
        refuse("lines that are no JSON object", offset, number);
        return;
    }
    Object stats, call;
    const bool isStats = record["dump_stats"].get(stats) == simdjson::SUCCESS;
    const bool isCollective = !isStats && record["coll_perf"].get(call) == simdjson::SUCCESS;
    const bool isP2p = !isStats && !isCollective && record["p2p_perf"].get(call) == simdjson::SUCCESS;
    const bool isProxy = !isStats && !isCollective && !isP2p && record["proxy_trace"].error() == simdjson::SUCCESS;
    if (!isStats && !isCollective && !isP2p && !isProxy) {
        refuse("records of an unknown kind", offset, number);
        return;
    }
    const bool hasHeader = readContext(record);
    if (!hasHeader && (!m_hasCurrent || !m_isBatch || m_left == 0 || isStats)) {
        refuse("records without the header of their communicator", offset, number);
        return;
    }
    ++m_records;
    if (isStats) {
        readStats(stats);
        return;
    }
    m_left -= m_left > 0;
    if (isProxy)
        ++m_log.proxyRecords;
    else
        readCall(call, isP2p);
}

void InspectorLines::finish()
{
    closeBatch();
    m_log.calls.assign(m_calls.data(), m_calls.data() + m_calls.size());
    for (uint32_t id = 0; id < m_texts.count(); ++id)
        m_log.texts.emplace_back(m_texts.text(id));
}

} // namespace riffle
