// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/opening/launch_options.h"

#include "model/analysis/summary/step_lookup.h"

#include <cstdio>
#include <utility>

namespace riffle {

Result<LaunchOptions> understood(const RawLaunchOptions &raw)
{
    LaunchOptions options;
    for (const std::string &file : raw.files)
        options.open.files += QString::fromStdString(file);
    options.open.useStore = !raw.noStore;
    options.place.select = QString::fromStdString(raw.select);
    options.place.show = QString::fromStdString(raw.show);
    options.screenshot = QString::fromStdString(raw.screenshot);
    for (const auto &[text, target] :
         {std::pair(&raw.range, &options.open.range), std::pair(&raw.view, &options.place.view)}) {
        if (text->empty())
            continue;
        const Result<TimeSpan> span = parseRange(*text);
        if (!span)
            return span.error();
        *target = *span;
    }
    if (!options.screenshot.isEmpty() && !options.screenshot.endsWith(QLatin1String(".png"), Qt::CaseInsensitive))
        return Error{"'" + raw.screenshot +
                         "' is not a valid picture name. Pictures are PNG files, so it must end in .png.",
                     {},
                     {}};
    if (!raw.steps.empty()) {
        const Result<TimeSpan> steps = parseSteps(raw.steps);
        if (!steps)
            return steps.error();
        options.open.steps = *steps;
    }
    if (!raw.size.empty()) {
        int width = 0, height = 0;
        char rest = 0;
        if (std::sscanf(raw.size.c_str(), "%dx%d%c", &width, &height, &rest) != 2 || width < 200 || height < 150 ||
            width > 16384 || height > 16384)
            return Error{
                "'" + raw.size + "' is not a valid size. Write it as WIDTHxHEIGHT, for example 1920x1080.", {}, {}};
        options.size = QSize(width, height);
    }
    if (!raw.theme.empty())
        options.theme = raw.theme == "dark" ? ThemeKind::Dark : ThemeKind::Light;
    return options;
}

} // namespace riffle
