// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/summary/area_summary.h"

#include "model/analysis/table/table_builder.h"
#include "model/base/ids.h"
#include "model/base/parallel.h"
#include "model/base/stopping.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <string_view>
#include <tuple>
#include <unordered_map>

namespace riffle {

namespace {

constexpr uint32_t kMixed = UINT32_MAX - 1;

/// Consecutive slices of one row that touch the range.
struct Run {
    const Segment *segment;
    uint32_t first;
    uint32_t last;
};

struct AreaSum {
    uint32_t name = kNoRow;
    uint32_t category = kNoRow;
    uint32_t longest = kNoRow;
    uint64_t count = 0;
    uint64_t cut = 0;
    Ns sum = 0;
    Ns minimum = std::numeric_limits<Ns>::max();
    Ns maximum = -1;
    Ns self = 0;

    void add(uint32_t slice, uint32_t categoryId, Ns duration, Ns own)
    {
        if (category != categoryId)
            category = category == kNoRow ? categoryId : kMixed;
        ++count;
        sum += duration;
        self += own;
        minimum = std::min(minimum, duration);
        if (duration > maximum) {
            maximum = duration;
            longest = slice;
        } else if (duration == maximum) {
            longest = std::min(longest, slice);
        }
    }

    void add(const AreaSum &other)
    {
        if (category != other.category)
            category = category == kNoRow ? other.category : kMixed;
        count += other.count;
        cut += other.cut;
        sum += other.sum;
        self += other.self;
        minimum = std::min(minimum, other.minimum);
        if (other.maximum > maximum || (other.maximum == maximum && other.longest < longest)) {
            maximum = other.maximum;
            longest = other.longest;
        }
    }
};

/// The sums of one trace by the StringId of the name: one slot per string, filled when the name first occurs.
class SumTable {
public:
    explicit SumTable(uint32_t names) : m_slots(names, kNoRow) {}

    AreaSum &of(uint32_t name)
    {
        if (name >= m_slots.size())
            name = 0;
        uint32_t &slot = m_slots[name];
        if (slot == kNoRow) {
            slot = static_cast<uint32_t>(m_sums.size());
            m_sums.push_back({});
            m_sums.back().name = name;
        }
        return m_sums[slot];
    }
    const std::vector<AreaSum> &sums() const { return m_sums; }

private:
    std::vector<uint32_t> m_slots;
    std::vector<AreaSum> m_sums;
};

/// The slices that extend beyond the range, by id, with the time that their children take inside it. There are few of
/// them, because only the first and the last slice of a run can extend beyond the range.
using Cuts = std::unordered_map<uint32_t, Ns>;

bool reachesBeyond(const Segment &segment, uint32_t row, TimeSpan span)
{
    return segment.slices.start[row] < span.begin || segment.end(row) > span.end;
}

std::vector<Run> runsOf(const Trace &trace, const std::vector<uint32_t> &lanes, TimeSpan span, Cuts &cuts)
{
    std::vector<Run> runs;
    for (const uint32_t lane : lanes) {
        for (const uint32_t index : trace.lanes[lane].segments) {
            if (index >= trace.segments.size())
                continue;
            const Segment &segment = *trace.segments[index];
            if (segment.span.begin > span.end || segment.span.end < span.begin)
                continue;
            for (uint32_t row = 0; row < segment.rows(); ++row) {
                const auto [first, last] = segment.overlapping(row, span);
                if (first >= last)
                    continue;
                runs.push_back({&segment, first, last});
                for (const uint32_t edge : {first, last - 1}) {
                    if (reachesBeyond(segment, edge, span))
                        cuts.emplace(segment.idAt(edge).value, 0);
                }
            }
        }
    }
    return runs;
}

/// Splits long runs, so that all workers can share one crowded row.
std::vector<Run> split(const std::vector<Run> &runs)
{
    constexpr uint32_t kPiece = 1u << 18;
    std::vector<Run> pieces;
    for (Run run : runs) {
        for (; run.last - run.first > kPiece; run.first += kPiece)
            pieces.push_back({run.segment, run.first, run.first + kPiece});
        pieces.push_back(run);
    }
    return pieces;
}

/// The time inside the range that is covered by a slice's children, which may overlap.
Ns coveredByChildren(const Trace &trace, SliceId parent, TimeSpan span)
{
    Ns covered = 0;
    Ns end = span.begin;
    for (const SliceId child : trace.children(parent)) { // in order of their start
        const auto slice = trace.slice(child);
        const TimeSpan own = TimeSpan{slice->data.start, slice->data.start + slice->data.duration}.clipped(span);
        covered += std::max<Ns>(0, own.end - std::max(end, own.begin));
        end = std::max(end, own.end);
    }
    return covered;
}

/// Measures the time that the children of the cut slices take inside the range, so that the slices' self time is exact.
void subtractChildren(const Trace &trace, const std::vector<Run> &runs, TimeSpan span, Cuts &cuts)
{
    std::atomic<size_t> next{0};
    std::vector<Cuts> parts(workerCount(), cuts);
    std::vector<std::vector<uint32_t>> tangled(parts.size()); // parents of crossing slices
    parallelFor(parts.size(), [&](size_t worker) {
        Cuts &part = parts[worker];
        for (size_t at = next++; at < runs.size(); at = next++) {
            throwIfStopped();
            const Run &run = runs[at];
            const SliceTable &slices = run.segment->slices;
            uint32_t parentBefore = kNoRow;
            Cuts::iterator found = part.end();
            for (uint32_t row = run.first; row < run.last; ++row) {
                const uint32_t parent = trace.parentOf(*run.segment, row).value;
                if (parent == kNoRow)
                    continue;
                if (parent != parentBefore) {
                    parentBefore = parent;
                    found = part.find(parent);
                }
                if (found == part.end())
                    continue;
                if (slices.flags[row] & slice_flag::Crossing)
                    tangled[worker].push_back(parent);
                else
                    found->second += TimeSpan{slices.start[row], run.segment->end(row)}.clipped(span).duration();
            }
        }
    });
    for (auto &[slice, taken] : cuts) {
        for (const Cuts &part : parts)
            taken += part.at(slice);
    }
    for (std::vector<uint32_t> &parents : tangled) {
        std::sort(parents.begin(), parents.end());
        parents.erase(std::unique(parents.begin(), parents.end()), parents.end());
        for (const uint32_t parent : parents)
            cuts.at(parent) = coveredByChildren(trace, SliceId(parent), span);
    }
}

/// The slices of a trace that are summed: those of the wanted classes, or all if `classes` is null.
struct Wanted {
    const WorkClasses *classes = nullptr;
    WorkClassSet wanted = 0;

