// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/trace_difference.h"

#include <cstring>

namespace riffle::test {

namespace {

/// Tables compare by their bytes, so that NaNs are equal to themselves.
template <typename Table>
std::string tableDifference(const Table &a, const Table &b)
{
    std::string difference;
    const auto columns = [&](auto &...mine) {
        std::apply(
            [&](auto &...theirs) {
                size_t number = 0;
                const auto compare = [&](const auto &x, const auto &y) {
                    const bool same = x.size() == y.size() && (x.empty() || std::memcmp(x.data(), y.data(), x.span().size_bytes()) == 0);
                    if (!same && difference.empty())
                        difference = std::string(Table::kName) + ", column " + std::to_string(number);
                    ++number;
                };
                (compare(mine, theirs), ...);
            },
            b.members());
    };
    std::apply(columns, a.members());
    return difference;
}

template <typename T>
bool same(const Column<T> &a, const Column<T> &b)
{
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

bool same(const Lane &a, const Lane &b)
{
    return a.process == b.process && a.tid == b.tid && a.kind == b.kind && a.name == b.name && a.sortIndex == b.sortIndex &&
           a.segments == b.segments && a.rows == b.rows && a.slices == b.slices && a.instantBegin == b.instantBegin &&
           a.instantEnd == b.instantEnd && a.counterBegin == b.counterBegin && a.counterEnd == b.counterEnd &&
           a.span == b.span && a.empty == b.empty;
}

bool same(const Process &a, const Process &b)
{
    return a.pid == b.pid && a.name == b.name && a.labels == b.labels && a.sortIndex == b.sortIndex && a.device == b.device;
}

bool same(const Step &a, const Step &b) { return a.number == b.number && a.slice == b.slice && a.span == b.span; }

template <typename T>
std::string listDifference(const char *what, const std::vector<T> &a, const std::vector<T> &b)
{
    if (a.size() != b.size())
        return "number of " + std::string(what) + ": " + std::to_string(a.size()) + ", " + std::to_string(b.size());
    for (size_t i = 0; i < a.size(); ++i)
        if (!same(a[i], b[i]))
            return std::string(what) + ' ' + std::to_string(i);
    return {};
}

} // namespace

std::string reportDifference(const ImportReport &a, const ImportReport &b)
{
    for (size_t i = 0; i < static_cast<size_t>(Trouble::Count); ++i) {
        const auto kind = static_cast<Trouble>(i);
        const TroubleCount &mine = a.of(kind), &theirs = b.of(kind);
        bool equal = mine.count == theirs.count && mine.examples.size() == theirs.examples.size();
        for (size_t at = 0; equal && at < mine.examples.size(); ++at)
            equal = mine.examples[at].offset == theirs.examples[at].offset && mine.examples[at].text == theirs.examples[at].text;
        if (!equal)
            return std::string("report of ") + ImportReport::name(kind) + ": " + std::to_string(mine.count) + ", " +
                   std::to_string(theirs.count);
    }
    return {};
}

std::string traceDifference(const Trace &a, const Trace &b)
{
    if (a.sliceCount() != b.sliceCount())
        return "slices: " + std::to_string(a.sliceCount()) + ", " + std::to_string(b.sliceCount());
    if (a.info.events != b.info.events || a.info.eventsByPhase != b.info.eventsByPhase)
        return "events: " + std::to_string(a.info.events) + ", " + std::to_string(b.info.events);
    if (std::string difference = reportDifference(a.report, b.report); !difference.empty())
        return difference;
    if (a.info.format != b.info.format || a.info.metadata != b.info.metadata || a.info.baseTimeNs != b.info.baseTimeNs ||
        a.info.rank != b.info.rank || a.info.worldSize != b.info.worldSize)
        return "what the file says about itself";
    if (a.info.recorded != b.info.recorded || a.span != b.span)
        return "span";
    if (a.strings.count() != b.strings.count())
        return "strings";
    for (uint32_t id = 0; id < a.strings.count(); ++id)
        if (a.string(id) != b.string(id))
            return "string " + std::to_string(id);
    for (std::string difference : {listDifference("processes", a.processes, b.processes), listDifference("lanes", a.lanes, b.lanes),
                                   listDifference("steps", a.steps, b.steps)})
        if (!difference.empty())
            return difference;
    if (a.segments.size() != b.segments.size())
        return "segments";
    for (size_t i = 0; i < a.segments.size(); ++i) {
        const Segment &mine = *a.segments[i], &theirs = *b.segments[i];
        std::string difference = tableDifference(mine.slices, theirs.slices) + tableDifference(mine.nesting, theirs.nesting);
        if (mine.lane != theirs.lane || mine.firstSlice != theirs.firstSlice || mine.span != theirs.span ||
            !same(mine.rowBegin, theirs.rowBegin) || !difference.empty())
            return "segment " + std::to_string(i) + ": " + difference;
    }
    for (std::string difference :
         {tableDifference(a.operators, b.operators), tableDifference(a.python, b.python), tableDifference(a.device, b.device),
          tableDifference(a.collectives, b.collectives), tableDifference(a.syncs, b.syncs), tableDifference(a.memory, b.memory),
          tableDifference(a.instants, b.instants), tableDifference(a.counters, b.counters), tableDifference(a.flows, b.flows)})
        if (!difference.empty())
            return difference;
    return same(a.flowsBySlice, b.flowsBySlice) && same(a.deviceByLaunch, b.deviceByLaunch) ? "" : "links";
}

} // namespace riffle::test
