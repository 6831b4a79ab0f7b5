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
    BigVector<EventText> events = filledVector(trace.sliceCount(), EventText{});
    parallelFor(trace.segments.size(), [&](size_t at) {
        const Segment &segment = *trace.segments[at];
        for (uint32_t row = 0; row < segment.size(); ++row) {
            throwIfStoppedAt(row);
            const uint32_t id = segment.firstSlice + row;
            if (id < events.size())
                events[id] = {segment.slices.sourceOffset[row], segment.slices.sourceLength[row], id};
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

} // namespace

BigVector<uint8_t> slicesWithMatchingArguments(const Trace &trace, const TextMatcher &matches, bool literal)
{
    BigVector<uint8_t> matching = filledVector(trace.sliceCount(), uint8_t{0});
    if (!trace.source)
        return matching;
    const BigVector<EventText> events = eventsInFileOrder(trace);
    const std::vector<Piece> pieces = piecesOf(events);
    parallelFor(pieces.size(), [&](size_t at) {
        const Piece &piece = pieces[at];
        const uint64_t begin = events[piece.first].offset;
        uint64_t end = begin;
        for (size_t i = piece.first; i < piece.last; ++i)
            end = std::max(end, events[i].offset + events[i].length);
        const Result<std::string> text = trace.source->read(begin, static_cast<uint32_t>(end - begin));
        if (!text)
            return;
        for (size_t i = piece.first; i < piece.last; ++i) {
            const std::string_view event = std::string_view(*text).substr(events[i].offset - begin, events[i].length);
            // Text that is not in the event is not in its arguments either, so only events that may match are parsed.
            if ((!literal || matches(event)) && matches(argsText(event)))
                matching[events[i].slice] = 1;
        }
    });
    return matching;
}

} // namespace riffle
