// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/facts/call_shapes.h"
#include "model/analysis/facts/kernel_class.h"
#include "model/analysis/facts/lane_context.h"
#include "model/analysis/facts/trace_facts.h"
#include "model/base/filled_vector.h"
#include "model/base/merge_sort.h"
#include "model/base/parallel.h"
#include "model/base/seeded_hash.h"
#include "model/base/wrapping.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <unordered_map>

#include <xxhash.h>

namespace riffle {

namespace {

/// The labels of a trace; each name is judged once per kind.
class ShapeLabels {
public:
    explicit ShapeLabels(const Trace &trace) : m_trace(trace) {}

    uint32_t ofName(ShapeKind kind, uint32_t name)
    {
        std::vector<uint32_t> &known = m_byName[static_cast<size_t>(kind)];
        if (known.empty())
            known.assign(m_trace.strings.count(), CallShapes::kNone);
        if (name >= known.size())
            return ofText(kind, {});
        if (known[name] == CallShapes::kNone)
            known[name] = ofText(kind, shapeName(kind, m_trace.string(name)),
                                 kind >= ShapeKind::Kernel ? kernelClass(m_trace.string(name)) : WorkClass::None);
        return known[name];
    }
    uint32_t ofText(ShapeKind kind, std::string text, WorkClass work = WorkClass::None)
    {
        auto &texts = m_byText[static_cast<size_t>(kind)];
        const auto found = texts.find(text);
        if (found != texts.end())
            return found->second;
        const uint64_t hash = XXH3_64bits_withSeed(text.data(), text.size(), hashSeed() + static_cast<uint64_t>(kind));
        made.push_back({kind, work, text, hash});
        const auto number = static_cast<uint32_t>(made.size() - 1);
        texts.emplace(std::move(text), number);
        return number;
    }

    std::vector<ShapeLabel> made;

private:
    static constexpr size_t kKinds = static_cast<size_t>(ShapeKind::Memset) + 1;
    const Trace &m_trace;
    std::array<std::vector<uint32_t>, kKinds> m_byName;
    std::array<std::map<std::string, uint32_t>, kKinds> m_byText;
};

ShapeKind kindOf(SliceClass kind)
{
    switch (kind) {
    case SliceClass::Operator: return ShapeKind::Operator;
    case SliceClass::Annotation:
    case SliceClass::Dataloader: return ShapeKind::Annotation;
    default: return ShapeKind::Root;
    }
}

ShapeKind kindOf(Role role)
{
    switch (role) {
    case Role::Memcpy: return ShapeKind::Copy;
    case Role::Memset: return ShapeKind::Memset;
    default: return ShapeKind::Kernel;
    }
}

/// The order of nodes and leaves in a lane: parents come before what is in them.
struct ShapeOrder {
    Ns time;
    uint32_t depth;
    uint32_t entry;
    bool operator<(const ShapeOrder &other) const
    {
        return time != other.time     ? time < other.time
               : depth != other.depth ? depth < other.depth
                                      : entry < other.entry;
    }
};

} // namespace

/// Entries are the slices that are nodes (hosts), by position, and behind them the device work. Groups are the threads
/// and streams of the steps.
class CallShapesBuilder {
public:
    CallShapesBuilder(CallShapes &made, const TraceFacts &facts, const StepSet &steps, bool withModules)
        : m_made(made)
        , m_facts(facts)
        , m_trace(facts.trace())
        , m_work(facts.work())
        , m_steps(steps)
        , m_labels(m_trace)
        , m_nodeOf(m_trace, kContextUnknown)
        , m_lanes(m_trace.lanes.size())
    {
        findHosts(withModules);
        findParents();
        findSteps();
        addEntries();
        parallelFor(m_lanes.size(), [&](size_t lane) {
            mergeSortRuns(m_lanes[lane], [](const ShapeOrder &a, const ShapeOrder &b) { return a < b; });
        });
        findGroups();
        place();
    }

private:
    static constexpr uint32_t kNone = CallShapes::kNone;

    struct Group {
        uint32_t step, lane;
        uint32_t nodes = 1;     ///< in its subtree
        uint32_t index = kNone; ///< in the tree
    };

    size_t hosts() const { return m_slice.size(); }
    bool isHost(uint32_t entry) const { return entry < hosts(); }
    uint32_t workOf(uint32_t entry) const { return entry - static_cast<uint32_t>(hosts()); }

