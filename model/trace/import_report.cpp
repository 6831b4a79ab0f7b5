// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/trace/import_report.h"

#include <algorithm>
#include <cassert>

namespace riffle {

namespace {

struct TroubleInfo {
    const char *name;
    Severity severity;
    const char *sentence;
};

/// One entry per kind of problem, in the order of enum Trouble.
constexpr TroubleInfo kTroubles[] = {
    {"broken_event", Severity::Lost, "events that could not be read, even after repair"},
    {"oversized_event", Severity::Lost, "events longer than 16 MiB"},
    {"not_an_event", Severity::Note, "entries of the event list that are not objects"},
    {"missing_timestamp", Severity::Lost, "events without a time"},
    {"bad_timestamp", Severity::Lost, "events whose time is not a number"},
    {"absurd_time", Severity::Lost,
     "times beyond the range of 64-bit nanoseconds; clamped, without a duration and outside the trace's span"},
    {"far_times", Severity::Note,
     "origins from which times are counted, because most are beyond the range of 64-bit nanoseconds otherwise"},
    {"no_duration", Severity::Note, "complete events without a duration; taken as 0"},
    {"negative_duration", Severity::Repaired, "negative durations; taken as 0"},
    {"bad_duration", Severity::Repaired, "durations that are not numbers; taken as 0"},
    {"unknown_phase", Severity::Lost, "events with an unknown phase"},
    {"missing_phase", Severity::Note, "events without a phase"},
    {"ignored_phase", Severity::Note, "events with phases that are counted but not shown"},
    {"unmatched_end", Severity::Lost, "end events without a begin event"},
    {"unfinished_begin", Severity::Repaired, "slices that start but never end; drawn up to the end of the trace"},
    {"name_mismatch", Severity::Note, "end events whose name differs from that of the innermost open slice"},
    {"crossing_slices", Severity::Note,
     "slices that overlap a longer one without being inside it; drawn in an extra row"},
    {"control_character", Severity::Repaired, "raw control characters inside strings"},
    {"unescaped_quote", Severity::Repaired, "quotes inside strings that were not escaped"},
    {"bad_escape", Severity::Repaired, "backslashes that are not part of an escape (as in Windows paths)"},
    {"lone_surrogate", Severity::Repaired, "\\u escapes that are only half of a character"},
    {"deep_value", Severity::Repaired, "values nested deeper than 1,000 levels; kept as text only"},
    {"bare_word", Severity::Repaired, "values that are not JSON, such as N/A, nan or inf"},
    {"trailing_comma", Severity::Repaired, "commas with nothing after them"},
    {"bad_utf8", Severity::Repaired, "bytes that are not valid UTF-8"},
    {"wrong_type", Severity::Note, "known fields with an unexpected type; kept as text only"},
    {"number_out_of_range", Severity::Note, "numbers out of range for their column; kept as text only"},
    {"duplicate_key", Severity::Note, "keys that occur twice in one object; the last one counts"},
    {"truncated_text", Severity::Lost, "the text ends in the middle of an event"},
    {"truncated_archive", Severity::Lost, "the compressed file is damaged or ends early"},
    {"missing_close", Severity::Repaired, "the closing bracket of the file is missing"},
    {"trailing_text", Severity::Note, "padding after the end of the document"},
    {"cut_document", Severity::Lost, "the text ends before the list of events does"},
    {"unread_text", Severity::Lost, "text after the events that was not read, for example a second document"},
    {"skipped_text", Severity::Lost, "stretches of text between events that are not events"},
    {"unbound_flow", Severity::Note, "ends of flow arrows that do not belong to any slice"},
    {"launchless_kernel", Severity::Note, "device work without a recorded launch"},
    {"source_changed", Severity::Lost, "the file changed while it was being read"},
    {"outside_range", Severity::Note, "events outside the requested range"},
    {"limit_reached", Severity::Note, "lanes beyond the limit; combined into shared lanes"},
    {"broken_chunk", Severity::Lost, "places in the log's files that are cut off or damaged"},
    {"missing_part", Severity::Lost, "files missing from the middle of the log"},
    {"foreign_part", Severity::Note, "files of another log in the same folder; left out"},
    {"dropped_records", Severity::Lost, "records that the collector could not keep"},
    {"unknown_string", Severity::Lost, "names that are missing from the log"},
    {"not_closed", Severity::Note, "the log was not closed: its process was killed or is still running"},
    {"still_open", Severity::Note,
     "ranges that were still open when recording ended; drawn up to the end of the trace"},
    {"left_window", Severity::Note,
     "older slices that are not shown, because a trace that grows is kept in a limited memory; they are in the log"},
};
static_assert(std::size(kTroubles) == static_cast<size_t>(Trouble::Count));

} // namespace

void ImportReport::add(Trouble kind, uint64_t offset, std::string_view text, uint64_t count)
{
    assert(kind < Trouble::Count);
    TroubleCount &entry = m_counts[static_cast<size_t>(kind)];
    entry.count += count;
    if (entry.examples.size() >= kExamples && entry.examples.back().offset <= offset)
        return;
    const auto place = std::lower_bound(entry.examples.begin(), entry.examples.end(), offset,
                                        [](const TroubleExample &example, uint64_t at) { return example.offset < at; });
    entry.examples.insert(place, {offset, std::string(text.substr(0, kExampleBytes))});
    if (entry.examples.size() > kExamples)
        entry.examples.pop_back();
}

void ImportReport::merge(const ImportReport &other)
{
    for (size_t kind = 0; kind < m_counts.size(); ++kind) {
        for (const TroubleExample &example : other.m_counts[kind].examples)
            add(static_cast<Trouble>(kind), example.offset, example.text, 0);
        m_counts[kind].count += other.m_counts[kind].count;
    }
}

uint64_t ImportReport::total(Severity severity) const
{
    uint64_t sum = 0;
    for (size_t kind = 0; kind < m_counts.size(); ++kind)
        if (kTroubles[kind].severity == severity)
            sum += m_counts[kind].count;
    return sum;
}

bool ImportReport::empty() const
{
    return std::all_of(m_counts.begin(), m_counts.end(), [](const TroubleCount &entry) { return entry.count == 0; });
}

const char *ImportReport::name(Trouble kind) { return kTroubles[static_cast<size_t>(kind)].name; }
const char *ImportReport::sentence(Trouble kind) { return kTroubles[static_cast<size_t>(kind)].sentence; }
Severity ImportReport::severity(Trouble kind) { return kTroubles[static_cast<size_t>(kind)].severity; }

const char *severityName(Severity severity)
{
    switch (severity) {
    case Severity::Note: return "note";
    case Severity::Repaired: return "repaired";
    case Severity::Lost: return "lost";
    }
    return "";
}

} // namespace riffle
