// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/common/session/filters.h"

namespace riffle {

Filters Filters::without(Part part) const
{
    Filters rest = *this;
    switch (part) {
    case Part::StepMark: rest.stepMark.clear(); break;
    case Part::FirstStep: rest.withoutFirstStep = false; break;
    case Part::Steps: rest.steps.clear(); break;
    case Part::Lanes: rest.lanes.clear(); break;
    case Part::Traces: rest.traces.clear(); break;
    case Part::Name: rest.name.clear(); break;
    case Part::Text: rest.text.clear(); break;
    }
    return rest;
}

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
    if (name.empty())
        return byText;
    return TextMatcher([exact = name, byText](std::string_view candidate) {
        return candidate == exact && (!byText || byText(candidate));
    });
}

} // namespace riffle
