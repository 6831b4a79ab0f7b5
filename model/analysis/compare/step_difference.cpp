// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0

// The difference of two windows, as the differences of their parts, which sum to it.

#include "model/analysis/compare/compare_views.h"
#include "model/analysis/compare/step_parts.h"
#include "model/analysis/table/change.h"
#include "model/base/format.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <utility>

namespace riffle {

namespace {

struct PartRow {
    const StepPart *part = nullptr; ///< null for the whole window
    std::string name, device = {};
    uint32_t depth = 1;
    Change time = {};
    Ns wholeDelta = 0; ///< of the window
};

std::string deviceText(const StepParts *a, const StepParts *b)
{
    const auto number = [](const StepParts *side) {
        return side && side->device ? "GPU" + std::to_string(*side->device) : std::string();
    };
    const std::string before = number(a), after = number(b);
    return before.empty() || before == after ? after : after.empty() ? before : before + " → " + after;
}

/// The rows of one device on both sides; null if a side does not have it.
std::vector<PartRow> rowsOf(const StepParts *a, const StepParts *b, const std::string &name)
{
    std::vector<PartRow> rows;
    const auto timeOf = [&](const StepPart &part) -> Change & {
        const auto found = std::ranges::find(rows, part.key, [](const PartRow &row) { return row.part->key; });
        return found != rows.end() ? found->time : rows.emplace_back(PartRow{&part, part.title}).time;
    };
    for (size_t at = 0; a && at < a->parts.size(); ++at)
        timeOf(a->parts[at]).a = a->parts[at].time;
    for (size_t at = 0; b && at < b->parts.size(); ++at)
        timeOf(b->parts[at]).b = b->parts[at].time;
    PartRow whole{nullptr, name, {}, 0, {a ? a->window : kNoInt, b ? b->window : kNoInt}};
    std::erase_if(rows, [](const PartRow &row) {
        return std::max<Ns>(row.time.a, 0) == 0 && std::max<Ns>(row.time.b, 0) == 0; // kNoInt is negative
    });
    std::stable_sort(rows.begin(), rows.end(), [](const PartRow &left, const PartRow &right) {
        const auto key = [](const PartRow &row) {
            const Ns delta = row.time.delta();
            return std::pair(delta < 0 ? -delta : delta, std::max(row.time.a, row.time.b));
        };
        return key(left) > key(right);
    });
    rows.insert(rows.begin(), std::move(whole));
    for (PartRow &row : rows) {
        row.device = deviceText(a, b);
        row.wholeDelta = rows.front().time.delta();
    }
    return rows;
}

std::string windowName(const Scope &a, const Scope &b)
{
    const auto steps = [](const Scope &scope) { return scope.steps().marked ? scope.chosenSteps() : 0; };
    const bool areWhole = !a.range() && !b.range();
    return !areWhole || steps(a) == 0 || steps(b) == 0 ? "Window" : steps(a) == 1 && steps(b) == 1 ? "Step" : "Steps";
}

} // namespace

ResultTable stepDifference(const LabelledScope &a, const LabelledScope &b)
{
    const std::vector<StepParts> before = stepParts(a.scope), after = stepParts(b.scope);
    const size_t devices = std::max(before.size(), after.size());
    std::vector<PartRow> rows;
    for (size_t at = 0; at < devices; ++at) {
        auto some = rowsOf(at < before.size() ? &before[at] : nullptr, at < after.size() ? &after[at] : nullptr,
                           windowName(a.scope, b.scope));
        rows.insert(rows.end(), std::make_move_iterator(some.begin()), std::make_move_iterator(some.end()));
    }
    ResultTable table;
    const std::span<const PartRow> all = rows;
    TableBuilder<PartRow> build(table, all);
    build.text("part", "Part", "A part of the time; the parts of a device are disjoint and sum to the first row.",
               [](const PartRow &row) { return row.name; });
    build
        .text("key", "Key", "The name of the part for programs.",
              [](const PartRow &row) { return row.part ? row.part->key : std::string("window"); })
        .hidden = true;
    build
        .text("device", "Device", "The device that sees the parts. Devices are paired in the order of their numbers.",
              [](const PartRow &row) { return row.device; })
        .hidden = devices < 2;
    addChange(table, all, "_ns", "", CellKind::Time, "Time of the part.", [](const PartRow &row) { return row.time; });
    TableBuilder<PartRow> rest(table, all);
    rest.share("of_delta", "Of Δ", "Δ / Δ of the first row: how much of the difference the part explains.",
               [](const PartRow &row) {
                   return row.wholeDelta == 0
                              ? std::nan("")
                              : static_cast<double>(row.time.delta()) / static_cast<double>(row.wholeDelta);
               })
        .isChange = true;
    table.column("of_delta")->summed = true;
    addState(table, all, [](const PartRow &row) {
        // A part without time is not there.
        const bool isInA = std::max<Ns>(row.time.a, 0) > 0, isInB = std::max<Ns>(row.time.b, 0) > 0;
        return stateOf(isInA, isInB, row.time.a == row.time.b);
    });
    rest.text("meaning", "Meaning", "",
              [](const PartRow &row) { return row.part ? row.part->meaning : "The time that is compared."; })
        .hidden = true;
    for (const PartRow &row : rows)
        table.depth.push_back(row.depth);
    const bool hasDevice[2] = {before.front().device.has_value(), after.front().device.has_value()};
    if (!hasDevice[0] || !hasDevice[1])
        table.notes.push_back((hasDevice[0] || hasDevice[1] ? (hasDevice[0] ? b.label : a.label) + " has"
                                                            : a.label + " and " + b.label + " have") +
                              " no device work, so the parts are those of the host.");
    if (before.size() != after.size())
        table.notes.push_back("A has " + formatCounted(static_cast<int64_t>(before.size()), "device", "devices") +
                              " and B " + std::to_string(after.size()) +
                              "; they are paired in the order of their "
                              "numbers.");
    return table;
}

} // namespace riffle