    bool has(uint32_t slice) const { return !classes || classes->isOf(wanted, slice); }
};

void sumRun(const Trace &trace, const Run &run, TimeSpan span, const Cuts &cuts, const Wanted &wanted, SumTable &sums)
{
    const Segment &segment = *run.segment;
    const SliceTable &slices = segment.slices;
    for (uint32_t row = run.first; row < run.last; ++row) {
        throwIfStoppedAt(row);
        const uint32_t id = segment.idAt(row).value;
        if (!wanted.has(id))
            continue;
        AreaSum &sum = sums.of(slices.name[row]);
        if ((row != run.first && row + 1 != run.last) || !reachesBeyond(segment, row, span)) {
            sum.add(id, slices.category[row], slices.duration[row], trace.selfOf(segment, row));
            continue;
        }
        const Ns inside = TimeSpan{slices.start[row], segment.end(row)}.clipped(span).duration();
        const auto cut = cuts.find(id);
        const bool stream = slices.flags[row] & slice_flag::OnStream;
        const Ns taken = stream || cut == cuts.end() ? 0 : std::min(inside, cut->second);
        sum.add(id, slices.category[row], inside, inside - taken);
        ++sum.cut;
    }
}

std::vector<AreaSum> sumTrace(const Trace &trace, const std::vector<uint32_t> &lanes, TimeSpan span,
                              const Wanted &wanted)
{
    Cuts cuts;
    const std::vector<Run> runs = split(runsOf(trace, lanes, span, cuts));
    if (!cuts.empty())
        subtractChildren(trace, runs, span, cuts);

    std::vector<SumTable> tables(runs.empty() ? 0 : workerCount(), SumTable(trace.strings.count()));
    std::atomic<size_t> next{0};
    parallelFor(tables.size(), [&](size_t worker) {
        for (size_t at = next++; at < runs.size(); at = next++)
            sumRun(trace, runs[at], span, cuts, wanted, tables[worker]);
    });
    SumTable all(trace.strings.count());
    for (const SumTable &table : tables) {
        for (const AreaSum &sum : table.sums())
            all.of(sum.name).add(sum);
    }
    return all.sums();
}

AreaSummary::Row rowOf(const Trace &trace, TraceId id, const AreaSum &sum)
{
    AreaSummary::Row row;
    row.name = trace.string(sum.name);
    row.category = sum.category == kMixed ? std::string("…") : std::string(trace.string(sum.category));
    row.count = sum.count;
    row.cut = sum.cut;
    row.sum = sum.sum;
    row.minimum = sum.minimum;
    row.maximum = sum.maximum;
    row.self = sum.self;
    row.longest = {id, SliceId(sum.longest)};
    return row;
}

void mergeInto(AreaSummary::Row &row, const AreaSummary::Row &other)
{
    if (row.category != other.category)
        row.category = "…";
    row.count += other.count;
    row.cut += other.cut;
    row.sum += other.sum;
    row.self += other.self;
    row.minimum = std::min(row.minimum, other.minimum);
    if (other.maximum > row.maximum) {
        row.maximum = other.maximum;
        row.longest = other.longest;
    }
}

AreaSummary wholeSummary(const TraceSet &traces, TimeSpan span, std::span<const LaneRef> lanes,
                         const SlicesOfClasses &only)
{
    AreaSummary summary;
    summary.span = span;
    std::unordered_map<std::string, size_t> rowByName; // only used for sets of several traces
    for (const LoadedTrace &member : traces.loaded()) {
        std::vector<uint32_t> own;
        if (lanes.empty()) {
            for (uint32_t lane = 0; lane < member.trace->lanes.size(); ++lane)
                own.push_back(lane);
        }
        for (const LaneRef &lane : lanes) {
            if (lane.trace == member.id && lane.lane.value < member.trace->lanes.size())
                own.push_back(lane.lane.value);
        }
        std::sort(own.begin(), own.end());
        own.erase(std::unique(own.begin(), own.end()), own.end());
        summary.lanes += own.size();
        const Wanted wanted{only.wanted ? only.classes[member.id].get() : nullptr, only.wanted};
        for (const AreaSum &sum : sumTrace(*member.trace, own, member.time.toTrace(span), wanted)) {
            AreaSummary::Row row = rowOf(*member.trace, member.id, sum);
            summary.count += row.count;
            if (traces.size() > 1) {
                const auto [at, fresh] = rowByName.emplace(row.name, summary.rows.size());
                if (!fresh) {
                    mergeInto(summary.rows[at->second], row);
                    continue;
                }
            }
            summary.rows.push_back(std::move(row));
        }
    }
    std::ranges::sort(summary.rows, [](const auto &left, const auto &right) {
        return std::tuple(-left.self, -left.sum, std::string_view(left.name)) <
               std::tuple(-right.self, -right.sum, std::string_view(right.name));
    });
    summary.complete = true;
    return summary;
}

} // namespace

AreaSummary summarizeArea(const TraceSet &traces, TimeSpan span, std::span<const LaneRef> lanes, const Task &task,
                          const SlicesOfClasses &only)
{
    return untilStopped(task.stop, [&] { return wholeSummary(traces, span, lanes, only); }).value_or(AreaSummary());
}

ResultTable areaTable(const AreaSummary &summary)
{
    ResultTable table;
    table.view = "area";
    table.title = "Area";
    using Row = AreaSummary::Row;
    TableBuilder<AreaSummary::Row> columns(table, summary.rows);
    columns.names("name", "Name", {}, [](const Row &row) { return row.name; });
    columns.text("category", "Category", {}, [](const Row &row) { return row.category; });
    columns.count("count", "Count", "Slices that touch the range.", [](const Row &row) { return row.count; }).summed =
        true;
    ResultColumn &cut = columns.count("cut", "Cut", "Those of them that extend beyond the range.",
                                      [](const Row &row) { return row.cut; });
    cut.summed = cut.hidden = true;
    columns.time("sum_ns", "Sum", "Summed duration inside the range.", [](const Row &row) { return row.sum; }).barred =
        true;
    columns.time("average_ns", "Average", "Sum / count.", [](const Row &row) { return std::llround(row.average()); });
    columns.time("minimum_ns", "Minimum", "Shortest duration inside the range.",
                 [](const Row &row) { return row.minimum; });
    columns.time("maximum_ns", "Maximum", "Longest duration inside the range.",
                 [](const Row &row) { return row.maximum; });
    columns
        .time("self_ns", "Self", "Duration without the children, inside the range.",
              [](const Row &row) { return row.self; })
        .summed = true;
    columns.share("share", "Share of range",
                  "Sum / length of the range. Above 100 % if several slices run at the same time.",
                  [&](const Row &row) { return summary.share(row); });
    for (const Row &row : summary.rows)
        table.evidence.push_back(row.longest);
    return table;
}

} // namespace riffle
