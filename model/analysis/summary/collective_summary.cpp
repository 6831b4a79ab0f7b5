// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0

// Calls of collectives and point-to-point operations, grouped by operation, group, type and size (R10).

#include "model/analysis/empty/empty_trace.h"
#include "model/analysis/facts/kernel_names.h"
#include "model/analysis/facts/slice_reader.h"
#include "model/analysis/summary/collective_groups.h"
#include "model/analysis/summary/summary_views.h"
#include "model/analysis/table/table_builder.h"
#include "model/base/big_vector.h"
#include "model/base/format.h"
#include "model/base/rounding.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <numeric>
#include <tuple>

namespace riffle {

namespace {

using Source = CollectiveSource;

/// Files can contain any sizes; a sum that does not fit is the largest number.
int64_t sumOf(int64_t a, int64_t b)
{
    int64_t sum = 0;
    return __builtin_add_overflow(a, b, &sum) ? std::numeric_limits<int64_t>::max() : sum;
}

/// "0–7, 16" of "[0, 1, 2, 3, 4, 5, 6, 7, 16]"; any other text is left as it is.
std::string shortRanks(std::string_view list)
{
    std::vector<int64_t> ranks;
    const char *at = list.data(), *const end = at + list.size();
    while (at != end) {
        if (*at == '[' || *at == ']' || *at == ',' || *at == ' ') {
            ++at;
            continue;
        }
        const auto [next, error] = std::from_chars(at, end, ranks.emplace_back());
        if (error != std::errc{})
            return std::string(list);
        at = next;
    }
    std::string text;
    for (size_t first = 0, last = 0; first < ranks.size(); first = last + 1) {
        for (last = first; last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1;)
            ++last;
        if (last == first + 1)
            last = first; // two neighbours are listed
        text += fmt::format("{}{}", text.empty() ? "" : ", ", ranks[first]);
        if (last > first)
            text += fmt::format("–{}", ranks[last]);
    }
    return text.empty() ? std::string(list) : text;
}

std::string sourceText(const CollectiveCall &call)
{
    switch (call.source) {
    case Source::Host: return "operator";
    case Source::Kernel: return "kernel";
    case Source::Range: return "range";
    case Source::Operator: return "operator's name";
    case Source::KernelName: return "kernel's name";
    }
    return {};
}

} // namespace

std::string operationName(const CollectiveCall &call)
{
    if (call.kind != CollectiveKind::Other)
        return collectiveKindName(call.kind);
    return call.source == Source::KernelName ? shortKernelName(call.operation) : std::string(call.operation);
}

std::string groupName(const CollectiveGroup &group)
{
    const bool isDescribed = !group.description.empty() && group.description != "undefined";
    return std::string(isDescribed ? group.description : group.name);
}

std::string peersText(const CollectiveCall &call)
{
    const auto rank = [](int64_t number) { return number < 0 ? std::string("?") : std::to_string(number); };
    if (!isPointToPoint(call.kind) || (call.sourceRank < 0 && call.destinationRank < 0))
        return {};
    return rank(call.sourceRank) + " → " + rank(call.destinationRank);
}

namespace {

/// Groups the calls of a scope into rows.
class CollectiveGrouping {
public:
    explicit CollectiveGrouping(const Scope &scope)
        : m_scope(scope)
        , m_all(scope.facts().collectives())
        , m_work(scope.facts().work())
        , m_reader(scope.facts().trace())
        , m_deviceOfWork(m_work.size())
    {
        for (uint32_t device = 0; device < m_work.devices.size(); ++device)
            std::fill(m_deviceOfWork.begin() + m_work.devices[device].first,
                      m_deviceOfWork.begin() + m_work.devices[device].last, device);
        for (const CollectiveCall &call : m_all.calls)
            add(call);
    }

    CallGroups finish() { return {std::move(m_rows), std::move(m_links)}; }

private:
    using Key =
        std::tuple<CollectiveKind, std::string, uint32_t, std::string_view, int64_t, int64_t, std::string, Source>;