    void findHosts(bool withModules)
    {
        const size_t slices = m_trace.sliceCount();
        const SliceClasses &classes = m_facts.classes();
        BigVector<ShapeKind> kinds(slices); // Root: no node
        parallelRanges(slices, kSliceRange, [&](size_t first, size_t last) {
            for (size_t at = first; at < last; ++at)
                kinds[at] = kindOf(classes.byPosition()[at]);
        });
        const SlicePositions &positions = m_nodeOf.positions();
        const auto set = [&](uint32_t slice, ShapeKind kind) {
            if (const size_t at = positions.of(slice); at < slices)
                kinds[at] = kind;
        };
        if (withModules)
            for (const uint32_t slice : m_facts.chains().moduleSlices)
                set(slice, ShapeKind::Module);
        m_made.m_hasModules = withModules && !m_facts.chains().moduleSlices.empty();
        for (const StepSet::Step &step : m_steps.steps)
            if (step.slice.valid())
                set(step.slice.value, ShapeKind::Root);
        std::vector<uint32_t> firstHost((slices + kSliceRange - 1) / kSliceRange + 1, 0); // per range of slices
        parallelRanges(slices, kSliceRange, [&](size_t first, size_t last) {
            uint32_t count = 0;
            for (size_t at = first; at < last; ++at)
                count += kinds[at] != ShapeKind::Root;
            firstHost[first / kSliceRange + 1] = count;
        });
        std::partial_sum(firstHost.begin(), firstHost.end(), firstHost.begin());
        m_slice.resize(firstHost.back());
        m_start.resize(hosts());
        m_name.resize(hosts());
        m_kind.resize(hosts());
        parallelRanges(slices, kSliceRange, [&](size_t first, size_t last) {
            uint32_t host = firstHost[first / kSliceRange];
            forEachSlice(m_trace, first, last, [&](const Segment &segment, uint32_t at, size_t position) {
                if (kinds[position] == ShapeKind::Root)
                    return;
                m_nodeOf.byPosition()[position] = host;
                m_slice[host] = segment.idAt(at).value;
                m_start[host] = segment.slices.start[at];
                m_name[host] = segment.slices.name[at];
                m_kind[host++] = kinds[position];
            });
        });
    }

    void findParents()
    {
        std::vector<std::vector<const Segment *>> lanes(m_trace.lanes.size());
        for (const auto &segment : m_trace.segments)
            lanes[segment->lane.value].push_back(segment.get());
        m_parent = filledVector(hosts() + m_work.size(), kNone);
        parallelFor(lanes.size(), [&](size_t lane) {
            fillContext(
                m_trace, lanes[lane], m_nodeOf, [&](uint32_t id, uint32_t host) { return m_slice[host] == id; },
                [&](uint32_t host, uint32_t around) { m_parent[host] = around; });
        });
    }

    void findSteps()
    {
        m_step = filledVector(hosts(), kNone);
        parallelRanges(hosts(), kSliceRange, [&](size_t first, size_t last) {
            uint32_t step = 0; // consecutive slices are mostly in the same step
            for (size_t host = first; host < last; ++host) {
                if (m_steps.marked && (step == kNone || !m_steps.steps[step].host.contains(m_start[host])))
                    step = m_steps.at(m_start[host]);
                m_step[host] = step;
            }
        });
        if (!m_steps.onDevice)
            return;
        // The host is ahead of the device: a slice counts for the step of the first work that it launched.
        BigVector<uint8_t> isDone = filledVector(hosts(), uint8_t(0));
        for (uint32_t at = 0; at < m_work.size(); ++at)
            for (uint32_t host = ownerOf(at); host != kNone && !isDone[host]; host = m_parent[host]) {
                isDone[host] = 1;
                m_step[host] = m_steps.ofWork[at];
            }
    }

    /// The nearest host around a work's launch or, if that is unknown, its operator.
    uint32_t ownerOf(uint32_t at) const
    {
        if (m_work.launch[at] != DeviceWork::kNone)
            return known(m_nodeOf.at(m_work.launch[at], kNone));
        const uint32_t call = m_work.operation[at];
        return call == CallTree::kNone ? kNone : known(m_nodeOf.at(m_facts.calls().slice[call], kNone));
    }
    static uint32_t known(uint32_t host) { return host == kContextUnknown ? kNone : host; }

