// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/slice/slice_card.h"

#include "model/analysis/facts/kernel_names.h"
#include "model/analysis/facts/trace_facts.h"
#include "model/analysis/slice/slice_details.h"
#include "model/base/format.h"

#include <algorithm>
#include <cmath>

namespace riffle {

namespace {

using Unit = CardRow::Unit;

constexpr size_t kMostShapes = 4; ///< inputs of an operator whose shapes are named

std::string textOf(Unit unit, double number)
{
    switch (unit) {
    case Unit::None: break;
    case Unit::Duration: return formatDuration(static_cast<Ns>(number));
    case Unit::Bytes: return formatBytes(static_cast<int64_t>(number));
    case Unit::PerSecond: return formatNumber(number) + " GB/s";
    case Unit::Count: return formatCount(static_cast<int64_t>(number));
    }
    return {};
}

/// Collects rows up to the limit.
class Rows {
public:
    explicit Rows(SliceCard &card) : m_card(card) {}

    void text(const char *label, std::string text)
    {
        if (!text.empty() && m_card.rows.size() < SliceCard::kMostRows)
            m_card.rows.push_back({label, std::move(text), Unit::None, 0});
    }
    void number(const char *label, Unit unit, double number, const std::string &more = {})
    {
        if (m_card.rows.size() < SliceCard::kMostRows)
            m_card.rows.push_back({label, textOf(unit, number) + more, unit, number});
    }

private:
    SliceCard &m_card;
};

std::string oddText(uint16_t flags)
{
    if (flags & slice_flag::Unfinished)
        return "without an end; drawn to the end of the trace";
    return flags & slice_flag::Crossing ? "crosses another slice in its lane" : "";
}

/// ", 4.1 % of step 16": a slice's share of the step in which it starts.
std::string shareOfStep(const Slice &slice, std::span<const Step> steps)
{
    const auto after =
        std::ranges::upper_bound(steps, slice.data.start, {}, [](const Step &step) { return step.span.begin; });
    if (after == steps.begin())
        return {};
    const Step &step = *(after - 1);
    if (step.slice == slice.id || !step.span.contains(slice.data.start) || step.span.duration() <= 0)
        return {};
    const double share = static_cast<double>(slice.data.duration) / static_cast<double>(step.span.duration());
    return share > 1 ? std::string() : ", " + formatShare(share) + " of step " + std::to_string(step.number);
}

std::string nameOf(const Trace &trace, SliceId id)
{
    const auto slice = trace.slice(id);
    return slice ? std::string(trace.string(slice->data.name)) : std::string();
}

std::string moduleName(const Trace &trace, SliceId id)
{
    std::string name = nameOf(trace, id);
    constexpr std::string_view kPrefix = "nn.Module: ";
    return name.starts_with(kPrefix) ? name.substr(kPrefix.size()) : name;
}

/// "[32, 64] [64, 8]": the shapes of an operator's inputs that are tensors.
std::string shapesOf(const Trace &trace, SliceId operation)
{
    const auto slice = trace.slice(operation);
    if (!slice || !trace.source)
        return {};
    const auto arguments = trace.source->arguments({slice->data.sourceOffset, slice->data.sourceLength});
    if (!arguments) // the details tell why
        return {};
    std::string text;
    size_t shapes = 0;
    for (const TensorArgument &tensor : tensorArguments(*arguments)) {
        if (tensor.shape.empty() || tensor.shape == "[]")
            continue;
        if (++shapes > kMostShapes)
            return text + " …";
        text += (text.empty() ? "" : " ") + tensor.shape;
    }
    return text;
}

std::string sizesText(const std::array<int32_t, 3> &sizes)
{
    return std::to_string(sizes[0]) + "×" + std::to_string(sizes[1]) + "×" + std::to_string(sizes[2]);
}

const CollectiveCall *callWith(const TraceFacts &facts, SliceId kernel)
{
    const CollectiveCalls &all = facts.collectives();
    for (const CollectiveCall &call : all.calls)
        for (const uint32_t work : all.workOf(call))
            if (facts.work().slice[work] == kernel.value)
                return &call;
    return nullptr;
}

void addCollective(Rows &rows, const TraceFacts &facts, const CollectiveCall &call, Ns duration)
{
    if (call.bytes != kNoInt)
        rows.number("Size", Unit::Bytes, static_cast<double>(call.bytes));
    const CollectiveGroup &group = facts.collectives().groups[call.group];
    std::string text(group.description.empty() ? group.name : group.description);
    if (group.size != kNoInt)
        text += (text.empty() ? "" : ", ") + formatCounted(group.size, "rank", "ranks");
    rows.text("Group", text);
    if (call.bytes != kNoInt && call.bytes > 0 && duration > 0 && facts.collectives().workOf(call).size() == 1)
        rows.number("Rate", Unit::PerSecond, static_cast<double>(call.bytes) / static_cast<double>(duration));
}

void addDeviceWork(Rows &rows, const TraceFacts &facts, const Slice &slice, const DetailRow<DeviceTable> &detail)
{
    const Trace &trace = facts.trace();
    const SliceLinks links = linksOf(trace, slice.id, 1);
    const bool isCommunication = facts.workClasses()->of(slice.id.value) == WorkClass::Communication;
    if (const CollectiveCall *call = isCommunication ? callWith(facts, slice.id) : nullptr)
        addCollective(rows, facts, *call, slice.data.duration);
    if (const int64_t bytes = detail[&DeviceTable::bytes]; bytes != kNoInt && bytes >= 0) {
        rows.number("Size", Unit::Bytes, static_cast<double>(bytes));
        if (bytes > 0 && slice.data.duration > 0)
            rows.number("Rate", Unit::PerSecond, static_cast<double>(bytes) / static_cast<double>(slice.data.duration));
    }
    if (const auto launch = trace.slice(links.launch))
        rows.number("Launch delay", Unit::Duration, static_cast<double>(slice.data.start - launch->end()));
    rows.text("Operator", nameOf(trace, links.operation));
    rows.text(links.throughForward ? "Forward module" : "Module", moduleName(trace, links.module));
    rows.text("Shapes", shapesOf(trace, links.operation));
    if (const auto &grid = detail[&DeviceTable::grid], &block = detail[&DeviceTable::block];
        grid[0] > 0 && block[0] > 0) // absent ones are zero
        rows.text("Grid, block", sizesText(grid) + ", " + sizesText(block));
}

void addHostWork(Rows &rows, const TraceFacts &facts, const Slice &slice)
{
    const Trace &trace = facts.trace();
    const SliceLinks links = linksOf(trace, slice.id, 0);
    if (slice.self != slice.data.duration)
        rows.number("Self time", Unit::Duration, static_cast<double>(slice.self));
    if (links.deviceWorkCount > 0)
        rows.number("Device work", Unit::Duration, static_cast<double>(links.deviceTime),
                    " in " + formatCounted(static_cast<int64_t>(links.deviceWorkCount), "slice", "slices"));
    if (links.operation != slice.id)
        rows.text("Operator", nameOf(trace, links.operation));
    if (links.module != slice.id)
        rows.text(links.throughForward ? "Forward module" : "Module", moduleName(trace, links.module));
    if (isOperator(slice))
        rows.text("Shapes", shapesOf(trace, slice.id));
}

SliceCard makeCard(const Trace &trace, SliceId id, std::span<const Step> steps, const TraceFacts *facts)
{
    SliceCard card;
    const std::optional<Slice> slice = trace.slice(id);
    if (!slice)
        return card;
    const std::string_view name = trace.string(slice->data.name);
    const DetailRow<DeviceTable> detail = trace.detailOf(&Segment::device, id);
    card.name = detail ? shortKernelName(name) : std::string(name);
    Rows rows(card);
    rows.number("Duration", Unit::Duration, static_cast<double>(slice->data.duration), shareOfStep(*slice, steps));
    rows.text("Note", oddText(slice->data.flags));
    if (facts && detail)
        addDeviceWork(rows, *facts, *slice, detail);
    else if (facts)
        addHostWork(rows, *facts, *slice);
    rows.text("Lane", trace.laneName(slice->lane));
    return card;
}

} // namespace

SliceCard sliceCard(const Trace &trace, SliceId slice, std::span<const Step> steps)
{
    return makeCard(trace, slice, steps, nullptr);
}

SliceCard fullSliceCard(const TraceFacts &facts, SliceId slice, std::span<const Step> steps)
{
    return makeCard(facts.trace(), slice, steps, &facts);
}

std::string differenceText(const CardRow &row, const SliceCard &other)
{
    const auto found = std::ranges::find(other.rows, row.label, &CardRow::label);
    if (row.unit == Unit::None || found == other.rows.end() || found->unit != row.unit)
        return {};
    const double difference = row.number - found->number;
    if (difference == 0)
        return "same";
    std::string text = (difference > 0 ? "+" : "−") + textOf(row.unit, std::abs(difference));
    if (found->number > 0) {
        const double share = difference / found->number;
        text += std::string(" (") + (share > 0 ? "+" : "−") + formatShare(std::abs(share)) + ")";
    }
    return text;
}

} // namespace riffle
