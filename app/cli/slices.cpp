// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/command.h"
#include "app/cli/json_writer.h"
#include "model/base/format.h"

#include <fmt/format.h>

#include <regex>
#include <unordered_map>

namespace riffle::cli {

namespace {

struct Options {
    std::string path;
    OpenOptions open;
    std::string name, category, lane, range;
    uint64_t limit = UINT64_MAX;
    bool json = false, csv = false, args = false;
};

std::string flagWords(uint16_t flags)
{
    static constexpr std::pair<uint16_t, const char *> kWords[] = {
        {slice_flag::Crossing, "crossing"},       {slice_flag::Unfinished, "unfinished"},
        {slice_flag::NoDuration, "no_duration"},  {slice_flag::NegativeDuration, "negative_duration"},
        {slice_flag::Repaired, "repaired"},       {slice_flag::AbsurdTime, "absurd_time"},
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

class SliceLister {
public:
    SliceLister(const Trace &trace, const Options &options) : m_trace(trace), m_options(options) {}

    int run()
    {
        std::optional<std::regex> name, lane;
        try {
            if (!m_options.name.empty())
                name.emplace(m_options.name, std::regex::ECMAScript | std::regex::optimize);
        } catch (const std::regex_error &error) {
            fmt::print(stderr, "riffle-cli: --name is no regular expression: {}\n", error.what());
            return Usage;
        }
        std::optional<TimeSpan> range;
        if (!m_options.range.empty()) {
            range = parseRange(m_options.range);
            if (!range) {
                fmt::print(stderr, "riffle-cli: a range is two times, e.g. 10ms:250ms\n");
                return Usage;
            }
            range = TimeSpan{range->begin + m_trace.info.recorded.begin, range->end + m_trace.info.recorded.begin};
        }
        std::vector<int8_t> nameWanted(m_trace.strings.count(), name ? -1 : 1);
        header();
        for (const auto &segment : m_trace.segments) {
            const std::string laneName = m_trace.laneName(segment->lane);
            if (!m_options.lane.empty() && laneName.find(m_options.lane) == std::string::npos)
                continue;
            for (uint32_t at = 0; at < segment->size() && m_count < m_options.limit; ++at) {
                if (!m_options.category.empty() && m_trace.string(segment->slices.category[at]) != m_options.category)
                    continue;
                const uint32_t id = segment->slices.name[at];
                if (id < nameWanted.size() && nameWanted[id] < 0) {
                    const std::string_view text = m_trace.string(id);
                    nameWanted[id] = std::regex_search(text.begin(), text.end(), *name);
                }
                if (id < nameWanted.size() && !nameWanted[id])
                    continue;
                const Ns start = segment->slices.start[at];
                if (range && (start >= range->end || (segment->end(at) <= range->begin && start != range->begin)))
                    continue;
                if (const auto slice = m_trace.slice(SliceId(segment->firstSlice + at)))
                    print(*slice, laneName);
                ++m_count;
            }
        }
        footer();
        return exitCodeOf(m_trace);
    }

private:
    void header()
    {
        if (m_options.json)
            fmt::print("[");
        else if (m_options.csv)
            fmt::print("id,lane,depth,phase,category,name,start_ns,duration_ns,self_ns,parent,correlation,external_id,flags{}\n",
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
        const auto text = m_trace.source->read(slice.data.sourceOffset, slice.data.sourceLength);
        return text ? argsText(*text) : std::string();
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
                       m_count ? "," : "", slice.id.value, jsonString(lane), slice.depth, jsonString(std::string_view(&row.phase, 1)),
                       jsonString(m_trace.string(row.category)), jsonString(m_trace.string(row.name)), row.start, row.duration,
                       slice.self, orNull(parent), orNull(correlation), orNull(external), jsonString(flagWords(row.flags)),
                       launch.valid() ? std::to_string(launch.value) : "null", row.sourceOffset, row.sourceLength);
            if (m_options.args)
                fmt::print(", \"args\": {}", jsonString(args(slice)));
            fmt::print("}}");
        } else if (m_options.csv) {
            fmt::print("{},{},{},{},{},{},{},{},{},{},{},{},{}", slice.id.value, csvField(lane), slice.depth, row.phase,
                       csvField(m_trace.string(row.category)), csvField(m_trace.string(row.name)), row.start, row.duration,
                       slice.self, parent, correlation, external, flagWords(row.flags));
            fmt::print("{}\n", m_options.args ? "," + csvField(args(slice)) : "");
        } else {
            fmt::print("{:>14}  {:>10}  {:<20.20} {:<18.18} {}{}\n", formatDuration(row.start - m_trace.info.recorded.begin),
                       formatDuration(row.duration), lane, m_trace.string(row.category), m_trace.string(row.name),
                       m_options.args ? "  " + args(slice) : "");
        }
    }

    const Trace &m_trace;
    const Options &m_options;
    uint64_t m_count = 0;
};

} // namespace

void addSlicesCommand(CLI::App &app, int &code)
{
    auto options = std::make_shared<Options>();
    CLI::App *command = app.add_subcommand("slices", "List slices with all their columns");
    command->add_option("TRACE", options->path, "A trace file: Chrome JSON, plain, gzip or zstd")->required();
    command->add_option("--name", options->name, "Only slices whose name matches this regular expression");
    command->add_option("--category", options->category, "Only slices of this category");
    command->add_option("--lane", options->lane, "Only lanes whose name contains this");
    command->add_option("--range", options->range, "Only slices that overlap this time after the trace's begin, e.g. 10ms:250ms");
    command->add_option("--limit", options->limit, "At most so many slices");
    CLI::Option *json = command->add_flag("--json", options->json, "A JSON array");
    command->add_flag("--csv", options->csv, "Comma-separated values, times in integer nanoseconds")->excludes(json);
    command->add_flag("--args", options->args, "Add the arguments as they stand in the source");
    options->open.addTo(*command, "--load-range");
    command->footer("\nColumns of --csv: id, lane, depth, phase, category, name, start_ns, duration_ns, self_ns, parent,\n"
                    "correlation, external_id, flags. Times are integer nanoseconds on the trace's clock; parent is the\n"
                    "id of the shortest slice of the lane that wholly contains this one; flags is a list joined by |:\n"
                    "crossing, unfinished, no_duration, negative_duration, repaired, absurd_time.\n"
                    "\nExamples:\n"
                    "  riffle-cli slices --category kernel --csv trace.json > kernels.csv\n"
                    "  riffle-cli slices --name '^nccl' --range 10ms:250ms --args trace.json.gz\n");
    command->callback([options, &code] {
        if (const auto [trace, store] = openTrace(options->path, options->open, code); trace) {
            code = SliceLister(*trace, *options).run();
            std::fflush(stdout);
            if (store)
                store();
        }
    });
}

} // namespace riffle::cli
