// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/summary/checks.h"

#include "model/analysis/memory/events/memory_events.h"
#include "model/analysis/summary/step_lookup.h"
#include "model/base/ascii.h"
#include "model/base/format.h"
#include "model/base/rounding.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <ranges>

namespace riffle {

namespace {

constexpr std::pair<std::string_view, Check::Compare> kComparisons[] = {
    {"<=", Check::Compare::AtMost}, {">=", Check::Compare::AtLeast}, {"==", Check::Compare::Equal},
    {"<", Check::Compare::Below},   {">", Check::Compare::Above},
};

std::optional<double> numberIn(std::string_view text)
{
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size() && std::isfinite(value) ? std::optional(value)
                                                                                            : std::nullopt;
}

std::string valueText(Check::Unit unit, double value)
{
    switch (unit) {
    case Check::Unit::Time: return formatDuration(std::llround(value));
    case Check::Unit::Share: return formatShare(value);
    case Check::Unit::Bytes: return formatBytes(std::llround(value));
    case Check::Unit::Number: break;
    }
    return value == std::floor(value) && std::abs(value) < 1e15 ? formatCount(std::llround(value))
                                                                : formatNumber(value);
}

const char *unitWord(Check::Unit unit)
{
    return unit == Check::Unit::Time    ? "a time (250ms)"
           : unit == Check::Unit::Share ? "a share (10%)"
           : unit == Check::Unit::Bytes ? "a size (10GiB)"
                                        : "a plain number";
}

bool fits(CellKind kind, Check::Unit unit)
{
    switch (kind) {
    case CellKind::Time:
    case CellKind::Moment: return unit == Check::Unit::Time;
    case CellKind::Share: return unit == Check::Unit::Share;
    case CellKind::Bytes: return unit == Check::Unit::Bytes || unit == Check::Unit::Number;
    case CellKind::Text: return false;
    default: return unit == Check::Unit::Number;
    }
}

CheckOutcome notRecorded(const ResultTable &table)
{
    return {false, "not recorded" + (!table.absence.empty() ? ": " + table.absence
                                     : !table.notes.empty() ? ": " + table.notes.front()
                                                            : std::string())};
}

template <typename T>
double middleOf(const std::vector<T> &sorted)
{
    if constexpr (std::is_same_v<T, int64_t>)
        return static_cast<double>(medianOfSorted(sorted));
    else
        return (sorted[(sorted.size() - 1) / 2] + sorted[sorted.size() / 2]) / 2;
}

/// The mean, median, min, max or sum (`of`) of some values; `whole` rounds the mean to a whole number, for times in ns.
/// Empty if there are no values, except for the sum.
template <typename T>
std::optional<double> aggregate(std::string_view of, std::vector<T> values, bool whole)
{
    const T sum = std::accumulate(values.begin(), values.end(), T{});
    if (of == "sum")
        return static_cast<double>(sum);
    if (values.empty())
        return std::nullopt;
    std::sort(values.begin(), values.end());
    if (of == "min" || of == "max")
        return static_cast<double>(of == "min" ? values.front() : values.back());
    if (of == "median")
        return middleOf(values);
    const auto count = static_cast<int64_t>(values.size());
    return whole ? static_cast<double>(roundedQuotient(static_cast<int64_t>(sum), count))
                 : static_cast<double>(sum) / static_cast<double>(count);
}

/// True if the row is a step that never ended, which counts nowhere (R14).
bool neverEnded(const ResultTable &table, size_t row)
{
    const ResultColumn *unfinished = table.view == "steps" ? table.column("unfinished") : nullptr;
    return unfinished && unfinished->integers[row];
}

/// The column that marks steps cut by a range, which do not count. Null for other views, and if the range cuts all
/// steps, which then do count.
const ResultColumn *cutColumn(const ResultTable &table)
{
    const ResultColumn *cuts = table.view == "steps" ? table.column("cut") : nullptr;
    for (size_t row = 0; cuts && row < cuts->size(); ++row)
        if (!cuts->integers[row] && !neverEnded(table, row))
            return cuts;
    return nullptr;
}

bool noStepEnded(const ResultTable &table)
{
    for (size_t row = 0; row < table.rows(); ++row)
        if (!neverEnded(table, row))
            return false;
    return table.rows() > 0;
}

std::optional<double> aggregate(std::string_view of, const ResultTable &table, const ResultColumn &column)
{
    const bool tree = of == "sum" && !table.depth.empty(); // its rows include the rows below them
    const ResultColumn *cuts = of != "sum" ? cutColumn(table) : nullptr;
    std::vector<int64_t> integers;
    std::vector<double> numbers;
    for (size_t row = 0; row < column.size(); ++row) {
        if (column.absent(row) || (tree && table.depth[row] > 0) || (cuts && cuts->integers[row]) ||
            neverEnded(table, row))
            continue;
        if (column.isInteger())
            integers.push_back(column.integers[row]);
        else
            numbers.push_back(column.numbers[row]);
    }
    return column.isInteger() ? aggregate(of, std::move(integers), column.kind == CellKind::Time)
                              : aggregate(of, std::move(numbers), false);
}

} // namespace

bool Check::holds(double value) const
{
    switch (compare) {
    case Compare::AtMost: return value <= limit;
    case Compare::Below: return value < limit;
    case Compare::AtLeast: return value >= limit;
    case Compare::Above: return value > limit;
    case Compare::Equal: return value == limit;
    }
    return false;
}

bool Check::isWorse(double value, double other) const
{
    if (compare == Compare::Equal)
        return holds(other);
    return compare == Compare::AtMost || compare == Compare::Below ? value > other : value < other;
}

std::string Check::text(double value) const { return valueText(unit, value); }

Error Check::wrong(const std::string &why) const { return {"'" + metric + "': " + why, {}, std::nullopt}; }

Error Check::wrongUnit() const { return wrong(std::string("The figure is not ") + unitWord(unit) + "."); }

Result<Check> parseCheck(std::string_view text)
{
    const size_t at = text.find_first_of("<>=");
    const Error wrong{
        fmt::format("'{}' is not a check. Write a figure, then <=, <, >=, > or ==, then a bound, as in idle<=10%.",
                    text),
        {},
        std::nullopt};
    if (at == text.npos)
        return wrong;
    const auto *const comparison = std::find_if(std::begin(kComparisons), std::end(kComparisons), [&](const auto &one) {
        return text.substr(at).starts_with(one.first);
    });
    Check check;
    check.metric = trimmed(text.substr(0, at));
    if (comparison == std::end(kComparisons) || check.metric.empty())
        return wrong;
    check.compare = comparison->second;
    std::string_view bound = trimmed(text.substr(at + comparison->first.size()));
    check.limitText = fmt::format("{} {}", comparison->first, bound);
    if (bound.ends_with('%')) {
        check.unit = Check::Unit::Share;
        bound.remove_suffix(1);
    }
    std::optional<double> limit = numberIn(trimmed(bound));
    if (limit && check.unit == Check::Unit::Share)
        *limit /= 100;
    if (!limit && check.unit == Check::Unit::Number && (bound.ends_with('B') || bound.ends_with('b'))) {
        check.unit = Check::Unit::Bytes;
        std::string size(bound);
        std::erase(size, ' ');                       // as in "10 GiB"
        const bool negative = size.starts_with('-'); // for growth
        if (const auto bytes = parseMemorySize(std::string_view(size).substr(negative)))
            limit = static_cast<double>(negative ? -*bytes : *bytes);
    }
    if (!limit && check.unit == Check::Unit::Number) { // not a bare number, which parseTime() would read as seconds
        check.unit = Check::Unit::Time;
        if (const auto time = parseTime(bound))
            limit = static_cast<double>(*time);
    }
    if (!limit)
        return wrong;
    check.limit = *limit;
    return check;
}

Result<const ResultTable *> CheckRunner::table(const std::string &view)
{
    if (const auto known = m_tables.find(view); known != m_tables.end())
        return &known->second;
    SummaryRequest request;
    request.view = view;
    request.scope = m_scope;
    Result<ResultTable> made = summarize(m_facts, request, {});
    if (!made)
        return made.error();
    return &m_tables.emplace(view, std::move(*made)).first->second;
}

bool CheckRunner::stepsAreMarked() const
{
    for (const TraceId member : m_facts.set().loadedOf({}))
        if (!m_facts.of(member).steps(m_scope.stepMark).marked)
            return false;
    return true;
}

Result<CheckOutcome> CheckRunner::ofOverview(const Check &check, std::string_view section, std::string_view name)
{
    const auto overview = table("overview");
    if (!overview)
        return overview.error();
    const ResultTable &table = **overview;
    const ResultColumn *sections = table.column("section"), *names = table.column("name"),
                       *devices = table.column("device");
    const ResultColumn *cells = table.column(check.unit == Check::Unit::Time    ? "time_ns"
                                             : check.unit == Check::Unit::Share ? "share"
                                                                                : "count");
    bool sectionSeen = false, nameSeen = false, otherUnit = false;
    std::optional<double> worst;
    size_t worstRow = 0;
    for (size_t row = 0; row < table.rows(); ++row) {
        if (sections->texts[row] != section)
            continue;
        sectionSeen = true;
        if (names->texts[row] != name)
            continue;
        nameSeen = true;
        for (const char *other : {"time_ns", "share", "count"})
            otherUnit |= !table.column(other)->absent(row);
        if (cells->absent(row))
            continue;
        const double value = cells->number(row);
        if (!worst || check.isWorse(value, *worst)) {
            worst = value;
            worstRow = row;
        }
    }
    if (section == "step" && !sectionSeen)
        return CheckOutcome{false, "no step ended"};
    if (sectionSeen && !nameSeen)
        return check.wrong("There is no such figure. Run summary --view overview to see all figures.");
    const bool ofBytes = name == "memory_bytes"; // the other counts are numbers of things
    if ((!worst && otherUnit) || (worst && check.unit == Check::Unit::Bytes && !ofBytes))
        return check.wrongUnit();
    if (!worst)
        return notRecorded(table);
    const bool severalDevices =
        std::count(names->texts.begin(), names->texts.end(), std::string(name)) > 1 && !devices->absent(worstRow);
    return CheckOutcome{check.holds(*worst),
                        check.text(*worst) + (severalDevices ? fmt::format(" on device {}", devices->integers[worstRow])
                                                             : std::string())};
}

Result<CheckOutcome> CheckRunner::ofColumn(const Check &check, const ResultTable &table, const std::string &key,
                                           std::string_view of)
{
    constexpr std::string_view kWords[] = {"mean", "median", "min", "max", "sum"};
    if (std::find(std::begin(kWords), std::end(kWords), of) == std::end(kWords))
        return check.wrong("The last word must be mean, median, min, max or sum.");
    const ResultColumn *column = table.column(key + "_ns");
    if (!column)
        column = table.column(key);
    if (!column && table.columns.empty())
        return notRecorded(table);
    if (!column)
        return check.wrong(fmt::format("The view {} has no column {}.", table.view, key));
    if (!fits(column->kind, check.unit))
        return check.wrongUnit();
    if (!table.absence.empty())
        return notRecorded(table);
    if (noStepEnded(table))
        return CheckOutcome{false, "no step ended"};
    const std::optional<double> value = aggregate(of, table, *column);
    return value ? CheckOutcome{check.holds(*value), check.text(*value)} : notRecorded(table);
}

Result<CheckOutcome> CheckRunner::ofRows(const Check &check, const ResultTable &table, const std::string &word)
{
    if (check.unit != Check::Unit::Number)
        return check.wrongUnit();
    int64_t rows = 0;
    for (size_t row = 0; row < table.rows(); ++row)
        rows += !neverEnded(table, row);
    if (word != "count") {
        if (word != "errors" && word != "warnings" && word != "hints")
            return check.wrong("The view findings has errors, warnings, hints and count.");
        const ResultColumn *severity = table.column("severity");
        rows =
            severity ? std::count(severity->texts.begin(), severity->texts.end(), word.substr(0, word.size() - 1)) : 0;
    } else if (!table.absence.empty()) {
        return notRecorded(table);
    }
    const auto value = static_cast<double>(rows);
    return CheckOutcome{check.holds(value), check.text(value)};
}

Result<CheckOutcome> CheckRunner::run(const Check &check)
{
    std::vector<std::string> words;
    for (const auto word : std::views::split(check.metric, '.'))
        words.emplace_back(word.begin(), word.end());
    if (words.size() == 1)
        return ofOverview(check, "device", words[0]);
    for (const char *section : {"trace", "step", "idle", "launches"})
        if (words.size() == 2 && words[0] == section) {
            if (words[0] == "step" && !stepsAreMarked())
                return CheckOutcome{false, "no steps are marked"};
            return ofOverview(check, words[0], words[1]);
        }
    if (!findSummaryView(words[0]) || words.size() > 3)
        return check.wrong("There is no such figure.");
    const auto made = table(words[0]);
    if (!made)
        return made.error();
    if (words[0] == "steps" && !stepsAreMarked())
        return CheckOutcome{false, "no steps are marked"};
    if (words.size() == 2 && (words[1] == "count" || words[0] == "findings"))
        return ofRows(check, **made, words[1]);
    if (words.size() == 2 && words[0] != "steps")
        return check.wrong("Write VIEW.COLUMN.mean, .median, .min, .max or .sum, or VIEW.count.");
    return ofColumn(check, **made, words.size() == 3 ? words[1] : "duration", words.back());
}

} // namespace riffle
