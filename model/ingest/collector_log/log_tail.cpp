// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/collector_log/log_tail.h"

#include "model/ingest/collector_log/lane_names.h"

#include <algorithm>
#include <cassert>

namespace riffle {

using wire::ChunkType;
using wire::Field;

namespace {

/// A log of days has millions of readings of the wall clock, and each generation of its trace a copy of them. Half of
/// them tell as well how the clocks move apart.
void thinOut(std::vector<ClockReading> &readings)
{
    constexpr size_t kMost = 16'384;
    if (readings.size() <= kMost)
        return;
    const ClockReading last = readings.back();
    for (size_t at = 0; 2 * at < readings.size(); ++at)
        readings[at] = readings[2 * at];
    readings.resize((readings.size() + 1) / 2);
    if (readings.back() != last)
        readings.push_back(last);
}

uint32_t numberOf(const CollectorLog &log, uint32_t part) { return log.parts()[part]->header().sequence; }

} // namespace

LogTail::LogTail() = default;

/// Takes a newer log, in which parts may be missing or new at any place.
void LogTail::follow(std::shared_ptr<const CollectorLog> log)
{
    std::vector<uint32_t> read;
    uint32_t before = 0;
    for (uint32_t part = 0; part < log->parts().size(); ++part) {
        while (before < m_read.size() && numberOf(*m_log, before) < numberOf(*log, part))
            ++before;
        const bool isKnown = before < m_read.size() && numberOf(*m_log, before) == numberOf(*log, part);
        read.push_back(isKnown ? m_read[before] : 0);
        assert(read.back() <= log->parts()[part]->chunks().size());
    }
    if (!m_log || numberOf(*m_log, static_cast<uint32_t>(m_log->parts().size()) - 1) == 0) {
        m_index.pid = log->parts().front()->header().pid;
        m_index.firstTime = LogIndex::firstTimeOf(*log);
    }
    m_log = std::move(log);
    m_read = std::move(read);
}

std::vector<LogTail::Run> LogTail::unread(uint64_t mostBytes) const
{
    std::vector<Run> runs;
    uint64_t bytes = 0;
    for (uint32_t part = 0; part < m_read.size() && bytes < mostBytes; ++part) {
        const ChunkList &chunks = m_log->parts()[part]->chunks();
        if (m_read[part] == chunks.size())
            continue;
        Run &run = runs.emplace_back(Run{part, m_read[part], m_read[part]});
        while (run.end < chunks.size() && bytes < mostBytes)
            bytes += chunks[run.end++].header.rawBytes;
    }
    return runs;
}

Result<LogTail::Batch> LogTail::next(std::shared_ptr<const CollectorLog> log, TraceWriter &into, uint64_t mostBytes)
{
    follow(std::move(log));
    if (m_sink)
        m_sink->useWriter(into);
    else
        m_sink.emplace(into, m_index, PartFilter());
    Batch batch;
    const std::vector<Run> runs = unread(mostBytes);
    readExternals(runs, into, batch);
    findNewest(m_openRanges, runs);
    findNewest(m_openGaps, runs);
    const size_t sortedClocks = m_index.clocks.size();
    for (const Run &run : runs)
        readRun(run, into, batch);
    sortClocks(m_index.clocks, sortedClocks);
    thinOut(m_index.clocks);
    m_index.baseTimeNs = baseOf(m_index.clocks);
    m_index.externals.dropOldest();
    forgetTables();
    batch.isComplete = unread(1).empty();
    if (m_log->lost())
        return Error{"The file changed while it was being read.", {}, std::nullopt, ErrorKind::Changed};
    return batch;
}

/// Reads the ids before everything else, because the recorder writes them behind their calls.
void LogTail::readExternals(const std::vector<Run> &runs, TraceWriter &into, Batch &batch)
{
    for (const Run &run : runs)
        for (ChunkPlace place{run.part, run.first}; place.chunk < run.end; ++place.chunk) {
            if (m_log->type(place) != ChunkType::Externals || !read(place, into, batch))
                continue;
            const int64_t *correlation = m_reader.columns().ints(Field::Correlation);
            const int64_t *external = m_reader.columns().ints(Field::ExternalId);
            for (uint32_t row = 0; correlation && external && row < m_reader.columns().rows(); ++row) {
                m_index.externals.add(correlation[row], external[row]);
                batch.externalIds.emplace_back(correlation[row], external[row]);
            }
        }
}

void LogTail::readRun(const Run &run, TraceWriter &into, Batch &batch)
{
    std::shared_ptr<PartTables> &tables = m_tables[numberOf(*m_log, run.part)];
    if (!tables)
        tables = std::make_shared<PartTables>();
    m_sink->usePart(tables);
    bool hasThreads = run.first == 0;
    for (ChunkPlace place{run.part, run.first}; place.chunk < run.end; ++place.chunk) {
        const ChunkType type = m_log->type(place);
        m_index.lastTime = std::max(m_index.lastTime, LogIndex::endOf(m_log->chunk(place).header));
        if (type == ChunkType::Externals)
            continue;
        const bool good = read(place, into, batch);
        followOpen(m_openRanges, place, tables);
        followOpen(m_openGaps, place, tables);
        if (!good)
            continue;
        if (PartTables::isTable(type)) {
            tables->add(type, m_reader);
            tables->measureFrames();
            hasThreads |= type == ChunkType::Threads;
            continue;
        }
        const ChunkColumns &columns = m_reader.columns();
        if (type == ChunkType::Clocks)
            appendClocks(m_index.clocks, columns);
        m_marks.add(type, columns, *tables);
        m_facts.add(m_log->address(place), type, columns, *tables, m_index);
        m_sink->add(m_log->address(place), type, columns);
    }
    m_read[run.part] = run.end;
    if (hasThreads)
        m_facts.addThreads(m_log->address({run.part, 0}), *tables);
}

/// Reads a chunk; if it does not match its header, the report says so and it has no rows.
bool LogTail::read(ChunkPlace place, TraceWriter &into, Batch &batch)
{
    ++batch.chunks;
    if (m_reader.read(*m_log, place))
        return true;
    into.report().add(Trouble::BrokenChunk, m_log->address(place), m_log->mismatchAt(place));
    return false;
}

/// Finds the newest chunk of open rows in these runs, if any: it alone counts.
void LogTail::findNewest(Open &open, const std::vector<Run> &runs)
{
    for (const Run &run : runs)
        for (ChunkPlace place{run.part, run.first}; place.chunk < run.end; ++place.chunk)
            if (m_log->type(place) == open.rows.type())
                open.address = std::max(open.address, m_log->address(place));
}

/// Brings the open rows up to the chunk that was just read.
void LogTail::followOpen(Open &open, ChunkPlace place, const std::shared_ptr<PartTables> &tables)
{
    const uint64_t address = m_log->address(place);
    if (address == open.address && m_log->type(place) == open.rows.type()) {
        open.rows.open(m_reader.columns());
        open.tables = tables;
    } else if (address > open.address && m_log->type(place) == open.rows.endType()) {
        open.rows.end(m_reader.columns());
    }
}

/// Frees the tables of the parts that are complete.
void LogTail::forgetTables()
{
    for (uint32_t part = 0; part + 1 < m_read.size(); ++part)
        if (numberOf(*m_log, part) != 0 && m_read[part] == m_log->parts()[part]->chunks().size())
            m_tables.erase(numberOf(*m_log, part));
}

void LogTail::addOpen(TraceWriter &into)
{
    if (!m_sink)
        return;
    m_sink->useWriter(into);
    for (const Open *open : {&m_openRanges, &m_openGaps}) {
        // The file may have left the log, which keeps the newest ones.
        const std::optional<ChunkPlace> place = open->rows.empty() ? std::nullopt : m_log->chunkAt(open->address);
        if (!place || !m_reader.read(*m_log, *place))
            continue;
        m_sink->usePart(open->tables);
        m_sink->addUnfinished(open->address, open->rows.type(), m_reader.columns(), open->rows.rows());
    }
}

void LogTail::addNames(TraceWriter &into) const
{
    if (m_sink)
        addLaneNames(m_facts, m_index.pid, m_sink->streams(), m_log->endAddress(), into);
}

} // namespace riffle
