// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/collector_log/log_facts.h"

#include "model/base/decimal.h"
#include "model/base/format.h"
#include "model/base/quoted_text.h"
#include "model/ingest/collector_log/json_text.h"
#include "model/trace/sampled_lane.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <cmath>

namespace riffle {

using wire::ChunkType;
using wire::Field;

namespace {

constexpr size_t kMaxFacts = 10'000; ///< per kind; undamaged logs have far fewer

/// True if the text is a JSON number without an exponent.
bool isNumber(std::string_view text)
{
    const size_t first = text.starts_with('-') ? 1 : 0;
    const size_t point = std::min(text.find('.'), text.size());
    const auto digits = [&](size_t begin, size_t end) {
        return begin < end && std::all_of(text.begin() + static_cast<std::ptrdiff_t>(begin),
                                          text.begin() + static_cast<std::ptrdiff_t>(end),
                                          [](char c) { return c >= '0' && c <= '9'; });
    };
    const bool padded = point > first + 1 && text[first] == '0';
    return digits(first, point) && !padded && (point == text.size() || digits(point + 1, text.size()));
}

void appendEntry(std::string &object, std::string_view key, std::string_view rawValue)
{
    object += object.empty() ? "{" : ", ";
    appendJsonString(object, key);
    (object += ": ") += rawValue;
}

std::string valueText(std::string_view text)
{
    if (isNumber(text))
        return std::string(text);
    return jsonString(text);
}

/// The keys of a trace's JSON that metadata of the program must not replace.
constexpr std::string_view kReservedKeys[] = {"traceEvents", "schemaVersion", "displayTimeUnit", "baseTimeNanoseconds"};

/// Returns Kineto's title for a thread: "thread 42 (python)".
std::string threadTitle(int64_t osThread, const std::string &name)
{
    return "thread " + std::to_string(osThread) + (name.empty() ? "" : " (" + name + ")");
}

/// Returns metadata of the program as it is if it is JSON, otherwise as a string.
std::string metadataText(const std::string &text)
{
    simdjson::dom::parser parser;
    return parser.parse(text).error() == simdjson::SUCCESS ? text : jsonString(text);
}

} // namespace

template <typename Key>
void LogFacts::say(std::map<Key, Said> &map, const Key &key, uint64_t when, std::string text)
{
    if (map.size() >= kMaxFacts && !map.contains(key))
        return;
    Said &said = map[key];
    if (said.when <= when)
        said = {when, std::move(text)};
}

void LogFacts::add(uint64_t address, ChunkType type, const ChunkColumns &columns, const PartTables &tables,
                   const LogIndex &index)
{
    const auto text = [&](Field field, uint32_t row) {
        return std::string(tables.text(columns.value(field, row)).text);
    };
    for (uint32_t row = 0; row < columns.rows(); ++row) {
        const uint64_t when = address + row;
        switch (type) {
        case ChunkType::Process: say(m_process, text(Field::Key, row), when, text(Field::Value, row)); break;
        case ChunkType::Devices:
            say(m_devices, {columns.value(Field::Device, row), text(Field::Key, row)}, when, text(Field::Value, row));
            break;
        case ChunkType::Stats:
            if (const double number = columns.number(Field::Number, row); std::isfinite(number))
                say(m_stats, text(Field::Key, row), when, fmt::format("{}", number));
            break;
        case ChunkType::Settled:
            if (const int64_t time = columns.value(Field::Time, row); time != wire::kAbsent)
                say(m_settled, text(Field::Category, row), when, std::to_string(time));
            break;
        case ChunkType::StepSummaries: addStep(when, row, columns); break;
        case ChunkType::Loss: addLoss(when, row, columns, tables, index); break;
        default: return;
        }
    }
}

void LogFacts::addStep(uint64_t when, uint32_t row, const ChunkColumns &columns)
{
    constexpr std::pair<Field, const char *> kFigures[] = {
        {Field::Id, "step"},
        {Field::Start, "start_ns"},
        {Field::Duration, "duration_ns"},
        {Field::OperatorTime, "operators_ns"},
        {Field::WaitTime, "wait_ns"},
        {Field::Device, "device"},
        {Field::KernelTime, "kernel_ns"},
        {Field::BusyTime, "busy_ns"},
        {Field::CommunicationTime, "communication_ns"},
        {Field::ExposedTime, "exposed_communication_ns"},
        {Field::IdleTime, "idle_ns"},
        {Field::MissingTime, "not_recorded_ns"},
        {Field::MemoryPeak, "memory_peak_bytes"},
    };
    std::string text;
    for (const auto &[field, key] : kFigures)
        if (const int64_t value = columns.value(field, row); value != wire::kAbsent)
            appendEntry(text, key, std::to_string(value));
    const std::pair key(columns.value(Field::Start, row), columns.value(Field::Device, row));
    if (key.first == wire::kAbsent)
        return;
    if (m_steps.size() >= kMaxFacts && key > m_steps.begin()->first)
        m_steps.erase(m_steps.begin()); // the newest steps are kept
    say(m_steps, key, when, text + "}");
}

void LogFacts::addLoss(uint64_t address, uint32_t row, const ChunkColumns &columns, const PartTables &tables,
                       const LogIndex &index)
{
    const int64_t count = std::max<int64_t>(1, columns.value(Field::Count, row));
    const std::string_view source = tables.text(columns.value(Field::Category, row)).text;
    const int64_t start = columns.value(Field::Start, row);
    std::string what = fmt::format("{}: {} records", source.empty() ? "unknown source" : source, formatCount(count));
    int64_t since = 0;
    if (start != wire::kAbsent && !__builtin_sub_overflow(start, index.firstTime, &since))
        what += fmt::format(", {} after the start of the log, within {} (from {} ns)",
                            formatDuration(std::max<int64_t>(0, since)),
                            formatDuration(std::max<int64_t>(0, columns.value(Field::Duration, row))), start);
    m_report.add(Trouble::DroppedRecords, address, what, static_cast<uint64_t>(count));
}

void LogFacts::addThreads(uint64_t address, const PartTables &tables)
{
    for (const auto &[thread, entry] : tables.threads())
        if (const std::string name(tables.text(entry.name).text); entry.sampledEvery > 0)
            say(m_threads, entry.osThread, address,
                sampledTitle(threadTitle(entry.osThread - kSampledTid, name), entry.sampledEvery));
        else if (!name.empty())
            say(m_threads, entry.osThread, address, threadTitle(entry.osThread, name));
}

void LogFacts::merge(const LogFacts &other)
{
    const auto take = [](auto &map, const auto &from) {
        for (const auto &[key, said] : from)
            say(map, key, said.when, said.text);
    };
    take(m_process, other.m_process);
    take(m_devices, other.m_devices);
    take(m_stats, other.m_stats);
    take(m_settled, other.m_settled);
    take(m_steps, other.m_steps);
    take(m_threads, other.m_threads);
    m_report.merge(other.m_report);
}

std::string LogFacts::process(const std::string &key) const
{
    const auto found = m_process.find(key);
    return found == m_process.end() ? std::string() : found->second.text;
}

std::optional<int64_t> LogFacts::processNumber(const std::string &key) const
{
    return decimalToInteger(process(key), 0);
}

std::string LogFacts::programName() const
{
    const std::string path = process("executable");
    return path.substr(path.rfind('/') + 1);
}

std::map<int64_t, std::string> LogFacts::threadTitles() const
{
    std::map<int64_t, std::string> titles;
    for (const auto &[thread, said] : m_threads)
        titles[thread] = said.text;
    return titles;
}

std::vector<std::pair<std::string, std::string>> LogFacts::metadata() const
{
    std::vector<std::pair<std::string, std::string>> found;
    std::string process, stats, devices, settled, steps;
    const std::string_view prefix = wire::kMetadataPrefix;
    for (const auto &[key, said] : m_process)
        if (!key.starts_with(prefix))
            appendEntry(process, key, valueText(said.text));
        else if (const std::string own = key.substr(prefix.size());
                 std::ranges::find(kReservedKeys, own) == std::end(kReservedKeys))
            found.emplace_back(own, metadataText(said.text));
    const auto add = [&](const char *key, std::string value) {
        if (std::ranges::find(found, key, &std::pair<std::string, std::string>::first) == found.end())
            found.emplace_back(key, std::move(value));
    };
    for (const auto &[key, said] : m_stats)
        appendEntry(stats, key, said.text);
    for (const auto &[key, said] : m_settled)
        appendEntry(settled, key, said.text);
    for (auto at = m_devices.begin(); at != m_devices.end();) {
        const int64_t device = at->first.first;
        std::string one;
        appendEntry(one, "id", std::to_string(device));
        for (; at != m_devices.end() && at->first.first == device; ++at)
            if (at->first.second != "id")
                appendEntry(one, at->first.second, valueText(at->second.text));
        devices += (devices.empty() ? "[" : ", ") + one + "}";
    }
    if (const auto rank = processNumber("rank")) {
        std::string distributed;
        appendEntry(distributed, "rank", std::to_string(*rank));
        if (const auto size = processNumber("world_size"))
            appendEntry(distributed, "world_size", std::to_string(*size));
        add("distributedInfo", distributed + "}");
    }
    if (!devices.empty())
        add("deviceProperties", devices + "]");
    if (!process.empty())
        add("process", process + "}");
    if (!stats.empty())
        add("stats", stats + "}");
    for (const auto &[key, said] : m_steps)
        (steps += steps.empty() ? "[" : ", ") += said.text;
    if (!steps.empty())
        add("stepSummaries", steps + "]");
    if (!settled.empty())
        add("settled", settled + "}");
    return found;
}

} // namespace riffle
