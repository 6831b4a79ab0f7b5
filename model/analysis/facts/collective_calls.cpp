// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/facts/collective_calls.h"

#include "model/analysis/facts/collective_hosts.h"
#include "model/analysis/facts/kernel_traits.h"
#include "model/analysis/facts/message_shapes.h"
#include "model/analysis/facts/message_size.h"
#include "model/base/merge_sort.h"
#include "model/base/stopping.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <tuple>

namespace riffle {

namespace {

constexpr uint32_t kNoCall = UINT32_MAX;

/// The number of ranks in "[0, 1, 2]"; kNoInt if the list is empty or shortened ("[0, 1, ...]").
int64_t ranksIn(std::string_view list)
{
    if (list.size() < 3 || list.front() != '[' || list.back() != ']' || list.find("..") != list.npos ||
        list.find("…") != list.npos)
        return kNoInt;
    return std::count(list.begin(), list.end(), ',') + 1;
}

/// The word of NCCL's kernels that names the operation: "AllReduce" of "ncclDevKernel_AllReduce_Sum_f32_RING_LL(…)".
/// Empty for other kernels.
std::string_view operationOfKernel(std::string_view name)
{
    for (const std::string_view start : {"ncclDevKernel_", "ncclKernel_"})
        if (name.starts_with(start)) {
            const std::string_view word =
                name.substr(start.size(), name.find_first_of("_(", start.size()) - start.size());
            if (collectiveKind(word) != CollectiveKind::Other)
                return word;
        }
    return {};
}

/// Builds the calls from the hosts and the kernels.
class CallCollector {
public:
    CallCollector(const Trace &trace, const SliceClasses &classes, const CallTree &tree, const DeviceWork &work,
                  CollectiveCalls &made)
        : m_trace(trace)
        , m_tree(tree)
        , m_work(work)
        , m_made(made)
        , m_reader(trace)
        , m_hosts(trace, classes)
        , m_shapes(trace, rangesOf(m_hosts))
        , m_callOfHost(m_hosts.hosts.size(), kNoCall)
    {
    }

    void collect()
    {
        std::vector<uint32_t> loose;
        const std::vector<uint32_t> hostOfWork = attach(loose);
        std::vector<uint8_t> hasWork(m_hosts.hosts.size());
        for (const uint32_t host : hostOfWork)
            if (host != kNoCall)
                hasWork[host] = true;
        std::vector<int64_t> elements;
        for (uint32_t host = 0; host < m_hosts.hosts.size(); ++host)
            elements.push_back(elementsOf(host));
        m_hosts.joinRanges(hasWork, elements);
        for (uint32_t host = 0; host < m_hosts.hosts.size(); ++host)
            if (m_hosts.hosts[host].owner == host)
                addHostCall(host);
        for (uint32_t at = 0; at < hostOfWork.size(); ++at)
            if (hostOfWork[at] != kNoCall)
                addWork(m_callOfHost[m_hosts.hosts[hostOfWork[at]].owner], at);
        for (const uint32_t at : loose)
            addLooseWork(at);
        finish();
    }

private:
    static std::vector<uint32_t> rangesOf(const CollectiveHosts &hosts)
    {
        std::vector<uint32_t> slices;
        for (const CollectiveHosts::Host &host : hosts.hosts)
            if (host.source == CollectiveSource::Range)
                slices.push_back(host.slice);
        return slices;
    }
    std::string_view text(uint32_t string) const
    {
        return string == StringId::kNone ? std::string_view() : m_trace.string(string);
    }
    std::string_view nameOf(uint32_t slice)
    {
        return m_reader.seek(slice) ? text(m_reader.name()) : std::string_view();
    }
    DetailRow<CollectiveTable> detailOf(uint32_t at) const
    {
        return m_trace.detailOf(&Segment::collectives, SliceId(m_work.slice[at]));
    }

    /// For each piece of device work, the host of the call that launched it. Kernels that communicate, but belong to
    /// no host, are appended to `loose`.
    std::vector<uint32_t> attach(std::vector<uint32_t> &loose)
    {
        std::vector<uint32_t> hostOfWork(m_work.size(), kNoCall);
        for (uint32_t at = 0; at < m_work.size(); ++at) {
            throwIfStoppedAt(at);
            if (m_work.role[at] != Role::Communication)
                continue;
            const uint32_t launch = m_work.launch[at], call = m_work.operation[at];
            const uint32_t from = launch != DeviceWork::kNone ? launch
                                  : call != CallTree::kNone   ? m_tree.slice[call]
                                                              : DeviceWork::kNone;
            uint32_t host = from == DeviceWork::kNone ? CollectiveHosts::kNone : m_hosts.ownerAround(m_reader, from);
            const auto detail = detailOf(at);
            if (host == CollectiveHosts::kNone && launch == DeviceWork::kNone && detail)
                host = hostWithNumber(detail);
            hostOfWork[at] = host == CollectiveHosts::kNone ? kNoCall : host;
            if (hostOfWork[at] == kNoCall && (detail || isCommunicationKernel(text(m_work.name[at]))))
                loose.push_back(at);
        }
        return hostOfWork;
    }

