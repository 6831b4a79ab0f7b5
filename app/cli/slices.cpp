// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/command.h"
#include "app/cli/output.h"
#include "model/analysis/search/text_matcher.h"
#include "model/analysis/summary/step_lookup.h"
#include "model/base/format.h"
#include "model/base/quoted_text.h"
#include "model/base/shown_text.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

namespace riffle::cli {

namespace {

struct SlicesOptions {
    std::string path;
    OpenOptions open;
    std::string name, category, lane, range;
    int64_t limit = INT64_MAX;
    bool json = false, csv = false, args = false;
};

std::string flagWords(uint16_t flags)
{
    static constexpr std::pair<uint16_t, const char *> kWords[] = {
        {slice_flag::Crossing, "crossing"},      {slice_flag::Unfinished, "unfinished"},
        {slice_flag::NoDuration, "no_duration"}, {slice_flag::NegativeDuration, "negative_duration"},
        {slice_flag::Repaired, "repaired"},      {slice_flag::AbsurdTime, "absurd_time"},
    };
    std::string out;
    for (const auto &[bit, word] : kWords)
        if (flags & bit)
            out += (out.empty() ? "" : "|") + std::string(word);
    return out;
}

std::string idText(int64_t value, bool isUnsigned)
{
    if (value == kNoInt && !isUnsigned)
        return {};
    return isUnsigned ? std::to_string(static_cast<uint64_t>(value)) : std::to_string(value);
}

/// The criteria that select the slices to print.
struct Wanted {
    TextMatcher name, category; ///< empty to match any
    std::optional<TimeSpan> range;
};

Result<Wanted> understood(const SlicesOptions &options)
{
    Wanted wanted;
    if (!options.name.empty()) {
        const auto name = regexMatcher(options.name, true);
        if (!name)
            return name.error();
        wanted.name = *name;
    }
    if (!options.category.empty())
        wanted.category = wholeTextMatcher(options.category);
    if (!options.range.empty()) {
        const auto range = parseRange(options.range);
        if (!range)
            return range.error();
        wanted.range = *range;
    }
    return wanted;
}

/// Applies a matcher to the strings of a trace, and remembers the result for each of them.
class StringFilter {
public:
    StringFilter(const Trace &trace, const TextMatcher &matches)
        : m_trace(trace)
        , m_matches(matches)
        , m_answers(matches ? trace.strings.count() : 0, Unknown)
    {
    }
    bool operator()(uint32_t id)
    {
        if (!m_matches)
            return true;
        if (id >= m_answers.size())
            return m_matches(m_trace.string(id));
        if (m_answers[id] == Unknown)
            m_answers[id] = m_matches(m_trace.string(id)) ? Yes : No;
        return m_answers[id] == Yes;
    }

private:
    enum Answer : uint8_t { Unknown, No, Yes };
    const Trace &m_trace;
    const TextMatcher &m_matches;
    std::vector<Answer> m_answers;
};

class SliceLister {
public:
    SliceLister(const Trace &trace, const SlicesOptions &options, const Wanted &wanted)
        : m_trace(trace)
        , m_options(options)
        , m_nameWanted(trace, wanted.name)
        , m_categoryWanted(trace, wanted.category)
    {
        const Ns origin = trace.info.recorded.begin;
        if (wanted.range)
            m_range = TimeSpan{saturatedSum(origin, wanted.range->begin), saturatedSum(origin, wanted.range->end)};
    }

    int run()
    {
        header();
        for (const auto &segment : m_trace.segments) {
            const std::string laneName = m_trace.laneName(segment->lane);
            if (!m_options.lane.empty() && laneName.find(m_options.lane) == std::string::npos)
                continue;
            for (uint32_t at = 0; at < segment->size() && m_count < m_options.limit; ++at) {
                if (!wanted(*segment, at))
                    continue;
                if (const auto slice = m_trace.slice(segment->idAt(at)))
                    print(*slice, laneName);
                ++m_count;
            }
        }
        footer();
        return exitCodeOf(m_trace);
    }

private:
    bool wanted(const Segment &segment, uint32_t at)
    {
        if (!m_categoryWanted(segment.slices.category[at]) || !m_nameWanted(segment.slices.name[at]))
            return false;
        const Ns start = segment.slices.start[at];
        return !m_range || (start < m_range->end && (segment.end(at) > m_range->begin || start == m_range->begin));
    }
    void header()
    {
        if (m_options.json)
            fmt::print("[");
        else if (m_options.csv)
            fmt::print("id,lane,depth,phase,category,name,start_ns,duration_ns,self_ns,parent,correlation,external_id,"
                       "flags{}\n",
                       m_options.args ? ",args" : "");
    }
    void footer()
    {
        if (m_options.json)
            fmt::print("\n]\n");
    }

    std::string args(const Slice &slice) const
    {
        if (!m_trace.source)
            return {};
        auto object = m_trace.source->argumentsObject({slice.data.sourceOffset, slice.data.sourceLength});
        return object ? std::move(*object) : std::string();
    }

