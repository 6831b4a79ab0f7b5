// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/trace/store.h"
#include "model/trace/store_columns.h"
#include "model/trace/store_description.h"

#include <cassert>
#include <tuple>

namespace riffle {

namespace {

/// Points the tables at the trace's columns; the joined columns of the segments stay empty.
StoreTables tablesOf(const Trace &trace, std::string_view description, std::string_view resumeIndex)
{
    StoreTables tables;
    tables.memory = trace.memory;
    tables.instants = trace.instants;
    tables.counters = trace.counters;
    tables.flows = trace.flows;
    tables.flowsBySlice = trace.flowsBySlice;
    if (!trace.launches.runs().empty())
        tables.deviceByLaunch = trace.launches.runs().front()->byLaunch;
    tables.stringBytes = trace.strings.bytes;
    tables.stringBegins = trace.strings.begins;
    tables.description = Column<char>(nullptr, description.data(), description.size());
    tables.resumeIndex = Column<char>(nullptr, resumeIndex.data(), resumeIndex.size());
    return tables;
}

template <typename Part, typename Table>
void addSegmentTable(const Trace &trace, Table Part::*table, std::vector<StorePlan> &plans)
{
    const size_t first = plans.size();
    Table columns;
    std::apply([&](auto &...column) { (plans.emplace_back().add(column), ...); }, columns.members());
    for (const auto &segment : trace.segments) {
        size_t plan = first;
        std::apply([&](const auto &...column) { (plans[plan++].add(column), ...); }, ((*segment).*table).members());
    }
}

/// Returns the columns to write, in the order of StoreTables::visit().
std::vector<StorePlan> plansFor(const Trace &trace, StoreTables &tables)
{
    std::vector<StorePlan> plans;
    addSegmentTable(trace, &Segment::slices, plans);
    addSegmentTable(trace, &Segment::nesting, plans);
    StorePlan &rowBegins = plans.emplace_back();
    rowBegins.add(Column<uint32_t>());
    for (const auto &segment : trace.segments)
        rowBegins.add(segment->rowBegin);
    StorePlan &lod = plans.emplace_back();
    lod.add(Column<Ns>());
    for (const auto &segment : trace.segments) {
        assert(segment->ids.empty()); // traces that grow are never stored
        for (const Column<Ns> &level : segment->lod.levels)
            lod.add(level);
    }
    addSegmentTable(trace, &Segment::operators, plans);
    addSegmentTable(trace, &Segment::python, plans);
    addSegmentTable(trace, &Segment::device, plans);
    addSegmentTable(trace, &Segment::collectives, plans);
    addSegmentTable(trace, &Segment::syncs, plans);
    size_t visited = 0;
    const size_t done = plans.size();
    tables.visit([&](const char *, const auto &column) {
        if (visited++ >= done)
            plans.emplace_back().add(column);
    });
    return plans;
}

} // namespace

Result<uint64_t> writeStore(const Trace &trace, std::string_view resumeIndex, const SourceIdentity &source,
                            const std::string &storePath, Task task)
{
    if (trace.info.part && !trace.info.trimmedFile)
        return Error{"Only a part of the trace was read, so it is not stored.", storePath, std::nullopt};
    const std::string description = describeTrace(trace);
    StoreTables tables = tablesOf(trace, description, resumeIndex);
    return writeStoreColumns(storeKind(), plansFor(trace, tables), source, storePath, task);
}

} // namespace riffle
