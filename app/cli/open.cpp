// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/command.h"

#include "model/base/decimal.h"
#include "model/base/parallel.h"
#include "model/ingest/stored_trace.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>

namespace riffle::cli {

void OpenOptions::addTo(CLI::App &command, const std::string &rangeName)
{
    command.add_option(rangeName, range, "Read only this part of the trace, e.g. 10ms:250ms after its first event");
    command.add_option("--steps", steps, "Read only these steps, e.g. 3 or 3:5");
    command.add_option("--memory-limit", memoryLimit, "Memory for columns; beyond it they go to a temporary file")
        ->capture_default_str();
    command.add_option("--inflate-limit", inflateLimit, "Refuse archives that inflate to more")->capture_default_str();
    command.add_option("--store-limit", storeLimit, "Room for the store of opened traces; the least used go first")
        ->capture_default_str();
    command.add_option("--threads", threads, "Worker threads (0: one per core)")->capture_default_str();
    command.add_flag("--no-store", noStore, "Neither use nor write the store of opened traces");
}

std::optional<uint64_t> parseBytes(const std::string &text)
{
    static constexpr std::string_view kUnits = "KMGT";
    size_t used = text.size();
    int shift = 0;
    if (!text.empty())
        if (const size_t unit = kUnits.find(static_cast<char>(std::toupper(text.back()))); unit != std::string_view::npos) {
            shift = 10 * (static_cast<int>(unit) + 1);
            --used;
        }
    const auto number = decimalToInteger(std::string_view(text).substr(0, used), 0);
    if (!number || *number < 0 || *number > INT64_MAX >> shift)
        return std::nullopt;
    return static_cast<uint64_t>(*number) << shift;
}

namespace {

std::optional<Ns> parseTime(std::string_view text)
{
    const std::pair<std::string_view, int> units[] = {{"ns", 0}, {"us", 3}, {"µs", 3}, {"ms", 6}, {"s", 9}};
    for (const auto &[unit, shift] : units)
        if (text.ends_with(unit))
            return decimalToInteger(text.substr(0, text.size() - unit.size()), shift);
    return decimalToInteger(text, 0);
}

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

std::optional<TimeSpan> parseRange(const std::string &text)
{
    const size_t colon = text.find(':');
    if (colon == std::string::npos)
        return std::nullopt;
    const auto begin = parseTime(std::string_view(text).substr(0, colon));
    const auto end = parseTime(std::string_view(text).substr(colon + 1));
    if (!begin || !end || *begin > *end)
        return std::nullopt;
    return TimeSpan{*begin, *end};
}

OpenedTrace openTrace(const std::string &path, const OpenOptions &options, int &code)
{
    ImportOptions import;
    const auto usage = [&](const std::string &what) {
        fmt::print(stderr, "riffle-cli: {}\n", what);
        code = Usage;
        return OpenedTrace{};
    };
    const auto memory = parseBytes(options.memoryLimit);
    const auto inflate = parseBytes(options.inflateLimit);
    const auto room = parseBytes(options.storeLimit);
    if (!memory || !inflate || !room)
        return usage("a size is a number with K, M, G or T");
    import.memoryLimit = *memory;
    import.inflateLimit = *inflate;
    if (!options.range.empty() && !(import.range = parseRange(options.range)))
        return usage("a range is two times, e.g. 10ms:250ms");
    if (!options.steps.empty()) {
        const std::string both = options.steps.find(':') == std::string::npos ? options.steps + ":" + options.steps : options.steps;
        if (!(import.steps = parseRange(both)))
            return usage("steps are numbers, e.g. 3 or 3:5");
    }
    setWorkerCount(options.threads);
    const bool whole = !import.range && !import.steps;
    const auto identity = whole && !options.noStore ? SourceIdentity::of(path) : Result<SourceIdentity>(Error{});
    const StoreFolder stores(StoreFolder::defaultFolder(), *room);
    if (identity)
        if (auto stored = openStored(stores, path, *identity))
            return {stored, {}};
    const auto imported = importTrace(path, import, {});
    if (!imported) {
        fmt::print(stderr, "riffle-cli: {}\n", imported.error().text());
        code = imported.error().kind == ErrorKind::Limit ? LimitExceeded : Unreadable;
        return {};
    }
    OpenedTrace opened{*imported, {}};
    // Small files are read faster than a store is found.
    constexpr uint64_t kStoreFrom = 32 << 20;
    if (identity && opened.trace->info.textBytes >= kStoreFrom)
        opened.store = [=, trace = opened.trace, identity = *identity] {
            if (const auto written = storeTrace(stores, *trace, path, identity, {}); !written)
                fmt::print(stderr, "riffle-cli: not stored for the next time: {}\n", written.error().text());
        };
    return opened;
}

int exitCodeOf(const Trace &trace) { return trace.report.total(Severity::Lost) ? WithLosses : Good; }

} // namespace riffle::cli