    bool hasNameOf(uint32_t slice) { return m_reader.seek(slice) && m_scope.hasSlice(slice, m_reader.name()); }
    bool isNamed(const CollectiveCall &call)
    {
        if ((call.host != DeviceWork::kNone && hasNameOf(call.host)) ||
            (call.range != DeviceWork::kNone && hasNameOf(call.range)))
            return true;
        const auto work = m_all.workOf(call);
        return std::any_of(work.begin(), work.end(),
                           [&](uint32_t at) { return m_scope.hasSlice(m_work.slice[at], m_work.name[at]); });
    }
    /// The slices of the host whose time counts.
    uint32_t hostSlice(const CollectiveCall &call) const
    {
        return call.range != DeviceWork::kNone ? call.range : call.host;
    }

    void add(const CollectiveCall &call)
    {
        if (!isNamed(call))
            return;
        const auto all = m_all.workOf(call);
        std::vector<uint32_t> work;
        for (const uint32_t at : all)
            if (m_reader.seek(m_work.slice[at]) && m_scope.hasStream(m_reader.lane()))
                work.push_back(at);
        bool begins = false, touches = false;
        if (all.empty()) {
            if (!m_reader.seek(hostSlice(call)) || !m_scope.hasHostLane(m_reader.lane()))
                return;
            begins = m_scope.holds(m_reader.start());
            touches = m_scope.touches(m_reader.span());
        } else {
            begins = !work.empty() && work.front() == all.front() && m_scope.begins(work.front());
            touches = std::any_of(work.begin(), work.end(), [&](uint32_t at) { return m_scope.deviceTime(at) > 0; });
        }
        if (!begins && !touches)
            return;
        CallGroup &row = rowOf(call);
        row.calls += begins;
        if (begins && call.bytes != kNoInt)
            row.bytes = sumOf(std::max<int64_t>(row.bytes, 0), call.bytes);
        if (all.empty())
            addHost(row, call);
        else
            addWork(row, call, work, begins);
    }

    void addHost(CallGroup &row, const CollectiveCall &call)
    {
        const uint32_t slice = hostSlice(call);
        if (!m_reader.seek(slice))
            return;
        const Ns time = m_scope.clipped(m_reader.span());
        if (call.range != DeviceWork::kNone) {
            ++row.onHost;
            row.host += time;
        }
        link(row, slice, time);
    }
    void addWork(CallGroup &row, const CollectiveCall &call, const std::vector<uint32_t> &work, bool begins)
    {
        Ns time = 0, whole = 0;
        for (const uint32_t at : work) {
            time += m_scope.deviceTime(at);
            whole += m_work.duration(at);
            row.overlapped +=
                m_scope.facts().devices()[m_deviceOfWork[at]].compute.lengthWithin(m_scope.deviceSpan(at));
            link(row, m_work.slice[at], m_scope.deviceTime(at));
        }
        ++row.withKernels;
        row.times.push_back(time);
        row.device += time;
        if (begins && call.bytes != kNoInt && call.bytes > 0) {
            row.movedBytes = sumOf(row.movedBytes, call.bytes);
            row.moving += whole;
        }
    }
    void link(CallGroup &row, uint32_t slice, Ns time)
    {
        m_links.emplace_back(slice, static_cast<uint32_t>(&row - m_rows.data()));
        if (time > row.longest) {
            row.longest = time;
            row.example = slice;
        }
    }
    CallGroup &rowOf(const CollectiveCall &call)
    {
        Key key{call.kind,  operationName(call), call.group,      call.dataType,
                call.bytes, call.elements(),     peersText(call), call.source};
        const auto [found, isNew] = m_rowOfKey.try_emplace(std::move(key), static_cast<uint32_t>(m_rows.size()));
        if (isNew)
            m_rows.push_back({.call = &call, .group = &m_all.groups[call.group], .times = {}});
        return m_rows[found->second];
    }

