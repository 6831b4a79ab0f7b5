// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/collector_log/log_pass.h"

#include "model/base/parallel.h"
#include "model/ingest/collector_log/lane_names.h"

#include <algorithm>

namespace riffle {

namespace {

constexpr uint64_t kRunBytes = 1 << 20; ///< a run ends when it has this much payload

} // namespace

std::vector<ChunkRun> chunkRuns(const CollectorLog &log)
{
    std::vector<ChunkRun> runs;
    for (uint32_t part = 0; part < log.parts().size(); ++part) {
        uint64_t bytes = kRunBytes;
        const ChunkList &chunks = log.parts()[part]->chunks();
        for (uint32_t chunk = 0; chunk < chunks.size(); ++chunk) {
            if (bytes >= kRunBytes) {
                runs.push_back({part, chunk, chunk});
                bytes = 0;
            }
            runs.back().end = chunk + 1;
            bytes += chunks[chunk].header.rawBytes;
        }
    }
    return runs;
}

LogPass::LogPass(const CollectorLog &log, const LogIndex &index, TraceBuilder &builder, PartFilter filter,
                 const Task &task)
    : m_log(log)
    , m_index(index)
    , m_task(task)
    , m_runs(chunkRuns(log))
    , m_tables(log, workerCount() + 1)
    , m_factsOf(workerCount())
{
    for (unsigned worker = 0; worker < m_factsOf.size(); ++worker) {
        m_writers.push_back(&builder.newWriter());
        m_sinks.push_back(std::make_unique<RowSink>(*m_writers.back(), index, filter));
    }
}

void LogPass::showPreview(const std::function<void(const LoadPreview &)> &deliver)
{
    if (deliver)
        m_preview = std::make_unique<PreviewCollector>(deliver, static_cast<unsigned>(m_writers.size()));
}

Result<void> LogPass::run()
{
    if (m_task.progress)
        m_task.progress->bytesTotal = m_log.fileBytes();
    parallelWorkers([this](unsigned worker) {
        if (worker < m_writers.size())
            work(worker);
    });
    if (m_task.stopped())
        return Error{"The import was cancelled.", {}, std::nullopt, ErrorKind::Cancelled};
    if (m_log.lost())
        return Error{"The file changed while it was being read.", {}, std::nullopt, ErrorKind::Changed};
    for (const LogFacts &facts : m_factsOf)
        m_facts.merge(facts);
    m_writers.front()->beginBatch(m_runs.size());
    addUnfinished();
    std::set<std::pair<int64_t, int64_t>> streams;
    for (const auto &sink : m_sinks)
        streams.insert(sink->streams().begin(), sink->streams().end());
    addLaneNames(m_facts, m_index.pid, streams, m_log.endAddress(), *m_writers.front());
    return {};
}

void LogPass::work(unsigned worker)
{
    ChunkReader reader;
    for (size_t number = m_next++; number < m_runs.size() && !m_task.stopped(); number = m_next++) {
        readRun(number, worker, reader);
        if (m_preview && !m_writers[worker]->outOfMemory())
            m_preview->batchRead(worker, *m_writers[worker]);
        if (m_writers[worker]->outOfMemory())
            m_next = m_runs.size();
    }
}

void LogPass::readRun(size_t number, unsigned worker, ChunkReader &reader)
{
    const ChunkRun &run = m_runs[number];
    const std::shared_ptr<const PartTables> tables = m_tables.of(run.part);
    TraceWriter &writer = *m_writers[worker];
    RowSink &sink = *m_sinks[worker];
    LogFacts &facts = m_factsOf[worker];
    writer.beginBatch(number);
    sink.usePart(tables);
    if (run.first == 0)
        facts.addThreads(m_log.address({run.part, 0}), *tables);
    uint64_t bytes = 0;
    for (ChunkPlace place{run.part, run.first}; place.chunk < run.end; ++place.chunk) {
        const LogChunk &where = m_log.chunk(place);
        const uint64_t address = m_log.address(place);
        bytes += sizeof where.header + where.header.storedBytes;
        if (!reader.read(m_log, place)) {
            writer.report().add(Trouble::BrokenChunk, address, m_log.mismatchAt(place));
            continue;
        }
        facts.add(address, where.header.type, reader.columns(), *tables, m_index);
        sink.add(address, where.header.type, reader.columns());
    }
    if (m_task.progress)
        m_task.progress->bytesDone += bytes;
}

void LogPass::addUnfinished()
{
    ChunkReader reader;
    RowSink &sink = *m_sinks.front();
    const auto add = [&](ChunkPlace place, const std::vector<uint32_t> &rows) {
        if (rows.empty() || !reader.read(m_log, place))
            return;
        sink.usePart(m_tables.of(place.part));
        sink.addUnfinished(m_log.address(place), m_log.type(place), reader.columns(), rows);
    };
    add(m_index.openChunk, m_index.unfinished);
    add(m_index.openGapChunk, m_index.unfinishedGaps);
}

} // namespace riffle