    void print(const Slice &slice, const std::string &lane)
    {
        const SliceRow &row = slice.data;
        const std::string parent = slice.parent.valid() ? std::to_string(slice.parent.value) : "";
        const std::string correlation = idText(row.correlation, row.flags & slice_flag::UnsignedCorrelation);
        const std::string external = idText(row.externalId, row.flags & slice_flag::UnsignedExternalId);
        if (m_options.json) {
            const auto orNull = [](const std::string &text) { return text.empty() ? std::string("null") : text; };
            const SliceId launch = m_trace.launchOf(slice.id);
            fmt::print("{}\n{{\"id\": {}, \"lane\": {}, \"depth\": {}, \"phase\": {}, \"category\": {}, \"name\": {}, "
                       "\"start_ns\": {}, \"duration_ns\": {}, \"self_ns\": {}, \"parent\": {}, \"correlation\": {}, "
                       "\"external_id\": {}, \"flags\": {}, \"launch\": {}, \"offset\": {}, \"length\": {}",
                       m_count ? "," : "", slice.id.value, jsonString(lane), slice.depth,
                       jsonString(std::string_view(&row.phase, 1)), jsonString(m_trace.string(row.category)),
                       jsonString(m_trace.string(row.name)), row.start, row.duration, slice.self, orNull(parent),
                       orNull(correlation), orNull(external), jsonString(flagWords(row.flags)),
                       launch.valid() ? std::to_string(launch.value) : "null", row.sourceOffset, row.sourceLength);
            if (m_options.args)
                fmt::print(", \"args\": {}", jsonString(args(slice)));
            fmt::print("}}");
        } else if (m_options.csv) {
            fmt::print("{},{},{},{},{},{},{},{},{},{},{},{},{}", slice.id.value, csvField(lane), slice.depth, row.phase,
                       csvField(m_trace.string(row.category)), csvField(m_trace.string(row.name)), row.start,
                       row.duration, slice.self, parent, correlation, external, flagWords(row.flags));
            fmt::print("{}\n", m_options.args ? "," + csvField(args(slice)) : "");
        } else {
            fmt::print("{:>14}  {:>10}  {:<20.20} {:<18.18} {}{}\n",
                       formatDuration(row.start - m_trace.info.recorded.begin), formatDuration(row.duration),
                       shownText(lane), shownText(m_trace.string(row.category)), shownText(m_trace.string(row.name)),
                       m_options.args ? "  " + shownText(args(slice)) : "");
        }
    }

    const Trace &m_trace;
    const SlicesOptions &m_options;
    StringFilter m_nameWanted, m_categoryWanted;
    std::optional<TimeSpan> m_range; ///< on the trace's clock
    int64_t m_count = 0;
};

} // namespace

void addSlicesCommand(CLI::App &app, int &code)
{
    auto options = std::make_shared<SlicesOptions>();
    CLI::App *command = app.add_subcommand("slices", "List slices with all their columns");
    command->add_option("TRACE", options->path, "A trace file: Chrome JSON, plain, gzip or zstd")->required();
    command->add_option("--name", options->name,
                        "Only slices whose name contains a match of this regular expression (RE2 syntax)");
    command->add_option("--category", options->category, "Only slices of this category, ignoring case");
    command->add_option("--lane", options->lane, "Only lanes whose name contains this text");
    command->add_option("--range", options->range,
                        "Only slices that overlap this part of the trace: " + std::string(kRangeForm));
    command->add_option("--limit", options->limit, "Maximum number of slices")->check(rowCount());
    CLI::Option *json = command->add_flag("--json", options->json, "Print a JSON array");
    command->add_flag("--csv", options->csv, "Print comma-separated values with times in integer nanoseconds")
        ->excludes(json);
    command->add_flag("--args", options->args, "Add the arguments as written in the source");
    options->open.addTo(*command, "--load-range");
    command->footer(
        "\nColumns of --csv: id, lane, depth, phase, category, name, start_ns, duration_ns, self_ns, parent,\n"
        "correlation, external_id, flags. Times are integer nanoseconds on the trace's clock; parent is the\n"
        "id of the shortest slice in the lane that fully contains this one (of two equal slices, the one\n"
        "earlier in the file contains the other; on streams, only annotations contain other slices). flags\n"
        "is a list joined by |: crossing, unfinished, no_duration, negative_duration, repaired, absurd_time.\n"
        "\nExamples:\n"
        "  riffle-cli slices --category kernel --csv trace.json > kernels.csv\n"
        "  riffle-cli slices --name '^nccl' --range 10ms:250ms --args trace.json.gz\n");
    command->callback([options, &code] {
        const auto wanted = understood(*options);
        if (!wanted) {
            complain(wanted.error().text());
            code = Usage;
            return;
        }
        int gathered = Good;
        if (!gatherOne(options->path, Usable::Traces, options->open, gathered)) {
            code = gathered;
            return;
        }
        if (const auto [trace, store, storeRank] = openTrace(options->path, options->open, code); trace) {
            code = worseOf(gathered, SliceLister(*trace, *options, *wanted).run());
            flushOutput();
            code = codeAfterAnswer(*trace, code);
            if (store)
                store();
        }
    });
}

} // namespace riffle::cli
