// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/report_style.h"

#include "model/layout/colours.h"
#include "model/layout/svg_text.h"

#include <fmt/format.h>

#include <span>

namespace riffle::cli {

namespace {

constexpr const char *kRules = R"(
body { font: 14px/1.45 system-ui, sans-serif; color: var(--text); background: var(--back); margin: 24px auto; max-width: 1240px; padding: 0 16px; }
h1 { font-size: 22px; overflow-wrap: anywhere; } h2 { font-size: 17px; margin: 32px 0 8px; border-bottom: 1px solid var(--line); }
h3 { font-size: 15px; margin: 20px 0 6px; }
.note { color: var(--dim); margin: 4px 0; } .wide { overflow-x: auto; } summary { color: var(--dim); cursor: pointer; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: 2px 10px; text-align: right; white-space: nowrap; border-bottom: 1px solid var(--line); }
th { background: var(--head); cursor: pointer; position: sticky; top: 0; } td { vertical-align: top; }
.t { text-align: left; } td.t { min-width: 110px; max-width: 420px; white-space: normal; overflow-wrap: anywhere; }
.p { text-align: left; min-width: 200px; white-space: normal; }
svg { max-width: 100%; height: auto; } svg text { font: 10px system-ui, sans-serif; fill: var(--text); } svg .axis { stroke: var(--line); }
svg .idle { fill: url(#idle); } svg .onidle { fill: var(--dim); } svg .idleline { stroke: var(--idle); } svg .heading { fill: var(--head); } svg .letter { text-anchor: middle; } svg .label, svg .letter { pointer-events: none; }
.key { display: inline-block; margin-right: 14px; } .key i { display: inline-block; width: 15px; font: 10px/15px system-ui, sans-serif; text-align: center; margin-right: 5px; }
)";

std::string variables(const char *styleClass, std::span<const ColourPair> colours, uint32_t ColourPair::*edition)
{
    std::string text;
    for (size_t at = 0; at < colours.size(); ++at) {
        const uint32_t colour = colours[at].*edition;
        text += fmt::format(" --{0}{1}: #{2:06x}; --on{0}{1}: #{3:06x};", styleClass, at, colour, inkOn(colour));
    }
    return text;
}

std::string classVariables(uint32_t ColourPair::*edition)
{
    std::string text = fmt::format(" --idle: #{:06x};", kIdleHatch.*edition);
    for (size_t at = 0; at < classFills().size(); ++at)
        text += fmt::format(" --k{0}: #{1:06x}; --onk{0}: #{2:06x};", at, classFills()[at].fill.*edition,
                            classFills()[at].text.*edition);
    return text;
}

std::string editionText(const char *others, uint32_t ColourPair::*edition)
{
    return fmt::format(":root {{ --back: #{:06x}; --text: #{:06x};{}{}{}{} }}", kPageColour.*edition, kPageInk.*edition,
                       others, classVariables(edition), variables("c", nameColours(), edition),
                       variables("r", seriesColours(), edition));
}

std::string classes(const char *styleClass, size_t count)
{
    std::string text;
    for (size_t at = 0; at < count; ++at)
        text += fmt::format("svg .{0}{1} {{ fill: var(--{0}{1}); }} svg .on{0}{1} {{ fill: var(--on{0}{1}); }}\n",
                            styleClass, at);
    return text;
}

} // namespace

std::string reportStyle()
{
    return "\n" +
           editionText(" color-scheme: light dark; --dim: #5c6873; --line: #d5dbe1;"
                       " --head: #eef1f4;",
                       &ColourPair::light) +
           "\n@media (prefers-color-scheme: dark) { " +
           editionText(" --dim: #9aa6b2; --line: #36414b; --head: #222a31;", &ColourPair::dark) + " }" + kRules +
           classes("k", classFills().size()) + classes("c", nameColours().size()) +
           classes("r", seriesColours().size());
}

} // namespace riffle::cli
