// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/query/argument_scan.h"

#include "model/trace/json_entries.h"

#include <algorithm>
#include <cassert>

namespace riffle {

namespace {

constexpr uint64_t kPieceBytes = 4u << 20; ///< at most this much source text is read at a time
constexpr uint64_t kGapBytes = 1u << 16;   ///< at most this much other text between two events is read with them

} // namespace

void ArgumentScan::begin(const QueryPlan &plan, std::span<const QueryValue> values)
{
    TableScan::begin(plan, values);
    m_places.clear();
    m_nextPlace = m_textLast = 0;
    m_pending.reset();
    if (TableScan::next())
        m_pending = Pending{row().of, row().number};
}

/// Collects the slices of the next trace. Returns false if there is none, or if its source is not available, which is
/// an error of the query.
bool ArgumentScan::collectPlaces()
{
    m_places.clear();
    m_nextPlace = m_textLast = 0;
    if (!m_pending)
        return false;
    const QueryFile &file = *m_pending->file;
    const Trace &trace = traceOf(file).trace();
    SlicePlace slice;
    do {
        slice.goTo(trace, m_pending->slice);
        assert(slice); // the scan only stops at rows that exist
        const SliceTable &slices = slice.segment->slices;
        m_places.push_back({slices.sourceOffset[slice.at],
                            std::min(slices.sourceLength[slice.at], SourceText::kMostEventBytes), m_pending->slice});
        m_pending.reset();
        if (TableScan::next())
            m_pending = Pending{row().of, row().number};
    } while (m_pending && m_pending->file == &file);
    std::ranges::sort(m_places, {}, &Place::offset);
    notCounted(m_places.size());
    row().enterFile(file);
    if (trace.source)
        return true;
    run().error = Error{"The arguments cannot be read because the source file is gone.", trace.info.path, {}};
    return false;
}

/// Reads the arguments of a place into the row.
bool ArgumentScan::readArguments(size_t place)
{
    const SourceText &source = *row().trace().source;
    if (!source.hasTypedArguments()) {
        std::string_view event;
        if (!readText(place, event))
            return false;
        row().arguments = argumentsOfJson(argsText(event));
        return true;
    }
    auto arguments = source.arguments({m_places[place].offset, m_places[place].length});
    if (!arguments) {
        run().error = arguments.error();
        return false;
    }
    row().arguments = std::move(*arguments);
    return true;
}

bool ArgumentScan::readText(size_t place, std::string_view &event)
{
    if (place >= m_textLast) {
        assert(place < m_places.size());
        const uint64_t begin = m_places[place].offset;
        uint64_t end = begin + m_places[place].length;
        for (m_textLast = place + 1; m_textLast < m_places.size(); ++m_textLast) {
            const Place &next = m_places[m_textLast];
            if (next.offset > end + kGapBytes || next.offset + next.length - begin > kPieceBytes)
                break;
            end = std::max(end, next.offset + next.length);
        }
        Result<std::string> text = row().trace().source->read(begin, static_cast<uint32_t>(end - begin));
        if (!text) {
            run().error = text.error();
            return false;
        }
        m_text = std::move(*text);
        m_textBegin = begin;
    }
    event = std::string_view(m_text).substr(m_places[place].offset - m_textBegin, m_places[place].length);
    return true;
}

bool ArgumentScan::next()
{
    QueryRow &at = row();
    if (m_nextPlace > 0 && ++at.part < at.arguments.size())
        return true;
    do {
        while (m_nextPlace == m_places.size())
            if (!collectPlaces())
                return false;
        if (!mayGoOn() || run().stopped() || !readArguments(m_nextPlace))
            return false;
        at.number = m_places[m_nextPlace++].slice;
        at.slice.goTo(at.trace(), at.number);
        at.part = 0;
    } while (at.arguments.empty());
    return true;
}

} // namespace riffle
