// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/report_steps.h"

#include "model/analysis/summary/figures.h"
#include "model/base/format.h"
#include "model/layout/chart_scale.h"
#include "model/layout/timeline_svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

namespace riffle::cli {

namespace {

constexpr size_t kMostBars = 240;
constexpr int kWidth = 1200, kTop = 14, kHeight = 180, kFoot = 16, kAxis = 60;

/// A letter for each role, so that readers do not depend on the colours.
constexpr std::array<char, kRoles> kLetters{'K', 'M', 'S', 'C', 'R', 'D', 'P', 'O'};

struct Bar {
    std::string trace; ///< empty if there is only one
    std::string step;
    Breakdown parts{};
    Ns length = 0;
};

struct StepGroup {
    std::string label;
    std::vector<Bar> bars;
};

/// The steps of all traces by their number, with at most kMostBars bars. `left` becomes the number of steps left out,
/// `unfinished` that of steps without an end.
std::vector<StepGroup> groupsOf(const SetFacts &facts, size_t *left, size_t *unfinished)
{
    std::map<int64_t, std::vector<std::pair<size_t, uint32_t>>> byNumber; // place of a scope and its step
    std::vector<Scope> scopes;
    scopes.reserve(facts.size());
    for (const LoadedTrace &member : facts.set().loaded()) {
        const Scope &scope = scopes.emplace_back(facts.of(member.id), ScopeRequest{}, member.id);
        for (uint32_t step = 0; step < scope.steps().steps.size(); ++step) {
            if (!scope.hasStep(step))
                continue;
            if (!scope.steps().steps[step].ended)
                ++*unfinished; // its bar would end with the trace and make all others invisible
            else
                byNumber[scope.steps().marked ? scope.steps().steps[step].number : -1].emplace_back(scopes.size() - 1,
                                                                                                    step);
        }
    }
    std::vector<StepGroup> groups;
    size_t bars = 0;
    for (const auto &[number, members] : byNumber) {
        if (!groups.empty() && bars + members.size() > kMostBars)
            break;
        StepGroup &group = groups.emplace_back();
        group.label = number < 0 ? "all" : std::to_string(number);
        for (const auto &[place, step] : members) {
            const Scope &scope = scopes[place];
            const TimeSpan span = scope.stepSpan(step);
            group.bars.push_back({facts.size() > 1 ? facts.set().title(scope.trace()) : std::string(),
                                  scope.steps().steps[step].name, breakdownOf(scope.facts(), span), span.duration()});
        }
        bars += members.size();
    }
    *left = byNumber.size() - groups.size();
    return groups;
}

std::string axisText(Ns longest)
{
    std::string body;
    const double step = std::max(1.0, roundStep(static_cast<double>(longest), 4));
    for (double tick = 0; tick <= static_cast<double>(longest); tick += step) {
        const double y = kTop + kHeight * (1 - tick / static_cast<double>(longest));
        body += fmt::format("<line x1=\"{0}\" x2=\"{1}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\" class=\"axis\"/><text x=\"0\" "
                            "y=\"{3:.1f}\">{4}</text>\n",
                            kAxis, kWidth, y, y + 3, formatTick(static_cast<Ns>(tick), static_cast<Ns>(step)));
    }
    return body;
}

std::string barText(const Bar &bar, double x, double wide, Ns longest)
{
    std::string body;
    const std::string name = escapedXml(bar.trace.empty() ? bar.step : bar.trace + ", " + bar.step);
    double y = kTop + kHeight;
    for (size_t role = 0; role < kRoles; ++role) {
        const double height = kHeight * static_cast<double>(bar.parts[role]) / static_cast<double>(longest);
        y -= height;
        if (height > 0)
            body +=
                fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.2f}\" "
                            "class=\"r{}\"><title>{}: {} {}</title></rect>\n",
                            x, y, wide, height, role, name, kRoleTexts[role].title, formatDuration(bar.parts[role]));
        if (height >= 12 && wide >= 12)
            body += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"letter onr{}\">{}</text>\n", x + wide / 2,
                                y + height / 2 + 4, role, kLetters[role]);
    }
    return body;
}

} // namespace

std::string stepChart(const SetFacts &facts)
{
    size_t left = 0, unfinished = 0;
    const std::vector<StepGroup> groups = groupsOf(facts, &left, &unfinished);
    Ns longest = 1;
    size_t slots = 1;
    for (const StepGroup &group : groups) {
        slots += group.bars.size() + (facts.size() > 1 ? 1 : 0); // a gap between the steps
        for (const Bar &bar : group.bars)
            longest = std::max(longest, bar.length);
    }
    const double slot = std::min(90.0, static_cast<double>(kWidth - kAxis) / static_cast<double>(slots));
    std::string body = axisText(longest);
    double x = kAxis;
    for (const StepGroup &group : groups) {
        const double begin = x;
        for (const Bar &bar : group.bars) {
            body += barText(bar, x + slot / 20, std::max(0.5, slot * 0.9), longest);
            x += slot;
        }
        if (x - begin >= 26)
            body += fmt::format("<text x=\"{:.1f}\" y=\"{}\" class=\"letter\">{}</text>\n", (begin + x) / 2,
                                kTop + kHeight + kFoot - 4, group.label);
        x += facts.size() > 1 ? slot : 0;
    }
    std::string key;
    for (size_t role = 0; role < kRoles; ++role)
        key +=
            fmt::format("<span class=\"key\"><i style=\"background:var(--r{0});color:var(--onr{0})\">{1}</i>{2}</span>",
                        role, kLetters[role], kRoleTexts[role].title);
    std::string out = fmt::format("<p>{}</p>\n<div class=\"wide\"><svg viewBox=\"0 0 {} {}\" width=\"{}\" role=\"img\" "
                                  "aria-label=\"Steps\">\n{}</svg></div>\n",
                                  key, kWidth, kTop + kHeight + kFoot, kWidth, body);
    if (facts.size() > 1)
        out += fmt::format("<p class=\"note\">Each step has a bar per trace, from {} to {}.</p>\n",
                           escapedXml(facts.set().title(facts.set().loaded().front().id)),
                           escapedXml(facts.set().title(facts.set().loaded().back().id)));
    if (unfinished > 0)
        out += fmt::format("<p class=\"note\">{}</p>\n", escapedXml(unfinishedStepsNote(unfinished)));
    if (left > 0)
        out += fmt::format("<p class=\"note\">Only the first {} of {} steps are shown.</p>\n", groups.size(),
                           groups.size() + left);
    return out;
}

} // namespace riffle::cli