    const Scope &m_scope;
    const CollectiveCalls &m_all;
    const DeviceWork &m_work;
    SliceReader m_reader;
    std::vector<uint32_t> m_deviceOfWork;
    std::map<Key, uint32_t> m_rowOfKey;
    std::vector<CallGroup> m_rows;
    BigVector<std::pair<uint32_t, uint32_t>> m_links;
};

} // namespace

void CallGroup::add(const CallGroup &other)
{
    calls += other.calls;
    withKernels += other.withKernels;
    onHost += other.onHost;
    times.insert(times.end(), other.times.begin(), other.times.end());
    device += other.device;
    overlapped += other.overlapped;
    host += other.host;
    if (other.bytes != kNoInt)
        bytes = sumOf(std::max<int64_t>(bytes, 0), other.bytes);
    movedBytes = sumOf(movedBytes, other.movedBytes);
    moving += other.moving;
}

CallGroups callGroupsOf(const Scope &scope) { return CollectiveGrouping(scope).finish(); }

std::vector<uint32_t> orderOf(const std::vector<CallGroup> &rows)
{
    std::vector<uint32_t> order(rows.size());
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
        const auto key = [](const CallGroup &row) { return std::tuple(row.device, row.host, row.calls); };
        return key(rows[a]) > key(rows[b]);
    });
    return order;
}

void addGroupColumns(TableBuilder<CallGroup> &build)
{
    build.text("operation", "Operation",
               "What the calls do, in the words of torch.distributed. “send_recv” is NCCL's kernel for sends, receives "
               "and what is made of them, such as all_to_all. “coalesced” is the common launch of several calls.",
               [](const CallGroup &row) { return operationName(*row.call); });
    build.text("group", "Group", "The description of the process group, otherwise its name.",
               [](const CallGroup &row) { return groupName(*row.group); });
    build
        .text("group_name", "Group name", "The name of the process group.",
              [](const CallGroup &row) { return std::string(row.group->name); })
        .hidden = true;
    ResultColumn &ranks =
        build.text("ranks", "Ranks", "The ranks of the group as recorded; Kineto shortens long lists.",
                   [](const CallGroup &row) { return std::string(row.group->ranks); });
    for (const std::string &list : ranks.texts)
        ranks.shorts.push_back(shortRanks(list));
    build.count("group_size", "Group size", "The number of ranks in the group.",
                [](const CallGroup &row) { return row.group->size < 1 ? kNoInt : row.group->size; });
    build.text("peers", "From → to", "For point-to-point calls: the ranks of the sender and the receiver.",
               [](const CallGroup &row) { return peersText(*row.call); });
    build.text("type", "Type", "The type of the elements.",
               [](const CallGroup &row) { return std::string(row.call->dataType); });
    build
        .count("elements", "Elements", "The elements of a message, of which Message is the size.",
               [](const CallGroup &row) { return row.call->elements() < 0 ? kNoInt : row.call->elements(); })
        .hidden = true;
    build.integer(
        "message_bytes", "Message", CellKind::Bytes,
        "The size of one call's message: what a rank receives in an all_gather, and what it contributes to any "
        "other operation.",
        [](const CallGroup &row) { return row.call->bytes; });
}

void addCallColumns(TableBuilder<CallGroup> &build)
{
    build
        .count("calls", "Calls",
               "Calls that start inside the selection: with their first kernel or, without kernels, on the host.",
               [](const CallGroup &row) { return row.calls; })
        .summed = true;
    build
        .count("with_kernels", "With kernels", "Calls whose kernels are known. The times on the device are theirs.",
               [](const CallGroup &row) { return row.withKernels; })
        .summed = true;
    const auto known = [](const CallGroup &row, Ns time) { return row.withKernels ? time : kNoInt; };
    ResultColumn &total = build.time("device_total_ns", "Device total",
                                     "Summed time of the kernels. It includes the wait for other ranks.",
                                     [known](const CallGroup &row) { return known(row, row.device); });
    total.summed = total.barred = true;
    build.time("min_ns", "Minimum", "The shortest call's time on the device.", [](const CallGroup &row) {
        return row.times.empty() ? kNoInt : *std::min_element(row.times.begin(), row.times.end());
    });
    build.time("median_ns", "Median", "The median of the calls' times on the device.", [](const CallGroup &row) {
        BigVector<Ns> times = row.times; // is rearranged
        return times.empty() ? kNoInt : medianOf(times);
    });
    build.time("max_ns", "Maximum", "The longest call's time on the device.", [](const CallGroup &row) {
        return row.times.empty() ? kNoInt : *std::max_element(row.times.begin(), row.times.end());
    });
    build
        .time("overlapped_ns", "Overlapped",
              "The part of Device total in which other kernels of the same device compute. The rest is exposed.",
              [known](const CallGroup &row) { return known(row, row.overlapped); })
        .summed = true;
    build
        .time("host_total_ns", "Host total",
              "Summed time of the ranges in which the host itself carries the calls out (gloo, MPI). Older versions of "
              "gloo include the time in the queue.",
              [](const CallGroup &row) { return row.onHost ? row.host : kNoInt; })
        .summed = true;
}

