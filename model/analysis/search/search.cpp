// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/search/search.h"

#include "model/analysis/search/argument_search.h"
#include "model/analysis/search/text_matcher.h"
#include "model/base/big_vector.h"
#include "model/base/parallel.h"
#include "model/base/stopping.h"

#include <algorithm>
#include <atomic>
#include <span>

namespace riffle {

namespace {

/// One byte per string of a trace: 1 if it matches.
std::vector<uint8_t> matchingStrings(const Trace &trace, const TextMatcher &matches)
{
    constexpr size_t kBatch = 4096;
    std::vector<uint8_t> matching(trace.strings.count(), 0);
    parallelFor((matching.size() + kBatch - 1) / kBatch, [&](size_t batch) {
        const size_t end = std::min(matching.size(), (batch + 1) * kBatch);
        for (size_t id = batch * kBatch; id < end; ++id)
            matching[id] = matches(trace.string(static_cast<uint32_t>(id)));
    });
    return matching;
}

} // namespace

/// Fills a SearchHits; used once.
class Searcher {
public:
    Searcher(const TraceSet &traces, const SearchQuery &query) : m_query(query) { m_hits.m_traces = traces; }

    Result<SearchHits> run()
    {
        TextMatcher matches = substringMatcher(m_query.text, m_query.caseSensitive);
        if (m_query.mode == SearchQuery::Mode::Regex) {
            Result<TextMatcher> compiled = regexMatcher(m_query.text, m_query.caseSensitive);
            if (!compiled)
                return compiled.error();
            matches = *compiled;
        }
        for (const LoadedTrace &member : m_hits.m_traces.loaded())
            searchTrace(member.id, *member.trace, matches);
        return std::move(m_hits);
    }

private:
    void searchTrace(TraceId id, const Trace &trace, const TextMatcher &matches)
    {
        const std::vector<uint8_t> matching = matchingStrings(trace, matches);
        PerSlice<uint8_t> inArguments;
        if (m_query.arguments)
            inArguments = slicesWithMatchingArguments(trace, matches, m_query.mode != SearchQuery::Mode::Regex);

        std::vector<std::vector<SearchHits::Run>> runs(trace.segments.size());
        std::vector<uint8_t> used(matching.size(), 0); // per name, 1 if a hit has it
        parallelFor(trace.segments.size(),
                    [&](size_t at) { searchSegment(id, *trace.segments[at], matching, inArguments, runs[at]); });
        for (std::vector<SearchHits::Run> &ofSegment : runs) {
            for (SearchHits::Run &run : ofSegment) {
                m_hits.m_count += run.rows.size();
                for (const uint32_t row : run.rows) {
                    const uint32_t name = run.segment->slices.name[row];
                    if (name < used.size())
                        used[name] = 1;
                }
                m_hits.m_runs.push_back(std::move(run));
            }
        }
        std::vector<uint32_t> names;
        for (uint32_t name = 0; name < used.size(); ++name)
            if (used[name])
                names.push_back(name);
        m_hits.m_names[id] = std::move(names);
    }

    void searchSegment(TraceId trace, const Segment &segment, std::span<const uint8_t> matching,
                       const PerSlice<uint8_t> &inArguments, std::vector<SearchHits::Run> &runs) const
    {
        const bool byCategory = m_query.mode == SearchQuery::Mode::Category;
        const Column<uint32_t> &texts = byCategory ? segment.slices.category : segment.slices.name;
        for (uint32_t row = 0; row < segment.rows(); ++row) {
            SearchHits::Run run{trace, &segment, {}};
            for (uint32_t at = segment.rowBegin[row]; at < segment.rowBegin[row + 1]; ++at) {
                throwIfStoppedAt(at);
                const uint32_t text = texts[at];
                if ((text < matching.size() && matching[text]) || (!inArguments.empty() && inArguments.of(segment, at)))
                    run.rows.push_back(at);
            }
            if (!run.rows.empty())
                runs.push_back(std::move(run));
        }
    }

    SearchHits m_hits;
    const SearchQuery &m_query;
};

Result<SearchHits> search(const TraceSet &traces, const SearchQuery &query, const Task &task)
{
    auto hits = untilStopped(task.stop, [&] { return Searcher(traces, query).run(); });
    return hits ? std::move(*hits) : Error{"The search was stopped.", {}, {}, ErrorKind::Cancelled};
}

} // namespace riffle
