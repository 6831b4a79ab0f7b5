// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/strip/strip_figures.h"

#include "model/analysis/idle/idle_gaps.h"
#include "model/analysis/summary/whole_steps.h"
#include "model/base/rounding.h"
#include "views/common/look/qt_text.h"

#include <QCoreApplication>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace riffle {

namespace {

constexpr double kSingleCause = 0.5; ///< the share of the idle time from which on a cause is named

/// The times of an overview, summed over devices and traces.
class OverviewSums {
public:
    explicit OverviewSums(const ResultTable &overview)
    {
        const ResultColumn *section = overview.column("section"), *name = overview.column("name"),
                           *time = overview.column("time_ns");
        for (size_t row = 0; section && row < overview.rows(); ++row)
            if (!time->absent(row)) {
                Sum &sum = m_sums[{section->texts[row], name->texts[row]}];
                sum.time += time->integers[row];
                ++sum.devices;
            }
    }
    /// The share of the devices' windows; nothing if a device with a window does not have the figure.
    std::optional<double> share(const std::string &name) const
    {
        const auto found = m_sums.find({"device", name}), window = m_sums.find({"device", "window"});
        if (found == m_sums.end() || window == m_sums.end() || window->second.time <= 0 ||
            found->second.devices != window->second.devices)
            return std::nullopt;
        return static_cast<double>(found->second.time) / static_cast<double>(window->second.time);
    }
    /// The cause of most of the idle time; empty if there is no single one.
    std::string cause() const
    {
        const auto idle = m_sums.find({"device", "idle"});
        for (const auto &[key, sum] : m_sums)
            if (idle != m_sums.end() && key.first == "idle" && key.second != "unknown" &&
                key.second != "nothing_recorded" &&
                static_cast<double>(sum.time) > kSingleCause * static_cast<double>(idle->second.time))
                return key.second;
        return {};
    }

private:
    struct Sum {
        Ns time = 0;
        size_t devices = 0;
    };
    std::map<std::pair<std::string, std::string>, Sum> m_sums;
};

/// The title of a cause in the middle of a sentence: "launch latency", "DataLoader".
QString causeTitle(std::string_view key)
{
    for (size_t cause = 0; cause < kIdleCauses; ++cause)
        if (const IdleCauseText &text = textOf(static_cast<IdleCause>(cause)); key == text.key) {
            QString title =
                QCoreApplication::translate("riffle::Figures", text.title).section(QStringLiteral(": "), -1);
            if (title.mid(1) == title.mid(1).toLower()) // no name
                title[0] = title[0].toLower();
            return title;
        }
    return {};
}

void addDevices(const OverviewSums &sums, StripFigures &figures)
{
    figures.busy = sums.share("busy");
    figures.idle = sums.share("idle");
    if (sums.share("communication").value_or(0) > 0)
        figures.exposed = sums.share("exposed_communication");
    figures.cause = causeTitle(sums.cause());
}

Ns medianOf(std::vector<Ns> times)
{
    std::ranges::sort(times);
    const size_t middle = times.size() / 2;
    return times.size() % 2 ? times[middle] : roundedQuotient(times[middle - 1] + times[middle], 2);
}

void addSteps(const ResultTable &steps, StripFigures &figures)
{
    const ResultColumn *duration = steps.column("duration_ns"), *number = steps.column("step");
    std::vector<Ns> all;
    std::map<int64_t, std::vector<Ns>> byNumber;
    for (const size_t row : wholeSteps(steps)) {
        const Ns length = duration->integers[row];
        all.push_back(length);
        byNumber[number ? number->integers[row] : static_cast<int64_t>(row)].push_back(length);
        if (figures.slowest && length <= *figures.slowest)
            continue;
        figures.slowest = length;
        figures.slowestStep = row < steps.evidence.size() ? steps.evidence[row] : SliceRef{};
    }
    if (!figures.slowestStep.valid()) { // without marks, the whole trace counts as a step
        figures.slowest.reset();
        return;
    }
    if (!all.empty())
        figures.step = medianOf(std::move(all));
    for (auto &[step, times] : byNumber)
        figures.steps.push_back(static_cast<double>(medianOf(std::move(times))));
}

} // namespace

StripFigures stripFigures(const ResultTable &overview, const ResultTable &steps, const ResultTable &findings)
{
    StripFigures figures;
    addDevices(OverviewSums(overview), figures);
    addSteps(steps, figures);
    if (findings.absence.empty() || findings.rows() > 0)
        figures.findings = findings.rows();
    return figures;
}

} // namespace riffle
