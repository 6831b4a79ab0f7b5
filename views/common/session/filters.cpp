// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/common/session/filters.h"

#include <algorithm>

namespace riffle {

Filters Filters::with(const Filters &others, std::span<const Part> parts) const
{
    Filters all = *this;
    for (const Part part : parts) {
        switch (part) {
        case Part::StepMark: all.stepMark = others.stepMark; break;
        case Part::FirstStep: all.withoutFirstStep = others.withoutFirstStep; break;
        case Part::Steps: all.steps = others.steps; break;
        case Part::Lanes: all.lanes = others.lanes; break;
        case Part::Traces: all.traces = others.traces; break;
        case Part::Name: all.name = others.name; break;
        case Part::WithoutNames: all.withoutNames = others.withoutNames; break;
        case Part::Text: all.text = others.text; break;
        case Part::Classes: all.classes = others.classes; break;
        }
    }
    return all;
}

Filters Filters::without(Part part) const { return with({}, std::span(&part, 1)); }

Result<TextMatcher> Filters::names() const
{
    TextMatcher byText;
    if (text.size() > 2 && text.front() == '/' && text.back() == '/') {
        auto matcher = regexMatcher(text.substr(1, text.size() - 2), false);
        if (!matcher)
            return matcher.error();
        byText = std::move(*matcher);
    } else if (!text.empty()) {
        byText = substringMatcher(text, false);
    }
    if (name.empty() && withoutNames.empty())
        return byText;
    return TextMatcher([exact = name, without = withoutNames, byText](std::string_view candidate) {
        return (exact.empty() || candidate == exact) && std::ranges::find(without, candidate) == without.end() &&
               (!byText || byText(candidate));
    });
}

} // namespace riffle
