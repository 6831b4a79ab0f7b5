// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/big_vector.h"
#include "model/base/result.h"
#include "model/base/task.h"
#include "model/trace/trace_set.h"

#include <optional>
#include <string>
#include <vector>

namespace riffle {

struct SearchQuery {
    enum class Mode : uint8_t { Substring, Regex, Category };
    std::string text;
    Mode mode = Mode::Substring;
    bool caseSensitive = false;
    bool arguments = false; ///< also search the text of the arguments, which is read from the source (slow)

    bool operator==(const SearchQuery &) const = default;
};

/// All slices that match a query, in order of time over the whole set. Hits are stored as ascending runs, one per row
/// of a segment, so they never need sorting. The hits stay valid as long as the traces do.
class SearchHits {
public:
    uint64_t count() const { return m_count; }
    /// Per trace, the StringIds of the matching names, sorted, for highlighting.
    const PerTrace<std::vector<uint32_t>> &names() const { return m_names; }

    /// The hit after (before) a slice in order of (start, trace, position); wraps around. Invalid if there are no hits.
    SliceRef next(SliceRef from) const;
    SliceRef previous(SliceRef from) const;
    /// The first hit that starts at or after a time (set time); the very first hit if there is none.
    SliceRef atOrAfter(Ns time) const;
    /// The number of hits before a slice; for a hit, this is its zero-based position.
    uint64_t rank(SliceRef slice) const;
    bool contains(SliceRef slice) const;
    /// Divides a span (set time) into equal parts, and returns for each whether a hit starts in it.
    std::vector<bool> spread(TimeSpan span, size_t parts) const;

private:
    friend class Searcher;
    struct Run {
        TraceId trace;
        const Segment *segment;
        BigVector<uint32_t> rows; ///< ascending indices into the segment, all of one row
    };
    /// The slices of a trace that start at the same time have the order of positions, as the runs do.
    struct Key {
        Ns start;
        TraceId trace;
        uint32_t firstSlice; ///< of the segment
        uint32_t at;         ///< index in the segment
        uint32_t slice;      ///< SliceId
        auto operator<=>(const Key &) const = default;
    };
    std::optional<Key> keyOf(SliceRef slice) const;
    Key keyOf(TraceId trace, const Segment &segment, uint32_t at) const;
    Key key(const Run &run, size_t at) const;
    size_t countBelow(const Run &run, const Key &key) const; ///< the number of hits of the run before the key
    SliceRef first() const;
    SliceRef last() const;

    TraceSet m_traces;
    std::vector<Run> m_runs;
    PerTrace<std::vector<uint32_t>> m_names;
    uint64_t m_count = 0;
};

/// Finds the matching names first (each is tested once), then the slices with these names. Returns an Error if the
/// regular expression is invalid or the task was stopped.
Result<SearchHits> search(const TraceSet &traces, const SearchQuery &query, const Task &task);

} // namespace riffle
