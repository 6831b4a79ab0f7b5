// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/trace_difference.h"

#include <algorithm>
#include <cstring>
#include <tuple>

namespace riffle::test {

namespace {

/// Compares tables by their bytes, so that NaNs are equal to themselves.
template <typename Table>
std::string tableDifference(const Table &a, const Table &b)
{
    std::string difference;
    const auto columns = [&](auto &...mine) {
        std::apply(
            [&](auto &...theirs) {
                size_t number = 0;
                const auto compare = [&](const auto &x, const auto &y) {
                    const bool same = x.size() == y.size() &&
                                      (x.empty() || std::memcmp(x.data(), y.data(), x.span().size_bytes()) == 0);
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

bool sameLinks(const LaunchLinks &a, const LaunchLinks &b)
{
    if (a.size() != b.size())
        return false;
    for (size_t link = 0; link < a.size(); ++link)
        if (a.launch(link) != b.launch(link) || a.work(link) != b.work(link))
            return false;
    return true;
}

bool same(const Lane &a, const Lane &b)
{
    return a.process == b.process && a.tid == b.tid && a.kind == b.kind && a.name == b.name &&
           a.sortIndex == b.sortIndex && a.segments == b.segments && a.rows == b.rows && a.slices == b.slices &&
           a.instantBegin == b.instantBegin && a.instantEnd == b.instantEnd && a.counterBegin == b.counterBegin &&
           a.counterEnd == b.counterEnd && a.span == b.span && a.empty == b.empty;
}

bool same(const Process &a, const Process &b)
{
    return a.pid == b.pid && a.name == b.name && a.labels == b.labels && a.sortIndex == b.sortIndex &&
           a.device == b.device;
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
            equal = mine.examples[at].offset == theirs.examples[at].offset &&
                    mine.examples[at].text == theirs.examples[at].text;
        if (!equal)
            return std::string("report of ") + ImportReport::name(kind) + ": " + std::to_string(mine.count) + ", " +
                   std::to_string(theirs.count);
    }
    return {};
}

namespace {

std::string laneText(const Trace &trace, uint32_t id)
{
    const Lane &lane = trace.lanes[id];
    return trace.processName(lane.process) + " / " + trace.laneName(LaneId(id)) + ' ' +
           std::to_string(static_cast<int>(lane.kind));
}

/// Compares tables whose strings and lanes may have different numbers.
class ContentComparison {
public:
    ContentComparison(const Trace &a, const Trace &b) : m_a(a), m_b(b) {}

    /// The meaning of the numbers in some columns, which are ids and not values.
    template <typename Table>
    struct Meaning {
        std::vector<Column<uint32_t> Table::*> texts;
        Column<uint32_t> Table::*lane = nullptr;
        std::vector<const void *> skipped; ///< columns of `a`
    };

    template <typename Table>
    void table(const Table &a, const Table &b, const Meaning<Table> &meaning = {})
    {
        std::apply(
            [&](auto &...mine) {
                std::apply(
                    [&](auto &...theirs) {
                        size_t number = 0;
                        (note(sameColumn(mine, theirs, a, meaning),
                              std::string(Table::kName) + ", column " + std::to_string(number++)),
                         ...);
                    },
                    b.members());
            },
            a.members());
    }
    void note(bool same, const std::string &what)
    {
        if (!same && m_difference.empty())
            m_difference = what;
    }
    const std::string &difference() const { return m_difference; }

private:
    template <typename T, typename Table>
    bool sameColumn(const Column<T> &mine, const Column<T> &theirs, const Table &table,
                    const Meaning<Table> &meaning) const
    {
        const void *column = &mine;
        if (mine.size() != theirs.size())
            return false;
        if (std::find(meaning.skipped.begin(), meaning.skipped.end(), column) != meaning.skipped.end())
            return true;
        if constexpr (std::is_same_v<T, uint32_t>) {
            const auto sameBy = [&](auto &&textOf) {
                for (size_t row = 0; row < mine.size(); ++row)
                    if (textOf(m_a, mine[row]) != textOf(m_b, theirs[row]))
                        return false;
                return true;
            };
            if (meaning.lane && column == &(table.*meaning.lane))
                return sameBy(laneText);
            for (const auto text : meaning.texts)
                if (column == &(table.*text))
                    return sameBy([](const Trace &trace, uint32_t id) { return trace.string(id); });
        }
        return mine.empty() || std::memcmp(mine.data(), theirs.data(), mine.span().size_bytes()) == 0;
    }

    const Trace &m_a, &m_b;
    std::string m_difference;
};

template <typename Table>
std::vector<const void *> placeColumns(const Table &table)
{
    return {&table.sourceOffset, &table.sourceLength};
}

/// The lanes that are shown, in words.
std::vector<std::string> lanesInWords(const Trace &trace)
{
    std::vector<std::string> words;
    for (uint32_t id = 0; id < trace.lanes.size(); ++id) {
        const Lane &lane = trace.lanes[id];
        const Process &process = trace.processes[lane.process.value];
        if (!lane.empty)
            words.push_back(laneText(trace, id) + ' ' + std::to_string(lane.slices) + ' ' +
                            std::to_string(lane.sortIndex) + ' ' + std::to_string(process.sortIndex) + ' ' +
                            std::string(trace.string(process.labels.value)));
    }
    return words;
}

/// The rows of the flows in an order that does not depend on the numbers of their categories.
auto flowRows(const Trace &trace)
{
    std::vector<std::tuple<std::string_view, int64_t, Ns, std::string, uint32_t, char, uint8_t>> rows;
    const FlowTable &flows = trace.flows;
    for (size_t row = 0; row < flows.time.size(); ++row)
        rows.emplace_back(trace.string(flows.category[row]), flows.id[row], flows.time[row],
                          laneText(trace, flows.lane[row]), flows.slice[row], flows.phase[row], flows.enclosing[row]);
    std::sort(rows.begin(), rows.end());
    return rows;
}

void compareDetails(ContentComparison &comparison, const SideTables &a, const SideTables &b)
{
    comparison.table(a.operators, b.operators);
    comparison.table(a.python, b.python);
    comparison.table(a.device, b.device);
    comparison.table(a.collectives, b.collectives,
                     {{&CollectiveTable::operation, &CollectiveTable::dataType, &CollectiveTable::group,
                       &CollectiveTable::groupDescription, &CollectiveTable::groupRanks},
                      nullptr,
                      {}});
    comparison.table(a.syncs, b.syncs, {{&SyncTable::kind}, nullptr, {}});
}

} // namespace

std::string contentDifference(const Trace &a, const Trace &b)
{
    ContentComparison comparison(a, b);
    comparison.note(a.info.baseTimeNs == b.info.baseTimeNs && a.info.rank == b.info.rank &&
                        a.info.worldSize == b.info.worldSize,
                    "what the file says about itself");
    comparison.note(a.info.recorded == b.info.recorded && a.span == b.span, "span");
    comparison.note(a.info.part == b.info.part && a.info.partSteps == b.info.partSteps, "part");
    comparison.note(lanesInWords(a) == lanesInWords(b), "lanes");
    comparison.note(a.segments.size() == b.segments.size(), "segments");
    for (size_t at = 0; at < a.segments.size() && at < b.segments.size(); ++at) {
        const SliceTable &mine = a.segments[at]->slices, &theirs = b.segments[at]->slices;
        std::vector<const void *> skipped = placeColumns(mine);
        skipped.push_back(&mine.flags);
        comparison.table(mine, theirs, {{&SliceTable::name, &SliceTable::category}, nullptr, skipped});
        comparison.note(
            std::equal(mine.flags.begin(), mine.flags.end(), theirs.flags.begin(), theirs.flags.end(),
                       [](uint16_t x, uint16_t y) { return (x | slice_flag::Repaired) == (y | slice_flag::Repaired); }),
            "flags");
        comparison.table(a.segments[at]->nesting, b.segments[at]->nesting);
        compareDetails(comparison, *a.segments[at], *b.segments[at]);
    }
    comparison.table(a.memory, b.memory, {{}, &MemoryTable::lane, placeColumns(a.memory)});
    comparison.table(a.instants, b.instants,
                     {{&InstantTable::name, &InstantTable::category}, &InstantTable::lane, placeColumns(a.instants)});
    comparison.table(a.counters, b.counters, {{&CounterTable::series}, &CounterTable::lane, placeColumns(a.counters)});
    comparison.note(flowRows(a) == flowRows(b), "flows");
    return comparison.difference();
}

std::string traceDifference(const Trace &a, const Trace &b)
{
    if (a.sliceCount() != b.sliceCount())
        return "slices: " + std::to_string(a.sliceCount()) + ", " + std::to_string(b.sliceCount());
    if (a.info.events != b.info.events || a.info.eventsByPhase != b.info.eventsByPhase)
        return "events: " + std::to_string(a.info.events) + ", " + std::to_string(b.info.events);
    if (std::string difference = reportDifference(a.report, b.report); !difference.empty())
        return difference;
    if (a.info.format != b.info.format || a.info.metadata != b.info.metadata ||
        a.info.baseTimeNs != b.info.baseTimeNs || a.info.rank != b.info.rank || a.info.worldSize != b.info.worldSize)
        return "what the file says about itself";
    if (a.info.recorded != b.info.recorded || a.span != b.span)
        return "span";
    if (a.strings.count() != b.strings.count())
        return "strings";
    for (uint32_t id = 0; id < a.strings.count(); ++id)
        if (a.string(id) != b.string(id))
            return "string " + std::to_string(id);
    for (std::string difference :
         {listDifference("processes", a.processes, b.processes), listDifference("lanes", a.lanes, b.lanes),
          listDifference("steps", a.steps, b.steps)})
        if (!difference.empty())
            return difference;
    if (a.segments.size() != b.segments.size())
        return "segments";
    for (size_t i = 0; i < a.segments.size(); ++i) {
        const Segment &mine = *a.segments[i], &theirs = *b.segments[i];
        std::string difference =
            tableDifference(mine.slices, theirs.slices) + tableDifference(mine.nesting, theirs.nesting) +
            tableDifference(mine.operators, theirs.operators) + tableDifference(mine.python, theirs.python) +
            tableDifference(mine.device, theirs.device) + tableDifference(mine.collectives, theirs.collectives) +
            tableDifference(mine.syncs, theirs.syncs);
        if (mine.lane != theirs.lane || mine.firstSlice != theirs.firstSlice || mine.span != theirs.span ||
            !same(mine.rowBegin, theirs.rowBegin) || !difference.empty())
            return "segment " + std::to_string(i) + ": " + difference;
    }
    for (std::string difference : {tableDifference(a.memory, b.memory), tableDifference(a.instants, b.instants),
                                   tableDifference(a.counters, b.counters), tableDifference(a.flows, b.flows)})
        if (!difference.empty())
            return difference;
    return same(a.flowsBySlice, b.flowsBySlice) && sameLinks(a.launches, b.launches) ? "" : "links";
}

} // namespace riffle::test
