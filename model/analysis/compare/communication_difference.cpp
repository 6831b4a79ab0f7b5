// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0

// Calls of collectives on both sides of a comparison, with the memory that was left for their buffers.

#include "model/analysis/compare/compare_views.h"
#include "model/analysis/compare/memory_fill.h"
#include "model/analysis/summary/collective_groups.h"
#include "model/analysis/table/change.h"
#include "model/base/rounding.h"
#include "model/base/stopping.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

namespace riffle {

namespace {

/// Calls of two runs are the same if this is equal. The name of the group is no part of it, because runs number their
/// groups.
struct CallKey {
    std::string operation, type;
    int64_t groupSize = kNoInt, bytes = kNoInt;
    auto operator<=>(const CallKey &) const = default;
};

struct SideOfCalls {
    CallGroup calls;
    std::set<std::string> groups; ///< the groups' descriptions, or names
    double fill = std::nan("");   ///< of the memory, the largest while the calls ran
};

struct CallRow {
    CallKey key;
    std::array<std::optional<SideOfCalls>, 2> sides;

    Change of(int64_t (*get)(const SideOfCalls &)) const
    {
        return {sides[0] ? get(*sides[0]) : kNoInt, sides[1] ? get(*sides[1]) : kNoInt};
    }
    Change calls() const
    {
        return of([](const SideOfCalls &side) { return side.calls.calls; });
    }
    Change time() const
    {
        return of([](const SideOfCalls &side) { return side.calls.time(); });
    }
    Change median() const
    {
        return of([](const SideOfCalls &side) {
            BigVector<Ns> times = side.calls.times; // is rearranged
            return times.empty() ? kNoInt : medianOf(times);
        });
    }
    std::string groups(size_t side) const
    {
        std::string all;
        if (sides[side])
            for (const std::string &name : sides[side]->groups)
                all += (all.empty() ? "" : ", ") + name;
        return all;
    }
};

using CallRows = std::map<CallKey, CallRow>;

/// The fill of the memory while the calls of each group ran.
std::vector<double> fillsOf(const Scope &scope, const CallGroups &groups, const MemoryFill &memory)
{
    std::vector<double> fills(groups.rows.size(), std::nan(""));
    if (!memory.isKnown())
        return fills;
    BigVector<std::pair<uint32_t, uint32_t>> links = groups.links;
    std::sort(links.begin(), links.end());
    const DeviceWork &work = scope.facts().work();
    for (size_t device = 0; device < work.devices.size(); ++device)
        for (uint32_t at = work.devices[device].first; at < work.devices[device].last; ++at) {
            throwIfStoppedAt(at);
            const auto link = std::lower_bound(links.begin(), links.end(), std::pair(work.slice[at], 0u));
            if (link == links.end() || link->first != work.slice[at])
                continue;
            double &fill = fills[link->second];
            fill = std::fmax(fill, memory.largest(device, work.span(at))); // ignores NaN
        }
    return fills;
}

void addSide(CallRows &rows, const Scope &scope, const MemoryFill &memory, size_t side)
{
    const CallGroups groups = callGroupsOf(scope);
    const std::vector<double> fills = fillsOf(scope, groups, memory);
    for (size_t at = 0; at < groups.rows.size(); ++at) {
        const CallGroup &group = groups.rows[at];
        const CallKey key{operationName(*group.call), std::string(group.call->dataType),
                          group.group->size < 1 ? kNoInt : group.group->size, group.call->bytes};
        CallRow &row = rows[key];
        row.key = key;
        std::optional<SideOfCalls> &own = row.sides[side];
        if (own)
            own->calls.add(group);
        else
            own = SideOfCalls{group, {}};
        own->fill = std::fmax(own->fill, fills[at]);
        if (const std::string name = groupName(*group.group); !name.empty())
            own->groups.insert(name);
    }
}

void addKeys(TableBuilder<CallRow> &build)
{
    build.text("operation", "Operation", "What the calls do, in the words of torch.distributed.",
               [](const CallRow &row) { return row.key.operation; });
    build.count("group_size", "Group size", "The number of ranks in the group.",
                [](const CallRow &row) { return row.key.groupSize; });
    build.text("type", "Type", "The type of the elements.", [](const CallRow &row) { return row.key.type; });
    build.integer("message_bytes", "Message", CellKind::Bytes, "The size of one call's message.",
                  [](const CallRow &row) { return row.key.bytes; });
    for (const size_t side : {size_t{0}, size_t{1}})
        build
            .text(side ? "groups_b" : "groups_a", side ? "B, Groups" : "A, Groups",
                  "The descriptions of the process groups, otherwise their names. Rows are not paired by them.",
                  [side](const CallRow &row) { return row.groups(side); })
            .hidden = true;
}

void addFill(TableBuilder<CallRow> &build, size_t side)
{
    build
        .share(side ? "memory_fill_b" : "memory_fill_a", side ? "B, Memory fill" : "A, Memory fill",
               "The most memory that PyTorch's allocator had reserved while the calls ran / memory of the device. If "
               "little is left, communication gets smaller buffers.",
               [side](const CallRow &row) { return row.sides[side] ? row.sides[side]->fill : std::nan(""); })
        .unnamed = "unknown";
}

ResultTable tableOf(const std::vector<CallRow> &rows)
{
    ResultTable table;
    const std::span<const CallRow> all = rows;
    TableBuilder<CallRow> build(table, all);
    addKeys(build);
    addChange(table, all, "time_ns", "Time", CellKind::Time,
              "Summed time of the kernels, or of the host if it carries the calls out. It includes the wait for other "
              "ranks.",
              [](const CallRow &row) { return row.time(); });
    addChange(table, all, "calls", "Calls", CellKind::Count, "Calls that start inside the part.",
              [](const CallRow &row) { return row.calls(); });
    for (const char *key : {"calls_delta", "calls_delta_share"})
        table.column(key)->hidden = true;
    TableBuilder<CallRow> rest(table, all);
    rest.time("median_a_ns", "A, Median", "The median of the calls' times on the device.",
              [](const CallRow &row) { return row.median().a; });
    rest.time("median_b_ns", "B, Median", "The median of the calls' times on the device.",
              [](const CallRow &row) { return row.median().b; });
    rest.number("median_ratio", "B / A", CellKind::Number, "Median of B / median of A.", [](const CallRow &row) {
        const Change median = row.median();
        return median.a == kNoInt || median.b == kNoInt ? std::nan("") : ratio(median.b, median.a);
    });
    addFill(rest, 0);
    addFill(rest, 1);
    addState(table, all, [](const CallRow &row) {
        const Change calls = row.calls(), time = row.time();
        return stateOf(row.sides[0].has_value(), row.sides[1].has_value(), calls.a == calls.b && time.a == time.b);
    });
    return table;
}

/// Says which sides have no memory fill, and how to record it.
std::string fillNote(const std::array<const LabelledScope *, 2> &sides, const std::array<MemoryFill, 2> &memories)
{
    std::string lacking;
    for (const size_t side : {size_t{0}, size_t{1}})
        if (!memories[side].isKnown())
            lacking += (lacking.empty() ? "" : " and ") + sides[side]->label;
    return lacking.empty() ? std::string()
                           : "The memory fill of " + lacking +
                                 " is unknown: the trace has no reserved memory of a device whose size is known "
                                 "(profile_memory=True records it).";
}

} // namespace

ResultTable communicationDifference(const LabelledScope &a, const LabelledScope &b)
{
    const std::array<const LabelledScope *, 2> sides{&a, &b};
    const std::array<MemoryFill, 2> memories{MemoryFill(a.scope.facts()), MemoryFill(b.scope.facts())};
    CallRows byKey;
    for (const size_t side : {size_t{0}, size_t{1}})
        addSide(byKey, sides[side]->scope, memories[side], side);
    std::vector<CallRow> rows;
    for (auto &[key, row] : byKey)
        rows.push_back(std::move(row));
    ResultTable table = tableOf(rows);
    for (const CallRow &row : rows) {
        const size_t side = row.sides[1] ? 1 : 0;
        table.evidence.push_back({sides[side]->scope.trace(), SliceId(row.sides[side]->calls.example)});
    }
    if (rows.empty()) {
        table.setEmpty(noCollectives(b.scope));
        return table;
    }
    table.keepRows(rowsBySize(table, *table.column("time_delta_ns")));
    addTotal(table, "Total");
    for (const char *key : {"memory_fill_a", "memory_fill_b"}) {
        std::vector<double> &fills = table.column(key)->numbers;
        for (const double fill : fills)
            fills.front() = std::fmax(fills.front(), fill); // ignores NaN
    }
    if (const std::string note = fillNote(sides, memories); !note.empty())
        table.notes.push_back(note);
    return table;
}

} // namespace riffle
