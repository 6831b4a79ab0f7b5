// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/strip/strip_figures.h"

#include "model/analysis/idle/idle_gaps.h"
#include "model/base/rounding.h"
#include "views/common/look/qt_text.h"

#include <QCoreApplication>

#include <algorithm>
#include <map>
#include <string_view>

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
            if (!time->absent(row))
                m_sums[{section->texts[row], name->texts[row]}] += time->integers[row];
    }
    Ns of(std::string_view section, std::string_view name) const
    {
        const auto found = m_sums.find(std::pair(std::string(section), std::string(name)));
        return found == m_sums.end() ? 0 : found->second;
    }
    const std::map<std::pair<std::string, std::string>, Ns> &all() const { return m_sums; }

private:
    std::map<std::pair<std::string, std::string>, Ns> m_sums;
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
    const Ns window = sums.of("device", "window");
    if (window <= 0)
        return;
    const auto share = [window](Ns time) { return static_cast<double>(time) / static_cast<double>(window); };
    figures.busy = share(sums.of("device", "busy"));
    if (sums.of("device", "communication") > 0)
        figures.exposed = share(sums.of("device", "exposed_communication"));
    const Ns idle = sums.of("device", "idle");
    figures.idle = share(idle);
    for (const auto &[key, time] : sums.all())
        if (key.first == "idle" && static_cast<double>(time) > kSingleCause * static_cast<double>(idle) &&
            key.second != "unknown" && key.second != "nothing_recorded")
            figures.cause = causeTitle(key.second);
}

void addSteps(const ResultTable &steps, StripFigures &figures)
{
    const ResultColumn *duration = steps.column("duration_ns"), *name = steps.column("name"),
                       *unfinished = steps.column("unfinished");
    std::vector<Ns> ended;
    for (size_t row = 0; duration && row < steps.rows(); ++row) {
        if (duration->absent(row) || (unfinished && unfinished->integers[row]))
            continue;
        const Ns length = duration->integers[row];
        ended.push_back(length);
        figures.steps.push_back(static_cast<double>(length));
        if (figures.slowest && length <= *figures.slowest)
            continue;
        figures.slowest = length;
        figures.slowestStep = row < steps.evidence.size() ? steps.evidence[row] : SliceRef{};
        figures.slowestName = name ? toQString(name->texts[row]) : QString();
    }
    if (ended.empty())
        return;
    std::ranges::sort(ended);
    const size_t middle = ended.size() / 2;
    figures.step = ended.size() % 2 ? ended[middle] : roundedQuotient(ended[middle - 1] + ended[middle], 2);
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
