// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/client/kineto_request.h"

#include <algorithm>

namespace riffle::record {

std::string kinetoObjection(const Settings &settings)
{
    if (settings.preset == "memory")
        return "--preset memory needs CUPTI, which --kineto leaves to Kineto.";
    // Kineto would read only a part of the line, put its process id elsewhere, or write into /tmp.
    for (const char *text : {"#", "=", "..", ".json"})
        if (settings.folder.find(text) != std::string::npos)
            return "--kineto: Kineto cannot write into " + settings.folder + ", because its path contains '" + text +
                   "'.";
    return {};
}

std::string kinetoRequest(const Settings &settings, const std::string &path, int cycle, int64_t startMs)
{
    std::string text = "ACTIVITIES_LOG_FILE=" + path + "\n";
    const auto add = [&text](const char *key, int64_t value) {
        text.append(key).append("=").append(std::to_string(value)).append("\n");
    };
    if (settings.shapes)
        text += "PROFILE_REPORT_INPUT_SHAPES=true\n";
    if (settings.schedule) {
        const Schedule &schedule = *settings.schedule;
        const int64_t length = int64_t(schedule.wait) + schedule.warmup + schedule.active;
        const int64_t first =
            schedule.skipFirst + cycle * length + schedule.warmup + (schedule.skipFirstWait ? 0 : schedule.wait);
        // Kineto's iteration N starts when step N is over and our step N + 1 starts.
        add("PROFILE_START_ITERATION", std::max<int64_t>(first - 1, 0));
        add("ACTIVITIES_WARMUP_ITERATIONS", schedule.warmup);
        add("ACTIVITIES_ITERATIONS", schedule.active);
        // Without this, a request before the first step would be recorded by time; with it, Kineto refuses it.
        add("ACTIVITIES_DURATION_MSECS", 0);
    } else {
        add("PROFILE_START_TIME", startMs);
        add("ACTIVITIES_WARMUP_PERIOD_SECS", kKinetoWarmupSeconds);
        add("ACTIVITIES_DURATION_MSECS", int64_t(settings.kinetoSeconds) * 1000);
    }
    return text;
}

} // namespace riffle::record
