// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/facts/collective_hosts.h"

#include "model/analysis/facts/kernel_traits.h"
#include "model/base/parallel.h"
#include "model/trace/details.h"

#include <algorithm>
#include <deque>
#include <iterator>
#include <map>
#include <mutex>

namespace riffle {

namespace {

constexpr std::string_view kLibraries[]{"nccl:", "gloo:", "mpi:", "ucc:", "xccl:", "hccl:"};
constexpr std::string_view kOperators = "c10d::";
constexpr size_t kMostWaiting = 64; ///< operators that may be passed over because their sizes differ from a range's

bool isRange(std::string_view name)
{
    return std::any_of(std::begin(kLibraries), std::end(kLibraries),
                       [name](std::string_view library) { return name.starts_with(library); });
}

/// Returns the kind of source that a slice has by its name; Host if the name does not tell.
CollectiveSource sourceOf(std::string_view name)
{
    if (isRange(name))
        return CollectiveSource::Range;
    const bool isOperator = name.starts_with(kOperators) && collectiveKind(name) != CollectiveKind::Other;
    return isOperator ? CollectiveSource::Operator : CollectiveSource::Host;
}

} // namespace

std::string_view withoutLibrary(std::string_view name)
{
    for (const std::string_view library : kLibraries)
        if (name.starts_with(library))
            return name.substr(library.size());
    return name.starts_with(kOperators) ? name.substr(kOperators.size()) : name;
}

CollectiveHosts::CollectiveHosts(const Trace &trace, const SliceClasses &classes)
{
    collect(trace, classes);
    nest(trace);
}

void CollectiveHosts::collect(const Trace &trace, const SliceClasses &classes)
{
    forEachDetail(trace, &Segment::collectives, [&](const Segment &segment, uint32_t at, uint32_t row) {
        const CollectiveTable &table = segment.collectives;
        const uint32_t name = table.operation[row];
        if (isDeviceWork(classes.of(segment, at)) || (segment.slices.flags[at] & slice_flag::OnStream))
            return;
        if (name != StringId::kNone && movesNothing(trace.string(name)))
            return;
        hosts.push_back({.slice = segment.idAt(at).value,
                         .detail = {&table, row},
                         .source = CollectiveSource::Host,
                         .kind = {},
                         .start = 0,
                         .process = 0});
    });
    std::vector<CollectiveSource> sources(trace.strings.count(), CollectiveSource::Host);
    for (uint32_t id = 0; id < sources.size(); ++id)
        sources[id] = sourceOf(trace.string(id));
    if (std::any_of(sources.begin(), sources.end(),
                    [](CollectiveSource each) { return each != CollectiveSource::Host; })) {
        std::mutex mutex;
        parallelRanges(trace.sliceCount(), kSliceRange, [&](size_t first, size_t last) {
            std::vector<Host> found;
            forEachSlice(trace, first, last, [&](const Segment &segment, uint32_t at, size_t position) {
                const uint32_t name = segment.slices.name[at];
                if (name >= sources.size() || sources[name] == CollectiveSource::Host)
                    return;
                const SliceClass kind = classes.byPosition()[position];
                if ((kind == SliceClass::Operator || kind == SliceClass::Annotation) &&
                    !(segment.slices.flags[at] & slice_flag::OnStream) &&
                    !segment.detailOf(&Segment::collectives, segment.idAt(at)))
                    found.push_back({.slice = segment.idAt(at).value,
                                     .detail = {},
                                     .source = sources[name],
                                     .kind = {},
                                     .start = 0,
                                     .process = 0});
            });
            const std::scoped_lock lock(mutex);
            hosts.insert(hosts.end(), found.begin(), found.end());
        });
    }
    std::sort(hosts.begin(), hosts.end(), [](const Host &a, const Host &b) { return a.slice < b.slice; });
    SliceReader reader(trace);
    for (Host &host : hosts) {
        reader.seek(host.slice);
        const std::string_view name = trace.string(reader.name());
        const uint32_t operation = host.detail ? host.detail[&CollectiveTable::operation] : StringId::kNone;
        host.kind = collectiveKind(operation == StringId::kNone ? withoutLibrary(name) : trace.string(operation));
        host.runsOnHost = host.source == CollectiveSource::Range && isHostCollective(name);
        host.start = reader.start();
        host.process = trace.lanes[reader.lane().value].process.value;
    }
}

uint32_t CollectiveHosts::find(uint32_t slice) const
{
    const auto found = std::lower_bound(hosts.begin(), hosts.end(), slice,
                                        [](const Host &host, uint32_t id) { return host.slice < id; });
    return found == hosts.end() || found->slice != slice ? kNone : static_cast<uint32_t>(found - hosts.begin());
}

void CollectiveHosts::nest(const Trace &trace)
{
    SliceReader reader(trace);
    std::vector<uint32_t> absorbed(hosts.size(), kNone); // per host, one inside it that knows more
    for (uint32_t at = 0; at < hosts.size(); ++at) {
        uint32_t withArguments = kNone, range = kNone, operation = kNone; // the outermost hosts around it
        const bool knowsMore = hosts[at].source != CollectiveSource::Operator;
        reader.seek(hosts[at].slice);
        size_t left = kMaxAncestors;
        for (uint32_t around = reader.parent(); left-- && reader.seek(around); around = reader.parent()) {
            const uint32_t found = find(around);
            if (found == kNone)
                continue;
            const CollectiveSource source = hosts[found].source;
            (source == CollectiveSource::Host    ? withArguments
             : source == CollectiveSource::Range ? range
                                                 : operation) = found;
            if (source > hosts[at].source && absorbed[found] == kNone)
                absorbed[found] = at;
        }
        hosts[at].owner = withArguments != kNone                                         ? withArguments
                          : hosts[at].source != CollectiveSource::Host && range != kNone ? range
                          : !knowsMore && operation != kNone                             ? operation
                                                                                         : at;
    }
    for (uint32_t at = 0; at < hosts.size(); ++at) {
        Host &host = hosts[at];
        if (host.owner == at && absorbed[at] != kNone)
            host.owner = absorbed[at];
        // The owner may itself have one that was found later.
        for (size_t steps = 0; hosts[host.owner].owner != host.owner && steps < hosts.size(); ++steps)
            host.owner = hosts[host.owner].owner;
    }
    for (uint32_t at = 0; at < hosts.size(); ++at) {
        Host &owner = hosts[hosts[at].owner];
        if (hosts[at].owner == at)
            continue;
        if (hosts[at].source == CollectiveSource::Range && owner.range == kNone)
            owner.range = at;
        if (hosts[at].source == CollectiveSource::Host && owner.inner == kNone)
            owner.inner = at;
    }
}

uint32_t CollectiveHosts::ownerAround(SliceReader &reader, uint32_t slice) const
{
    for (size_t left = kMaxAncestors; left-- && reader.seek(slice); slice = reader.parent())
        if (const uint32_t found = find(slice); found != kNone)
            return hosts[found].owner;
    return kNone;
}

void CollectiveHosts::joinRanges(const std::vector<uint8_t> &hasWork, const std::vector<int64_t> &elements)
{
    using Key = std::pair<uint32_t, CollectiveKind>; // process and kind
    std::map<Key, std::vector<uint32_t>> ranges;
    std::map<Key, std::deque<uint32_t>> waiting;
    for (uint32_t at = 0; at < hosts.size(); ++at) {
        const Host &host = hosts[at];
        if (host.owner != at)
            continue;
        if (host.runsOnHost)
            ranges[{host.process, host.kind}].push_back(at);
        else if (host.source != CollectiveSource::Range && host.range == kNone && !hasWork[at])
            waiting[{host.process, host.kind}].push_back(at);
    }
    const auto earlier = [&](uint32_t a, uint32_t b) { return hosts[a].start < hosts[b].start; };
    for (auto &[key, inOrder] : ranges) {
        std::deque<uint32_t> &operators = waiting[key];
        std::stable_sort(inOrder.begin(), inOrder.end(), earlier);
        std::stable_sort(operators.begin(), operators.end(), earlier);
        for (const uint32_t range : inOrder)
            for (size_t at = 0; at < std::min(operators.size(), kMostWaiting); ++at) {
                Host &host = hosts[operators[at]];
                if (host.start > hosts[range].start)
                    break;
                const int64_t size = elements[operators[at]];
                if (size != kNoInt && elements[range] != kNoInt && size != elements[range])
                    continue;
                if (host.source == CollectiveSource::Operator) {
                    host.owner = range;
                } else {
                    host.range = range;
                    hosts[range].owner = operators[at];
                }
                operators.erase(operators.begin() + static_cast<ptrdiff_t>(at));
                break;
            }
    }
}

} // namespace riffle
