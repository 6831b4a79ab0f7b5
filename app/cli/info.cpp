// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/command.h"
#include "app/cli/flight/flight_info.h"
#include "app/cli/memory/memory_kinds.h"
#include "app/cli/output.h"
#include "model/base/format.h"
#include "model/base/quoted_text.h"
#include "model/base/shown_text.h"
#include "model/ingest/importers.h"
#include "model/trace/json_entries.h"
#include "model/trace/run/place_in_name.h"

#include <fmt/format.h>

#include <cstdlib>
#include <map>
#include <set>
#include <string_view>
#include <sys/resource.h>
#include <vector>

namespace riffle::cli {

namespace {

struct InfoOptions {
    std::vector<std::string> paths;
    OpenOptions open;
    bool json = false;
};

uint64_t peakMemory()
{
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<uint64_t>(usage.ru_maxrss) * 1024;
}

std::map<std::string, uint64_t> slicesByCategory(const Trace &trace)
{
    std::vector<uint64_t> counts(trace.strings.count(), 0);
    for (const auto &segment : trace.segments)
        for (const uint32_t category : segment->slices.category)
            if (category < counts.size())
                ++counts[category];
    std::map<std::string, uint64_t> named;
    for (uint32_t id = 0; id < counts.size(); ++id)
        if (counts[id])
            named[std::string(trace.string(id))] = counts[id];
    return named;
}

uint64_t shownLanes(const Trace &trace)
{
    uint64_t lanes = 0;
    for (const Lane &lane : trace.lanes)
        lanes += lane.slices > 0;
    return lanes;
}

std::string jsonCounts(const std::map<std::string, uint64_t> &counts)
{
    std::string out = "{";
    for (const auto &[name, count] : counts)
        out += fmt::format("{}{}: {}", out.size() > 1 ? ", " : "", jsonString(name), count);
    return out + "}";
}

std::string jsonPair(const std::optional<TimeSpan> &pair)
{
    return pair ? fmt::format("[{}, {}]", pair->begin, pair->end) : "null";
}

std::string jsonReport(const ImportReport &report)
{
    std::string out = "[";
    for (size_t at = 0; at < size_t(Trouble::Count); ++at) {
        const auto kind = static_cast<Trouble>(at);
        const TroubleCount &entry = report.of(kind);
        if (!entry.count)
            continue;
        out += fmt::format("{}\n    {{\"kind\": {}, \"severity\": {}, \"count\": {}, \"sentence\": {}, \"examples\": [",
                           out.size() > 1 ? "," : "", jsonString(ImportReport::name(kind)),
                           jsonString(severityName(ImportReport::severity(kind))), entry.count,
                           jsonString(ImportReport::sentence(kind)));
        for (size_t example = 0; example < entry.examples.size(); ++example)
            out += fmt::format("{}{{\"offset\": {}, \"text\": {}}}", example ? ", " : "",
                               entry.examples[example].offset, jsonString(entry.examples[example].text));
        out += "]}";
    }
    return out + "]";
}

void printJson(const Trace &trace)
{
    const TraceInfo &info = trace.info;
    fmt::print(
        "{{\n  \"path\": {},\n  \"format\": {},\n  \"container\": {},\n  \"bytes\": {},\n  \"text_bytes\": {},\n",
        jsonString(info.path), jsonString(info.format), jsonString(info.container), info.fileBytes, info.textBytes);
    fmt::print("  \"events\": {},\n  \"events_by_phase\": {},\n", info.events,
               jsonCounts({info.eventsByPhase.begin(), info.eventsByPhase.end()}));
    fmt::print("  \"slices\": {},\n  \"slices_by_category\": {},\n", trace.sliceCount(),
               jsonCounts(slicesByCategory(trace)));
    fmt::print("  \"lanes\": {},\n  \"steps\": {},\n", shownLanes(trace), trace.steps.size());
    fmt::print("  \"instants\": {},\n  \"counter_samples\": {},\n  \"memory_events\": {},\n  \"flow_points\": {},\n",
               trace.instants.time.size(), trace.counters.time.size(), trace.memory.time.size(),
               trace.flows.time.size());
    fmt::print("  \"begin_ns\": {},\n  \"end_ns\": {},\n  \"base_time_ns\": {},\n", info.recorded.begin,
               info.recorded.end, info.baseTimeNs.value_or(0));
    fmt::print("  \"part_ns\": {},\n  \"part_steps\": {},\n", jsonPair(info.part), jsonPair(info.partSteps));
    fmt::print("  \"rank\": {},\n  \"world_size\": {},\n", info.rank ? std::to_string(*info.rank) : "null",
               info.worldSize ? std::to_string(*info.worldSize) : "null");
    std::string coordinates;
    for (const ParallelCoordinate &one : placeInName(info.path).coordinates)
        coordinates += fmt::format("{}{}: {}", coordinates.empty() ? "" : ", ", jsonString(one.axis), one.index);
    fmt::print("  \"coordinates\": {{{}}},\n", coordinates);
    fmt::print("  \"metadata\": {{");
    bool first = true;
    for (const auto &[key, value] : info.metadata) {
        fmt::print("{}\n    {}: {}", first ? "" : ",", jsonString(key), jsonString(value));
        first = false;
    }
    fmt::print("{}}},\n  \"import\": {},\n", first ? "" : "\n  ", jsonReport(trace.report));
    fmt::print("  \"load_seconds\": {:.6f},\n  \"from_store\": {},\n  \"peak_memory_bytes\": {}\n}}\n",
               info.loadSeconds, info.fromStore, peakMemory());
}

/// Prints how many steps have a summary, and how many of those have no details any more.
void printStepSummaries(const Trace &trace, const std::string &json)
{
    std::set<int64_t> starts;
    constexpr std::string_view kStart = "\"start_ns\": ";
    for (size_t at = json.find(kStart); at != json.npos; at = json.find(kStart, at + 1))
        starts.insert(std::strtoll(json.c_str() + at + kStart.size(), nullptr, 10));
    for (const Step &step : trace.steps)
        starts.erase(step.span.begin);
    fmt::print("  summaries   of {} steps without details; --json shows those of all\n",
               formatCount(static_cast<int64_t>(starts.size())));
}

/// Prints up to when a log that was not closed is complete, per source.
void printSettled(const TraceInfo &info)
{
    for (const auto &[key, value] : info.metadata)
        if (key == "settled")
            for (const JsonEntry &source : entriesOf(value))
                fmt::print("  complete    {} up to {} ns\n", shownText(source.key), shownText(plainText(source.value)));
}

/// Prints how far the wall clock moved against the clock of the recording, which a correction by NTP does.
void printClocks(const TraceInfo &info)
{
    if (info.clocks.size() < 2)
        return;
    const ClockReading &first = info.clocks.front(), &last = info.clocks.back();
    const Ns moved = saturatedSum(saturatedSum(last.unixNs, -first.unixNs), -saturatedSum(last.time, -first.time));
    fmt::print("  wall clock  {} readings; it moved by {} within {}\n",
               formatCount(static_cast<int64_t>(info.clocks.size())), formatDuration(moved),
               formatDuration(saturatedSum(last.time, -first.time)));
}

void printText(const Trace &trace)
{
    const TraceInfo &info = trace.info;
    fmt::print("{}\n", shownText(info.path));
    fmt::print("  format      {} ({}), {}", info.format, info.container, formatBytes(info.fileBytes));
    if (info.textBytes != info.fileBytes)
        fmt::print(", {} inflated", formatBytes(info.textBytes));
    if (const std::string generated = info.text("riffle.generated"); !generated.empty())
        fmt::print("\n  generated   {}", shownText(generated));
    fmt::print("\n  events      {}", formatCount(info.events));
    for (const auto &[phase, count] : info.eventsByPhase)
        fmt::print("  {} {}", phase.empty() ? "(none)" : shownText(phase), formatCount(count));
    fmt::print("\n  slices      {} on {} lanes\n", formatCount(trace.sliceCount()), shownLanes(trace));
    for (const auto &[category, count] : slicesByCategory(trace))
        fmt::print("                {:<24} {:>12}\n", category.empty() ? "(no category)" : shownText(category),
                   formatCount(count));
    fmt::print("  time        {} from {} ns to {} ns\n", formatDuration(info.recorded.duration()), info.recorded.begin,
               info.recorded.end);
    if (info.part)
        fmt::print("  part        from {} ns to {} ns{}\n", info.part->begin, info.part->end,
                   info.partSteps ? fmt::format(", steps {} to {}", info.partSteps->begin, info.partSteps->end) : "");
    if (info.baseTimeNs)
        fmt::print("  base time   {} ns since 1970\n", *info.baseTimeNs);
    printClocks(info);
    fmt::print("  steps       {}\n", trace.steps.size());
    if (info.rank)
        fmt::print("  rank        {}{}\n", *info.rank, info.worldSize ? fmt::format(" of {}", *info.worldSize) : "");
    if (const std::string coordinates = coordinatesText(placeInName(info.path).coordinates); !coordinates.empty())
        fmt::print("  coordinates {} (in the name)\n", coordinates);
    for (const auto &[key, value] : info.metadata)
        if (key == "deviceProperties")
            for (const JsonEntry &device :
                 entriesOf(value.size() > 2 ? value.substr(value.find('{') == std::string::npos ? 0 : value.find('{'))
                                            : "")) {
                if (device.key == "name")
                    fmt::print("  device      {}\n", shownText(plainText(device.value)));
            }
    for (const auto &[key, value] : info.metadata)
        if (key == "stepSummaries")
            printStepSummaries(trace, value);
    if (trace.report.of(Trouble::NotClosed).count)
        printSettled(info);
    const double seconds = info.loadSeconds;
    fmt::print("  loaded in   {:.3f} s, {:.0f} MB/s{}, peak memory {}\n", seconds,
               seconds > 0 ? static_cast<double>(info.textBytes) / 1e6 / seconds : 0.0,
               info.fromStore ? " (from the cache)" : "", formatBytes(peakMemory()));
    if (trace.report.empty()) {
        fmt::print("  import      no problems\n");
        return;
    }
    fmt::print("  import\n");
    for (size_t at = 0; at < size_t(Trouble::Count); ++at) {
        const auto kind = static_cast<Trouble>(at);
        const TroubleCount &entry = trace.report.of(kind);
        if (!entry.count)
            continue;
        fmt::print("    {:<9} {:>10}  {}", severityName(ImportReport::severity(kind)), formatCount(entry.count),
                   ImportReport::sentence(kind));
        if (!entry.examples.empty())
            fmt::print(" (first at byte {})", entry.examples.front().offset);
        fmt::print("\n");
    }
}

} // namespace

void addInfoCommand(CLI::App &app, int &code)
{
    auto options = std::make_shared<InfoOptions>();
    CLI::App *command = app.add_subcommand("info", "Show what a trace contains, and any problems in reading it");
    CLI::Option *paths =
        command
            ->add_option(
                "TRACE", options->paths,
                "Trace files: Chrome JSON, plain, gzip or zstd. For memory snapshots, timelines and logs, prints "
                "the output of `memory info`. Also reads dumps of PyTorch's Flight Recorder and logs of NCCL "
                "Inspector")
            ->required();
    addLogdirOption(*command, paths);
    command->add_flag("--json", options->json, "Print one JSON object per trace instead of text");
    options->open.addTo(*command, "--range");
    command->footer("\nExamples:\n"
                    "  riffle-cli info trace.pt.trace.json.gz\n"
                    "  riffle-cli info --json rank*.json | jq .events\n"
                    "  riffle-cli info --steps 3:5 huge.json\n"
                    "\nFor several files, the exit code is the worst one: 4, then 1, then 3, then 0.\n");
    command->callback([options, &code] {
        if (!gather(options->paths, Usable::Any, options->open, code))
            return;
        for (const std::string &path : options->paths) {
            int own = Good;
            const FileKind kind = importerOf(path).kind;
            if (kind != FileKind::Trace && !(options->open.range.empty() && options->open.steps.empty()))
                complain(path + ": The whole file is read, because --range and --steps only apply to traces.");
            if (kind == FileKind::FlightDump || kind == FileKind::InspectorLog) {
                const auto import = importOptions(options->open);
                if (!import) {
                    complain(import.error().text());
                    own = Usage;
                } else {
                    own = kind == FileKind::FlightDump ? flightDumpInfo(path, options->json, *import)
                                                       : inspectorLogInfo(path, options->json, *import);
                }
            } else if (kind == FileKind::Snapshot) {
                own = snapshotInfo(path, options->json ? "json" : "table", options->open);
            } else if (kind != FileKind::Trace) {
                MemoryQuestion question;
                question.format = options->json ? "json" : "table";
                own = otherMemoryInfo(path, question);
            } else if (const auto [trace, store, storeRank] = openTrace(path, options->open, own); trace) {
                options->json ? printJson(*trace) : printText(*trace);
                flushOutput();
                own = codeAfterAnswer(*trace, exitCodeOf(*trace));
                if (store)
                    store();
            }
            code = worseOf(code, own);
            if (code == Usage)
                return;
        }
    });
}

} // namespace riffle::cli