    using Number = std::tuple<uint32_t, uint32_t, int64_t, int64_t, int64_t>;
    static std::optional<Number> numberOf(const DetailRow<CollectiveTable> &detail)
    {
        if (!detail || detail[&CollectiveTable::sequence] == kNoInt ||
            detail[&CollectiveTable::group] == StringId::kNone)
            return std::nullopt;
        return Number{detail[&CollectiveTable::group], detail[&CollectiveTable::operation],
                      detail[&CollectiveTable::sequence], detail[&CollectiveTable::sourceRank],
                      detail[&CollectiveTable::destinationRank]};
    }
    /// The only host with the same group, operation and sequence number.
    uint32_t hostWithNumber(const DetailRow<CollectiveTable> &detail)
    {
        if (!m_numbersMade) {
            m_numbersMade = true;
            for (const CollectiveHosts::Host &host : m_hosts.hosts)
                if (const auto number = numberOf(host.detail))
                    if (const auto [entry, isNew] = m_hostOfNumber.emplace(*number, host.owner); !isNew)
                        entry->second = CollectiveHosts::kNone;
        }
        const auto number = numberOf(detail);
        const auto found = number ? m_hostOfNumber.find(*number) : m_hostOfNumber.end();
        return found == m_hostOfNumber.end() ? CollectiveHosts::kNone : found->second;
    }

    /// Fills in what the row knows and the call does not.
    void addDetail(CollectiveCall &call, CollectiveGroup &group, const DetailRow<CollectiveTable> &detail) const
    {
        const CollectiveTable &table = *detail.table;
        const uint32_t row = detail.row;
        const auto fillText = [&](std::string_view &into, uint32_t from) {
            if (into.empty())
                into = text(from);
        };
        const auto fill = [&](int64_t &into, int64_t from) {
            if (into == kNoInt)
                into = from;
        };
        fillText(call.operation, table.operation[row]);
        fillText(call.dataType, table.dataType[row]);
        fillText(group.name, table.group[row]);
        fillText(group.description, table.groupDescription[row]);
        fillText(group.ranks, table.groupRanks[row]);
        fill(group.size, table.groupSize[row]);
        fill(call.inElements, table.inElements[row]);
        fill(call.outElements, table.outElements[row]);
        fill(call.rank, table.rank[row]);
        fill(call.sourceRank, table.sourceRank[row]);
        fill(call.destinationRank, table.destinationRank[row]);
        if (table.commsIdKind[row] != RawId::Kind::None)
            fill(call.commsId, table.commsId[row]);
        if (!call.isNumbered && table.sequence[row] != kNoInt) {
            call.isNumbered = true;
            call.number = table.sequence[row];
        }
    }
    /// Fills in the shapes of a range if the call's sizes are unknown.
    void addShape(CollectiveCall &call, uint32_t slice)
    {
        const MessageShape *shape = m_shapes.of(slice);
        if (!shape || call.inElements != kNoInt)
            return;
        call.inElements = shape->elements;
        if (call.dataType.empty() && !shape->type.empty())
            call.dataType = *m_made.types.insert(shape->type).first;
    }

    int64_t elementsOf(uint32_t at)
    {
        const CollectiveHosts::Host &host = m_hosts.hosts[at];
        if (host.detail)
            return host.detail[&CollectiveTable::inElements];
        const MessageShape *shape = host.source == CollectiveSource::Range ? m_shapes.of(host.slice) : nullptr;
        return shape ? shape->elements : kNoInt;
    }

    void addHostCall(uint32_t at)
    {
        const CollectiveHosts::Host &host = m_hosts.hosts[at];
        m_callOfHost[at] = static_cast<uint32_t>(m_made.calls.size());
        CollectiveCall &call = m_made.calls.emplace_back();
        CollectiveGroup &group = m_groups.emplace_back();
        call.source = host.source;
        call.host = host.slice;
        m_starts.push_back(host.start);
        if (host.detail)
            addDetail(call, group, host.detail);
        if (host.inner != CollectiveHosts::kNone) {
            const DetailRow<CollectiveTable> &inner = m_hosts.hosts[host.inner].detail;
            if (text(inner[&CollectiveTable::operation]) == call.operation || call.operation.empty())
                addDetail(call, group, inner);
        }
        if (host.source != CollectiveSource::Host)
            call.operation = withoutLibrary(nameOf(host.slice));
        if (host.source == CollectiveSource::Range) {
            addShape(call, host.slice);
            call.range = host.runsOnHost ? host.slice : DeviceWork::kNone;
        }
        if (host.range != CollectiveHosts::kNone) {
            const CollectiveHosts::Host &range = m_hosts.hosts[host.range];
            if (call.operation.empty())
                call.operation = withoutLibrary(nameOf(range.slice));
            addShape(call, range.slice);
            call.range = range.runsOnHost ? range.slice : DeviceWork::kNone;
        }
    }

