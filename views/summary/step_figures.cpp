// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/facts/role.h"
#include "model/analysis/summary/whole_steps.h"
#include "model/base/format.h"
#include "views/common/chart/bar_chart.h"
#include "views/common/look/qt_text.h"
#include "views/summary/figures.h"

#include <QCoreApplication>

#include <algorithm>
#include <string>
#include <vector>

namespace riffle {

namespace {

struct StepWords {
    Q_DECLARE_TR_FUNCTIONS(riffle::Figures)
};

/// The colour of a part of a step: that of the class of its work.
ColourPair colourOf(const RoleText &role)
{
    const std::string_view key = role.key;
    if (key == "kernel")
        return classFills()[classFillRow(WorkClass::MatrixProducts)].fill;
    if (key == "memcpy")
        return classFills()[classFillRow(WorkClass::Copies, 0)].fill;
    if (key == "memset")
        return classFills()[classFillRow(WorkClass::Copies, 2)].fill;
    if (key == "communication")
        return classFills()[classFillRow(WorkClass::Communication)].fill;
    if (key == "dataloader")
        return classFills()[classFillRow(WorkClass::DataLoading)].fill;
    if (key == "runtime")
        return classFills()[classFillRow(WorkClass::Backward)].fill;
    if (key == "cpu")
        return classFills()[classFillRow(WorkClass::OtherHost)].fill;
    return kIdleHatch;
}

QString timeText(Ns time) { return toQString(formatDuration(time)); }

QString differenceText(Ns difference)
{
    return (difference > 0 ? QStringLiteral("+") : QString()) + timeText(difference);
}

const ResultColumn *partOf(const ResultTable &steps, const RoleText &role)
{
    return steps.column(std::string(role.key) + "_ns");
}

} // namespace

QString stepName(const ResultTable &steps, size_t row)
{
    const ResultColumn *traces = steps.column(kTraceColumn), *names = steps.column("name");
    const QString name = names ? toQString(names->texts[row]) : QString::number(row);
    const QString number =
        name.contains(QLatin1Char('#')) ? StepWords::tr("Step %1").arg(name.section(QLatin1Char('#'), -1)) : name;
    const bool isWhole = row < steps.evidence.size() && !steps.evidence[row].valid();
    if (isWhole)
        return traces ? toQString(traces->texts[row]) : StepWords::tr("Whole trace");
    return traces ? toQString(traces->texts[row]) + QStringLiteral(" · ") + number : number;
}

Figures stepParts(const ResultTable &steps)
{
    Figures figures;
    std::vector<size_t> rows = wholeSteps(steps);
    if (rows.empty())
        return figures;
    const ResultColumn &durations = *steps.column("duration_ns");
    std::ranges::stable_sort(rows, {}, [&](size_t row) { return durations.integers[row]; });
    const size_t median = rows[(rows.size() - 1) / 2], slowest = rows.back();
    const bool compares = durations.integers[slowest] > durations.integers[median];

    Figures::Column middle{rows.size() > 1 ? StepWords::tr("Median\n%1").arg(stepName(steps, median))
                                           : stepName(steps, median),
                           {},
                           {},
                           {}};
    Figures::Column slow{StepWords::tr("Slowest\n%1").arg(stepName(steps, slowest)), {}, {}, {}},
        difference{StepWords::tr("Difference"), {}, {}, {}};
    const Ns whole = durations.integers[median];
    const auto add = [&](const QString &title, const QString &meaning, ColourPair colour, Ns usual, Ns longest) {
        figures.titles += title;
        figures.meanings += meaning;
        figures.colours += colour;
        const double share = whole > 0 ? static_cast<double>(usual) / static_cast<double>(whole) : 0;
        middle.values += timeText(usual);
        middle.shares += toQString(formatShare(share));
        middle.bars += share;
        slow.values += timeText(longest);
        difference.values += differenceText(longest - usual);
    };
    for (const RoleText &role : kRoleTexts)
        if (const ResultColumn *part = partOf(steps, role);
            part && (part->integers[median] > 0 || part->integers[slowest] > 0))
            add(StepWords::tr(role.title), StepWords::tr(role.meaning), colourOf(role), part->integers[median],
                part->integers[slowest]);
    add(StepWords::tr("Sum"),
        StepWords::tr("The length of the step in the middle of all; of an even number, of the shorter of the two."), {},
        whole, durations.integers[slowest]);
    middle.bars.back() = 0;
    figures.hasSum = true;
    figures.columns += middle;
    if (compares)
        figures.columns += {slow, difference};
    return figures;
}

void setStepBars(BarChart *chart, const ResultTable &steps)
{
    const ResultColumn *unfinished = steps.column("unfinished");
    const auto neverEnded = [&](size_t row) { return unfinished && unfinished->integers[row]; };
    QStringList labels;
    for (size_t row = 0; row < steps.rows(); ++row) {
        labels += stepName(steps, row);
        if (neverEnded(row)) // its bar would reach to the end of the trace and make the others invisible
            labels.back() += QStringLiteral(", ") + StepWords::tr("never ended");
    }
    QList<BarChart::Series> series;
    for (const RoleText &role : kRoleTexts)
        if (const ResultColumn *part = partOf(steps, role)) {
            series.append({StepWords::tr(role.title), {}, colourOf(role)});
            for (size_t row = 0; row < steps.rows(); ++row)
                series.back().values.append(neverEnded(row) ? 0 : part->number(row));
        }
    series.removeIf([](const BarChart::Series &one) {
        return std::none_of(one.values.begin(), one.values.end(), [](double value) { return value > 0; });
    });
    chart->setTitle(StepWords::tr("Where the time of each step went"));
    chart->setUnit(CellKind::Time);
    chart->setBars(std::move(labels), std::move(series));
}

} // namespace riffle
