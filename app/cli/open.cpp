// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/command.h"
#include "app/cli/output.h"
#include "model/analysis/step_lookup.h"
#include "model/base/decimal.h"
#include "model/base/parallel.h"
#include "model/ingest/stored_trace.h"

#include <chrono>

namespace riffle::cli {

void OpenOptions::addTo(CLI::App &command, const std::string &rangeName)
{
    command.add_option(rangeName, range, "Read only this part of the trace: " + std::string(kRangeForm));
    command.add_option("--steps", steps, "Read only these steps, e.g. 3 or 3:5");
    command.add_option("--memory-limit", memoryLimit, "Memory for columns; beyond it they go to a temporary file")
        ->capture_default_str();
    command.add_option("--inflate-limit", inflateLimit, "Refuse archives that inflate to more")->capture_default_str();
    command.add_option("--store-limit", storeLimit, "Room for the store of opened traces; the least used go first")
        ->capture_default_str();
    command.add_option("--threads", threads, "Worker threads (0: one per core)")
        ->capture_default_str()
        ->check(CLI::Range(0, 1024));
    command.add_flag("--no-store", noStore, "Neither use nor write the store of opened traces");
}

std::optional<uint64_t> parseBytes(const std::string &text)
{
    static constexpr std::string_view kUnits = "KMGT";
    size_t used = text.size();
    int shift = 0;
    if (!text.empty())
        if (const size_t unit = kUnits.find(static_cast<char>(std::toupper(static_cast<unsigned char>(text.back())))); unit != std::string_view::npos) {
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

constexpr const char *kWrongSize = "a size is a whole number with K, M, G or T";

/// The trace from its store when there is one that can be trusted.
std::shared_ptr<const Trace> openStored(const StoreFolder &stores, const std::string &path, const SourceIdentity &identity)
{
    const auto began = std::chrono::steady_clock::now();
    const auto stored = openStoredTrace(stores, path, identity);
    if (!stored)
        return nullptr;
    if (!stored->file->verify({})) {
        stores.remove(path);
        return nullptr;
    }
    auto trace = std::make_shared<Trace>(*stored->trace);
    trace->info.loadSeconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    return trace;
}

} // namespace

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

OpenedTrace openTrace(const std::string &path, const OpenOptions &options, int &code)
{
    const Result<ImportOptions> import = importOptions(options);
    const auto room = parseBytes(options.storeLimit);
    if (!import || !room) {
        complain(import ? kWrongSize : import.error().text());
        code = Usage;
        return {};
    }
    setWorkerCount(static_cast<unsigned>(options.threads));
    const bool whole = !import->range && !import->steps;
    const auto identity = whole && !options.noStore ? SourceIdentity::of(path) : Result<SourceIdentity>(Error{});
    const StoreFolder stores(StoreFolder::defaultFolder(), *room);
    if (identity)
        if (auto stored = openStored(stores, path, *identity))
            return {stored, {}};
    const auto imported = importTrace(path, *import, {});
    if (!imported) {
        complain(imported.error().text());
        code = imported.error().kind == ErrorKind::Limit ? LimitExceeded : Unreadable;
        return {};
    }
    OpenedTrace opened{*imported, {}};
    // Small files are read faster than a store is found.
    constexpr uint64_t kStoreFrom = 32 << 20;
    if (identity && opened.trace->info.textBytes >= kStoreFrom)
        opened.store = [=, trace = opened.trace, identity = *identity] {
            if (const auto written = storeTrace(stores, *trace, path, identity, {}); !written)
                complain("not stored for the next time: " + written.error().text());
        };
    return opened;
}

void OpenedTraces::store() const
{
    for (const auto &one : stores)
        one();
}

OpenedTraces openTraces(const std::vector<std::string> &paths, const OpenOptions &options, int &code)
{
    OpenedTraces all;
    for (const std::string &path : paths) {
        OpenedTrace opened = openTrace(path, options, code);
        if (!opened.trace)
            return {};
        code = std::max(code, exitCodeOf(*opened.trace));
        all.traces.push_back(std::move(opened.trace));
        if (opened.store)
            all.stores.push_back(std::move(opened.store));
    }
    return all;
}

int exitCodeOf(const Trace &trace) { return trace.report.total(Severity::Lost) ? WithLosses : Good; }

} // namespace riffle::cli
