// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/summary/timed_rows.h"

#include "model/analysis/table/table_builder.h"
#include "model/base/filled_vector.h"
#include "model/base/rounding.h"
#include "model/base/stopping.h"

namespace riffle {

namespace {

void addSide(TableBuilder<TimedRow> &build, const CallTimes TimedRow::*side, const double TimedRow::*share,
             const std::string &key, const std::string &title, const std::string &what, const char *shareWhat)
{
    ResultColumn &total = build.time(key + "_total_ns", title + " total", "Summed time " + what + ".",
                                     [side](const TimedRow &row) { return (row.*side).total; });
    total.barred = true;
    build.time(key + "_average_ns", title + " average", title + " total / calls.", [side](const TimedRow &row) {
        const CallTimes &times = row.*side;
        return times.calls ? roundedQuotient(times.total, static_cast<int64_t>(times.calls)) : kNoInt;
    });
    build.time(key + "_max_ns", title + " maximum", "The longest call.",
               [side](const TimedRow &row) { return (row.*side).longest; });
    build.time(key + "_min_ns", title + " minimum", "The shortest call.",
               [side](const TimedRow &row) { return (row.*side).shortest; });
    build.share(key + "_share", title + " share", shareWhat, [share](const TimedRow &row) { return row.*share; });
}

} // namespace

ResultTable timedTable(const std::vector<TimedRow> &rows, const TimedTexts &texts, bool byThread)
{
    ResultTable table;
    TableBuilder<TimedRow> build(table, rows);
    if (byThread)
        build.text("thread", "Thread", "The thread that the calls ran on.",
                   [](const TimedRow &row) { return row.thread; });
    build.names("name", "Name", texts.name, [](const TimedRow &row) { return row.name; });
    build.count("calls", "Calls", "Calls that start inside the selection.",
                [](const TimedRow &row) { return row.calls; });
    addSide(build, &TimedRow::host, &TimedRow::hostShare, "host", "Host", "of the calls on the host", texts.hostShare);
    addSide(build, &TimedRow::device, &TimedRow::deviceShare, "device", "Device", texts.device, texts.deviceShare);
    bool isTree = false;
    for (const TimedRow &row : rows) {
        table.depth.push_back(row.depth);
        table.evidence.push_back(row.longest);
        isTree |= row.depth > 0;
    }
    if (!isTree)
        table.depth.clear();
    return table;
}

BigVector<Ns> nodeDeviceTimes(const Scope &scope)
{
    const HostNodes &nodes = scope.facts().nodes();
    const DeviceWork &work = scope.facts().work();
    BigVector<Ns> times = filledVector(nodes.size(), Ns{0});
    for (uint32_t at = 0; at < work.size(); ++at) {
        throwIfStoppedAt(at);
        if (scope.launches(at))
            for (uint32_t node = nodes.ofWork[at]; node != HostNodes::kNone; node = nodes.parent[node])
                times[node] += work.duration(at);
    }
    return times;
}

} // namespace riffle