    void addWork(uint32_t call, uint32_t at)
    {
        m_workOfCall.emplace_back(call, at);
        const auto detail = detailOf(at);
        if (!detail)
            return;
        CollectiveCall &of = m_made.calls[call];
        if (of.source > CollectiveSource::Kernel) { // what the arguments say replaces what names and shapes show
            const CollectiveCall shown = of;
            of.source = CollectiveSource::Kernel;
            of.operation = of.dataType = {};
            of.inElements = kNoInt;
            addDetail(of, m_groups[call], detail);
            of.operation = of.operation.empty() ? shown.operation : of.operation;
            of.dataType = of.dataType.empty() ? shown.dataType : of.dataType;
            of.inElements = of.inElements == kNoInt ? shown.inElements : of.inElements;
        } else if (of.operation.empty() || of.operation == text(detail[&CollectiveTable::operation])) {
            addDetail(of, m_groups[call], detail);
        }
    }

    /// Adds a kernel without a host. Kernels of the same launch with the same number are one call.
    void addLooseWork(uint32_t at)
    {
        const auto detail = detailOf(at);
        const auto isNew = [&] {
            const auto number = m_work.launch[at] != DeviceWork::kNone ? numberOf(detail) : std::nullopt;
            if (!number)
                return true;
            const auto [entry, added] =
                m_callOfLaunch.emplace(std::pair(m_work.launch[at], *number), m_made.calls.size());
            if (!added)
                m_workOfCall.emplace_back(static_cast<uint32_t>(entry->second), at);
            return added;
        };
        if (!isNew())
            return;
        CollectiveCall &call = m_made.calls.emplace_back();
        CollectiveGroup &group = m_groups.emplace_back();
        m_starts.push_back(m_work.start[at]);
        m_workOfCall.emplace_back(static_cast<uint32_t>(m_made.calls.size() - 1), at);
        call.source = detail ? CollectiveSource::Kernel : CollectiveSource::KernelName;
        if (detail)
            addDetail(call, group, detail);
        const std::string_view name = text(m_work.name[at]), word = operationOfKernel(name);
        if (call.operation.empty())
            call.operation = word.empty() ? name : word;
        call.kind = detail || !word.empty() ? collectiveKind(call.operation) : CollectiveKind::Other;
    }

    /// Sorts the calls, numbers groups and calls, and computes the sizes.
    void finish()
    {
        std::vector<uint32_t> order(m_made.calls.size());
        std::iota(order.begin(), order.end(), 0u);
        std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return m_starts[a] < m_starts[b]; });
        std::vector<uint32_t> place(order.size());
        std::vector<CollectiveCall> calls;
        std::map<CollectiveGroup, uint32_t> numbers;
        std::map<std::tuple<uint32_t, CollectiveKind, std::string_view>, int64_t> counts;
        for (const uint32_t from : order) {
            place[from] = static_cast<uint32_t>(calls.size());
            CollectiveCall &call = calls.emplace_back(m_made.calls[from]);
            CollectiveGroup &group = m_groups[from];
            if (group.size < 1)
                group.size = ranksIn(group.ranks);
            const auto [entry, isNew] = numbers.emplace(group, m_made.groups.size());
            if (isNew)
                m_made.groups.push_back(group);
            call.group = entry->second;
            if (call.host != DeviceWork::kNone)
                call.kind = collectiveKind(call.operation);
            const bool isOther = call.kind == CollectiveKind::Other;
            int64_t &before = counts[{call.group, call.kind, isOther ? call.operation : std::string_view()}];
            if (!call.isNumbered)
                call.number = before;
            ++before;
            call.bytes = messageBytes(collectiveKindName(call.kind), call.inElements, call.outElements, call.dataType)
                             .value_or(kNoInt);
        }
        m_made.calls = std::move(calls);
        for (auto &[call, at] : m_workOfCall)
            call = place[call];
        stoppableSort(m_workOfCall, [&](const auto &a, const auto &b) {
            return std::tuple(a.first, m_work.start[a.second], a.second) <
                   std::tuple(b.first, m_work.start[b.second], b.second);
        });
        for (const auto &[call, at] : m_workOfCall) {
            CollectiveCall &of = m_made.calls[call];
            if (of.firstWork == of.lastWork)
                of.firstWork = static_cast<uint32_t>(m_made.work.size());
            m_made.work.push_back(at);
            of.lastWork = static_cast<uint32_t>(m_made.work.size());
        }
    }

    const Trace &m_trace;
    const CallTree &m_tree;
    const DeviceWork &m_work;
    CollectiveCalls &m_made;
    SliceReader m_reader;
    CollectiveHosts m_hosts;
    MessageShapes m_shapes;
    std::vector<uint32_t> m_callOfHost;
    std::vector<CollectiveGroup> m_groups; ///< per call, before it is sorted
    std::vector<Ns> m_starts;              ///< per call
    std::vector<std::pair<uint32_t, uint32_t>> m_workOfCall;
    std::map<std::pair<uint32_t, Number>, size_t> m_callOfLaunch;
    std::map<Number, uint32_t> m_hostOfNumber;
    bool m_numbersMade = false;
};

} // namespace

CollectiveCalls::CollectiveCalls(const Trace &trace, const SliceClasses &classes, const CallTree &tree,
                                 const DeviceWork &onDevices)
{
    CallCollector(trace, classes, tree, onDevices, *this).collect();
}

} // namespace riffle