    void addEntries()
    {
        for (const auto &segment : m_trace.segments) {
            uint32_t host = firstFrom(m_slice, m_nodeOf.positions(), m_nodeOf.positions().of(*segment, 0));
            for (; host < hosts(); ++host) {
                const uint32_t at = segment->indexOf(SliceId(m_slice[host]));
                if (at == kNoRow)
                    break;
                m_lanes[segment->lane.value].push_back({m_start[host], m_trace.depthOf(*segment, at), host});
            }
        }
        SliceReader reader(m_trace);
        for (uint32_t at = 0; at < m_work.size(); ++at) {
            const auto entry = static_cast<uint32_t>(hosts() + at);
            const uint32_t owner = m_parent[entry] = ownerOf(at);
            const bool isLaunched = m_work.launch[at] != DeviceWork::kNone;
            const uint32_t from = isLaunched ? m_work.launch[at] : owner != kNone ? m_slice[owner] : m_work.slice[at];
            if (reader.seek(from))
                m_lanes[reader.lane().value].push_back({reader.start(), reader.depth() + 1, entry});
        }
    }

    uint32_t stepOf(uint32_t entry) const { return isHost(entry) ? m_step[entry] : m_steps.ofWork[workOf(entry)]; }

    /// Puts entries without a parent in their step below their lane in the step. A parent's number as m_parent is that
    /// of a host, or of a group behind all hosts.
    void findGroups()
    {
        BigVector<uint8_t> isSeen = filledVector(hosts(), uint8_t(0));
        SeededMap<uint64_t, uint32_t> numbers;
        for (uint32_t lane = 0; lane < m_lanes.size(); ++lane) {
            uint32_t last = kNone; // the last group; most entries without a parent have the same one
            for (const ShapeOrder &here : m_lanes[lane]) {
                throwIfStoppedAt(here.entry);
                const uint32_t step = stepOf(here.entry);
                if (isHost(here.entry))
                    isSeen[here.entry] = 1;
                // Only a damaged store has a parent that comes later.
                if (const uint32_t above = m_parent[here.entry];
                    above != kNone && above != here.entry && isSeen[above] && m_step[above] == step)
                    continue;
                if (last == kNone || m_groups[last].step != step) {
                    const auto [found, isNew] = numbers.emplace(uint64_t{step} << 32 | lane, m_groups.size());
                    if (isNew)
                        m_groups.push_back({step, lane});
                    last = found->second;
                }
                m_parent[here.entry] = static_cast<uint32_t>(hosts()) + last;
            }
        }
    }

    uint32_t groupLabel(uint32_t lane, bool hasMark)
    {
        if (m_trace.lanes[lane].kind != LaneKind::Stream)
            return m_labels.ofText(ShapeKind::Thread,
                                   hasMark ? "main thread" : threadShapeName(m_trace.laneName(LaneId(lane))));
        const std::string stream = m_trace.laneName(LaneId(lane)) + ", no launch";
        const int32_t device = m_trace.processes[m_trace.lanes[lane].process.value].device;
        return m_labels.ofText(ShapeKind::Stream,
                               m_work.devices.size() > 1 ? fmt::format("device {}, {}", device, stream) : stream);
    }

    /// The groups in the order of the tree: by step, then threads, that of the marks first, then streams.
    std::vector<uint32_t> orderedGroups()
    {
        std::vector<uint8_t> hasMark(m_lanes.size(), 0);
        SliceReader reader(m_trace);
        for (const StepSet::Step &step : m_steps.steps)
            if (step.slice.valid() && reader.seek(step.slice.value))
                hasMark[reader.lane().value] = 1;
        m_groupLabel.assign(m_lanes.size(), kNone);
        for (const Group &group : m_groups)
            if (m_groupLabel[group.lane] == kNone)
                m_groupLabel[group.lane] = groupLabel(group.lane, hasMark[group.lane]);
        std::vector<uint32_t> order(m_groups.size());
        std::iota(order.begin(), order.end(), 0u);
        stoppableSort(order, [&](uint32_t a, uint32_t b) {
            const Group &one = m_groups[a], &other = m_groups[b];
            if (one.step != other.step)
                return one.step < other.step;
            const ShapeLabel &first = m_labels.made[m_groupLabel[one.lane]];
            const ShapeLabel &second = m_labels.made[m_groupLabel[other.lane]];
            return first.kind != second.kind                  ? first.kind < second.kind
                   : hasMark[one.lane] != hasMark[other.lane] ? hasMark[one.lane] > hasMark[other.lane]
                   : first.text != second.text                ? first.text < second.text
                                                              : one.lane < other.lane;
        });
        return order;
    }