void addSizeColumns(TableBuilder<CallGroup> &build)
{
    build
        .integer("total_bytes", "Bytes", CellKind::Bytes, "Message × calls.",
                 [](const CallGroup &row) { return row.bytes; })
        .summed = true;
    build.number(
        "algorithm_gb_s", "Algorithm GB/s", CellKind::Number,
        "Algorithm bandwidth: bytes / time on the device of the calls whose kernels are known, in 10⁹ bytes per "
        "second. The time includes the wait for other ranks, so the transfer itself is at least as fast.",
        [](const CallGroup &row) { return row.algorithmBandwidth(); });
    build.number(
        "bus_gb_s", "Bus GB/s", CellKind::Number,
        "Bus bandwidth: algorithm bandwidth × 2(n−1)/n for an all_reduce in a group of n ranks, × (n−1)/n for an "
        "all_gather, reduce_scatter or all_to_all, × 1 for a broadcast, reduce, send or recv.",
        [](const CallGroup &row) {
            const auto factor = busFactor(row.call->kind, row.group->size);
            return factor ? row.algorithmBandwidth() * *factor : std::numeric_limits<double>::quiet_NaN();
        });
    build.text("known_from", "Known from",
               "What describes the calls: the arguments of their operator or of their kernel, a range such as "
               "“nccl:all_reduce” and its shapes, or only a name.",
               [](const CallGroup &row) { return sourceText(*row.call); });
}

std::vector<std::string> notesOf(std::span<const CallGroup> rows)
{
    int64_t withoutSize = 0, withoutGroup = 0, withoutTime = 0, together = 0, all = 0;
    for (const CallGroup &row : rows) {
        all += row.calls;
        const CollectiveKind kind = row.call->kind;
        withoutSize += row.call->bytes == kNoInt && kind != CollectiveKind::Barrier ? row.calls : 0;
        withoutGroup += row.group->size < 1 ? row.calls : 0;
        withoutTime += row.withKernels == 0 && row.onHost == 0 ? row.calls : 0;
        together += operationName(*row.call) == "coalesced" ? row.calls : 0;
    }
    std::vector<std::string> notes;
    const auto add = [&](int64_t calls, const std::string &one, const std::string &many) {
        if (calls > 0)
            notes.push_back(formatCount(calls) + " of " + formatCounted(all, "call", "calls") +
                            (calls == 1 ? one : many));
    };
    add(withoutSize, " has no known size, and so no bandwidth.", " have no known size, and so no bandwidth.");
    add(withoutGroup, " is in a group of unknown size.", " are in groups of unknown size.");
    add(withoutTime, " has no known time: neither kernels nor a range of the host belong to it.",
        " have no known time: neither kernels nor a range of the host belong to them.");
    add(together, " is a common launch of several calls, which have no times of their own.",
        " are common launches of several calls, which have no times of their own.");
    return notes;
}

EmptyState noCollectives(const Scope &scope)
{
    return scope.facts().collectives().calls.empty() ? notRecorded(scope.facts(), EmptySubject::Collectives)
                                                     : noneOccurred(scope.facts(), "No collective ran.");
}

ResultTable collectiveTable(const Scope &scope, std::string_view)
{
    ResultTable table;
    CallGroups groups = callGroupsOf(scope);
    TableBuilder<CallGroup> build(table, groups.rows);
    addGroupColumns(build);
    addCallColumns(build);
    addSizeColumns(build);
    table.notes = notesOf(groups.rows);
    for (const CallGroup &row : groups.rows)
        table.evidence.push_back({scope.trace(), SliceId(row.example)});
    table.slices = RowSlices::ofTrace(scope.trace(), std::move(groups.links));
    table.keepRows(orderOf(groups.rows));
    if (groups.rows.empty())
        table.setEmpty(noCollectives(scope));
    return table;
}

} // namespace riffle
