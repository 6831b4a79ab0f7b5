// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/command.h"
#include "app/cli/output.h"
#include "model/analysis/facts/step_marks.h"
#include "model/analysis/summary/step_lookup.h"
#include "model/base/decimal.h"
#include "model/base/parallel.h"
#include "model/ingest/importers.h"
#include "model/ingest/trace_opening.h"
#include "model/trace/run/rank_store.h"

#include <algorithm>
#include <filesystem>

namespace riffle::cli {

void OpenOptions::addTo(CLI::App &command, const std::string &rangeName)
{
    CLI::Option *byTime =
        command.add_option(rangeName, range, "Only this part of the trace: " + std::string(kRangeForm));
    command.add_option("--steps", steps, "Only these steps, for example 3 or 3:5")->excludes(byTime);
    command
        .add_option("--memory-limit", memoryLimit,
                    "Memory for the columns of a trace; larger traces use a temporary file")
        ->capture_default_str();
    command.add_option("--inflate-limit", inflateLimit, "Reject archives that decompress to more than this")
        ->capture_default_str();
    command
        .add_option("--store-limit", storeLimit,
                    "Size limit of the cache of opened traces; the least recently used are removed first")
        ->capture_default_str();
    command.add_option("--threads", threads, "Number of worker threads (0 for one per core)")
        ->capture_default_str()
        ->check(CLI::Range(0, 1024));
    command.add_flag("--no-store", noStore,
                     "Neither use nor write the cache of opened traces, which compares the size, time and "
                     "samples of a file, not all of it");
}

const char *OpenOptions::traceOption() const
{
    return !range.empty() ? "--range" : !steps.empty() ? "--steps" : nullptr;
}

Result<FileKind> kindOfFiles(const std::vector<std::string> &paths)
{
    const std::string *trace = nullptr, *snapshot = nullptr;
    for (const std::string &path : paths)
        if (std::error_code none; std::filesystem::exists(path, none)) // opening the others will report the error
            (importerOf(path).kind == FileKind::Snapshot ? snapshot : trace) = &path;
    if (trace && snapshot)
        return Error{*snapshot + " is a memory snapshot and " + *trace + " is not. Give either traces or snapshots.",
                     {},
                     std::nullopt,
                     ErrorKind::Question};
    return snapshot ? FileKind::Snapshot : FileKind::Trace;
}

std::optional<uint64_t> parseBytes(const std::string &text)
{
    static constexpr std::string_view kUnits = "KMGT";
    size_t used = text.size();
    int shift = 0;
    if (!text.empty())
        if (const size_t unit = kUnits.find(static_cast<char>(std::toupper(static_cast<unsigned char>(text.back()))));
            unit != std::string_view::npos) {
            shift = 10 * (static_cast<int>(unit) + 1);
            --used;
        }
    bool whole = false;
    const auto number = decimalToInteger(std::string_view(text).substr(0, used), 0, &whole);
    if (!number || !whole || *number < 0 || *number > INT64_MAX >> shift)
        return std::nullopt;
    return static_cast<uint64_t>(*number) << shift;
}

namespace {

/// The bytes of text from which a trace gets a store: a smaller file is read again faster than its store is found.
constexpr uint64_t kStoreFrom = 32 << 20;
constexpr const char *kWrongSize = "A size must be a whole number, optionally followed by K, M, G or T.";

/// For each trace, the delay from the earliest event of the set to the trace's own first event.
std::vector<Ns> beginsOf(const std::vector<std::string> &paths, const OpenOptions &options)
{
    std::vector<std::shared_ptr<const Trace>> traces;
    for (const std::string &path : paths) {
        OpenOptions nothing = options;
        nothing.range = "0ns:1ns"; // only the time span of the recording is needed
        const Result<ImportOptions> import = importOptions(nothing);
        const auto read =
            import ? importTrace(path, *import, {}) : Result<std::shared_ptr<const Trace>>(import.error());
        if (!read)
            return std::vector<Ns>(paths.size(), 0); // opening the trace itself will report the error
        traces.push_back(*read);
    }
    const TraceSet set = TraceSet::of(std::move(traces));
    std::vector<Ns> begins;
    for (const LoadedTrace &member : set.loaded())
        begins.push_back(member.time.toSet(member.trace->info.recorded.begin) - set.origin());
    return begins;
}

/// Opens one trace. The range counts from `begin` ns before the trace's own first event.
InputTrace openOne(const std::string &path, const OpenOptions &options, Ns begin, int &code)
{
    Result<ImportOptions> import = importOptions(options);
    const auto room = parseBytes(options.storeLimit);
    if (!import || !room) {
        complain(import ? kWrongSize : import.error().text());
        code = Usage;
        return {};
    }
    if (import->range)
        import->range = TimeSpan{saturatedSum(import->range->begin, -begin), saturatedSum(import->range->end, -begin)};
    setWorkerCount(static_cast<unsigned>(options.threads));
    StorePolicy policy;
    if (!options.noStore)
        policy.folder = StoreFolder(StoreFolder::defaultFolder(), *room);
    policy.storeFrom = kStoreFrom;
    Result<OpenedTrace> read = riffle::openTrace(path, *import, policy, {});
    if (!read) {
        complain(read.error().text());
        code = read.error().kind == ErrorKind::Limit ? LimitExceeded : Unreadable;
        return {};
    }
    InputTrace opened{read->trace, {}, {}};
    if (policy.folder && read->identity && !import->range && !import->steps)
        opened.storeRank = [path, identity = *read->identity, stores = *policy.folder](const RankFacts &facts) {
            if (const auto written = riffle::storeRank(stores, facts, path, identity, {}); !written)
                complain("The figures of its steps could not be cached for next time: " + written.error().text());
        };
    if (read->storeWanted)
        opened.store = [opened = std::move(*read), stores = *policy.folder] {
            if (const auto written = storeOpened(opened, stores, {}); !written)
                complain("The trace could not be cached for next time: " + written.error().text());
        };
    return opened;
}

} // namespace

CLI::Validator rowCount()
{
    const auto check = [](std::string &text) {
        const bool isNumber = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
        return isNumber ? std::string() : "'" + text + "' is not a number of rows.";
    };
    return CLI::Validator(check, "ROWS", "rows");
}

Result<ImportOptions> importOptions(const OpenOptions &options)
{
    ImportOptions import;
    const auto memory = parseBytes(options.memoryLimit);
    const auto inflate = parseBytes(options.inflateLimit);
    if (!memory || !inflate)
        return Error{kWrongSize, {}, std::nullopt};
    import.memoryLimit = *memory;
    import.inflateLimit = *inflate;
    if (!options.range.empty()) {
        const auto range = parseRange(options.range);
        if (!range)
            return range.error();
        import.range = *range;
    }
    if (!options.steps.empty()) {
        const auto steps = parseSteps(options.steps);
        if (!steps)
            return steps.error();
        import.steps = *steps;
    }
    return import;
}

InputTrace openTrace(const std::string &path, const OpenOptions &options, int &code)
{
    return openOne(path, options, 0, code);
}

void InputTraces::store() const
{
    for (const auto &one : stores)
        if (one)
            one();
}

InputTraces openTraces(const std::vector<std::string> &paths, const OpenOptions &options, int &code)
{
    InputTraces all;
    bool nothing = !options.range.empty();
    const std::vector<Ns> begins =
        paths.size() > 1 && !options.range.empty() ? beginsOf(paths, options) : std::vector<Ns>(paths.size(), 0);
    for (size_t at = 0; at < paths.size(); ++at) {
        InputTrace opened = openOne(paths[at], options, begins[at], code);
        if (!opened.trace)
            return {};
        code = std::max(code, exitCodeOf(*opened.trace));
        nothing = nothing && opened.trace->info.part->clipped(opened.trace->info.recorded).empty();
        all.traces.push_back(std::move(opened.trace));
        all.stores.push_back(std::move(opened.store));
        all.rankStores.push_back(std::move(opened.storeRank));
    }
    if (nothing) {
        complain("There are no events in this range.");
        code = Unreadable;
        return {};
    }
    return all;
}

void StepOptions::addTo(CLI::App &command)
{
    command.add_option(
        "--step-mark", mark,
        "Use the slices of the host with this name as steps; NAME@device uses the annotations on a stream, for "
        "example ProfilerStep@device");
    command.add_flag("--without-first-step", withoutFirst,
                     "Leave out the first step if it is far longer than the others");
}

Result<ScopeRequest> StepOptions::take(OpenOptions &open) const
{
    ScopeRequest request;
    request.stepMark = mark;
    request.withoutFirstStep = withoutFirst;
    if (!mark.empty() && !open.steps.empty()) {
        const auto steps = parseSteps(open.steps);
        if (!steps)
            return steps.error();
        request.steps = *steps;
        open.steps.clear();
    }
    return request;
}

Result<void> StepOptions::find(const SetFacts &facts, const ScopeRequest &request) const
{
    bool any = false, chosen = false, part = false;
    for (const LoadedTrace &member : facts.set().loaded()) {
        const StepSet &steps = facts.of(member.id).steps(mark);
        any |= steps.marked;
        part |= steps.ofPart;
        chosen |= std::ranges::any_of(steps.steps, [&](const StepSet::Step &step) {
            return !request.steps || (step.number >= request.steps->begin && step.number <= request.steps->end);
        });
    }
    if (!mark.empty() && !any)
        return Error{(isDeviceMark(mark)
                          ? "No annotation on a stream is named '" + mark.substr(0, mark.size() - kDeviceMark.size())
                          : "No slice on the host is named '" + mark) +
                         (part ? "' in the part that was read." : "'."),
                     {},
                     std::nullopt};
    if (withoutFirst && part)
        complain("Only part of the trace was read, so its first step is unknown and all steps count.");
    return chosen ? Result<void>() : Error{"The trace has none of these steps.", {}, std::nullopt};
}

int codeAfterAnswer(const Trace &trace, int code)
{
    const std::optional<Error> failure = trace.failure();
    if (!failure)
        return code;
    complain("The answer is incomplete. " + failure->text());
    return Unreadable;
}

int codeAfterAnswer(const TraceSet &traces, int code)
{
    for (const LoadedTrace &member : traces.loaded())
        code = codeAfterAnswer(*member.trace, code);
    return code;
}

int exitCodeOf(const Trace &trace) { return trace.report.total(Severity::Lost) ? WithLosses : Good; }

} // namespace riffle::cli