    void place()
    {
        BigVector<uint32_t> nodes =
            filledVector(hosts(), 1u); // per host, the size of its subtree; later its next free place
        for (size_t lane = m_lanes.size(); lane-- > 0;)
            for (size_t at = m_lanes[lane].size(); at-- > 0;) {
                const uint32_t entry = m_lanes[lane][at].entry, above = m_parent[entry];
                (isHost(above) ? nodes[above] : m_groups[above - hosts()].nodes) += isHost(entry) ? nodes[entry] : 1;
            }
        const std::vector<uint32_t> order = orderedGroups();
        size_t all = 1 + m_steps.steps.size();
        const bool anyOutside = !order.empty() && m_groups[order.back()].step == kNone;
        all += anyOutside;
        for (const Group &group : m_groups)
            all += group.nodes;
        m_made.resize(all);
        addNode(0, kNone, kNone, m_labels.ofText(ShapeKind::Root, {}), all);
        uint32_t next = 1;
        auto group = order.begin();
        for (uint32_t step = 0; step < m_steps.steps.size() + anyOutside; ++step) {
            const bool isOutside = step == m_steps.steps.size();
            const uint32_t index = next++;
            for (; group != order.end() && (isOutside || m_groups[*group].step == step); ++group) {
                Group &here = m_groups[*group];
                addNode(next, index, kNone, m_groupLabel[here.lane], here.nodes);
                here.index = next;
                next += here.nodes;
                here.nodes = here.index + 1; // its next free place
            }
            addNode(index, 0, isOutside ? kNone : m_steps.steps[step].slice.value,
                    m_labels.ofText(ShapeKind::Step, std::string(isOutside ? kOutsideSteps : "step")), next - index);
            m_made.m_stepOf.push_back(isOutside ? kNone : step);
        }
        assert(next == all && group == order.end());
        placeEntries(nodes);
        Ns sum = 0;
        for (uint32_t node = 0; node < all; ++node) {
            m_made.before[node] = sum;
            if (m_made.work[node] != kNone)
                addWrapping(sum, m_work.duration(m_made.work[node]));
        }
        m_made.before[all] = sum;
        m_made.m_labels = std::make_shared<const std::vector<ShapeLabel>>(std::move(m_labels.made));
        m_made.addHashes();
    }

    void placeEntries(BigVector<uint32_t> &nodes)
    {
        BigVector<uint32_t> indexOf(hosts());
        for (const std::vector<ShapeOrder> &lane : m_lanes)
            for (const ShapeOrder &here : lane) {
                throwIfStoppedAt(here.entry);
                const uint32_t above = m_parent[here.entry];
                uint32_t &free = isHost(above) ? nodes[above] : m_groups[above - hosts()].nodes;
                const uint32_t aboveIndex = isHost(above) ? indexOf[above] : m_groups[above - hosts()].index;
                const uint32_t index = free;
                if (!isHost(here.entry)) {
                    const uint32_t at = workOf(here.entry);
                    free += 1;
                    addNode(index, aboveIndex, m_work.slice[at],
                            m_labels.ofName(kindOf(m_work.role[at]), m_work.name[at]), 1);
                    m_made.work[index] = at;
                    continue;
                }
                free += nodes[here.entry];
                addNode(index, aboveIndex, m_slice[here.entry], m_labels.ofName(m_kind[here.entry], m_name[here.entry]),
                        nodes[here.entry]);
                indexOf[here.entry] = index;
                nodes[here.entry] = index + 1;
            }
    }

    void addNode(uint32_t index, uint32_t parent, uint32_t slice, uint32_t label, size_t nodes)
    {
        m_made.end[index] = index + static_cast<uint32_t>(nodes);
        m_made.parent[index] = parent;
        m_made.slice[index] = slice;
        m_made.label[index] = label;
        m_made.work[index] = kNone;
    }

    CallShapes &m_made;
    const TraceFacts &m_facts;
    const Trace &m_trace;
    const DeviceWork &m_work;
    const StepSet &m_steps;
    ShapeLabels m_labels;
    PerSlice<uint32_t> m_nodeOf;  ///< the host that a slice is or is inside of
    BigVector<uint32_t> m_slice;  ///< per host: SliceId
    BigVector<Ns> m_start;        ///< per host
    BigVector<uint32_t> m_name;   ///< per host: StringId
    BigVector<ShapeKind> m_kind;  ///< per host
    BigVector<uint32_t> m_step;   ///< per host: its step, or kNone
    BigVector<uint32_t> m_parent; ///< per entry
    std::vector<std::vector<ShapeOrder>> m_lanes;
    std::vector<Group> m_groups;
    std::vector<uint32_t> m_groupLabel; ///< per lane
};

CallShapes::CallShapes(const TraceFacts &facts, const StepSet &steps, bool withModules)
{
    CallShapesBuilder(*this, facts, steps, withModules);
}

} // namespace riffle
