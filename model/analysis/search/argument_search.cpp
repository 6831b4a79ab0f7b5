// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/search/argument_search.h"

#include "model/base/big_vector.h"
#include "model/base/filled_vector.h"
#include "model/base/merge_sort.h"
#include "model/base/parallel.h"
#include "model/trace/json_entries.h"

#include <algorithm>
#include <span>

namespace riffle {

namespace {

constexpr uint64_t kPieceBytes = 4u << 20; ///< the maximum size of the source text that is read as one piece
constexpr uint64_t kGapBytes = 1u << 16;   ///< the maximum gap between two events of a piece

struct EventText {
    uint64_t offset;
    uint32_t length;
    uint32_t slice;
};

struct Piece {
    size_t first;
    size_t last;
};

BigVector<EventText> eventsInFileOrder(const Trace &trace)
{
    const SlicePositions positions(trace);
    BigVector<EventText> events = filledVector(positions.size(), EventText{});
    parallelFor(trace.segments.size(), [&](size_t at) {
        const Segment &segment = *trace.segments[at];
        for (uint32_t row = 0; row < segment.size(); ++row) {
            throwIfStoppedAt(row);
            events[positions.of(segment, row)] = {segment.slices.sourceOffset[row], segment.slices.sourceLength[row],
                                                  segment.idAt(row).value};
        }
    });
    stoppableSort(events, [](const EventText &left, const EventText &right) { return left.offset < right.offset; });
    return events;
}

std::vector<Piece> piecesOf(std::span<const EventText> events)
{
    std::vector<Piece> pieces;
    for (size_t at = 0; at < events.size(); ++at) {
        const EventText &event = events[at];
        const bool joins = !pieces.empty() &&
                           event.offset + event.length - events[pieces.back().first].offset <= kPieceBytes &&
                           event.offset <= events[at - 1].offset + events[at - 1].length + kGapBytes;
        if (joins)
            pieces.back().last = at + 1;
        else
            pieces.push_back({at, at + 1});
    }
    return pieces;
}

/// Searches the text of a piece's events, which is read at once.
void searchText(const Trace &trace, std::span<const EventText> events, const TextMatcher &matches, bool literal,
                PerSlice<uint8_t> &matching)
{
    const uint64_t begin = events.front().offset;
    uint64_t end = begin;
    for (const EventText &event : events)
        end = std::max(end, event.offset + event.length);
    const Result<std::string> text = trace.source->read(begin, static_cast<uint32_t>(end - begin));
    if (!text)
        return;
    for (const EventText &event : events) {
        const std::string_view own = std::string_view(*text).substr(event.offset - begin, event.length);
        // Text that is not in the event is not in its arguments either, so only events that may match are parsed.
        if ((!literal || matches(own)) && matches(argsText(own)))
            matching[event.slice] = 1;
    }
}

/// Searches arguments that the format knows without a text.
void searchTyped(const Trace &trace, std::span<const EventText> events, const TextMatcher &matches,
                 PerSlice<uint8_t> &matching)
{
    for (const EventText &event : events) {
        const auto object = trace.source->argumentsObject({event.offset, event.length});
        if (object && matches(*object))
            matching[event.slice] = 1;
    }
}

} // namespace

PerSlice<uint8_t> slicesWithMatchingArguments(const Trace &trace, const TextMatcher &matches, bool literal)
{
    PerSlice<uint8_t> matching(trace, 0);
    if (!trace.source)
        return matching;
    const BigVector<EventText> events = eventsInFileOrder(trace);
    const std::vector<Piece> pieces = piecesOf(events);
    parallelFor(pieces.size(), [&](size_t at) {
        const auto ofPiece = std::span(events).subspan(pieces[at].first, pieces[at].last - pieces[at].first);
        if (trace.source->hasTypedArguments())
            searchTyped(trace, ofPiece, matches, matching);
        else
            searchText(trace, ofPiece, matches, literal, matching);
    });
    return matching;
}

} // namespace riffle
