// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/task.h"
#include "model/ingest/collector_log/log_facts.h"
#include "model/ingest/collector_log/row_sink.h"
#include "model/ingest/collector_log/tables_cache.h"
#include "model/ingest/preview_collector.h"
#include "model/trace/trace_builder.h"

#include <atomic>
#include <functional>
#include <memory>
#include <vector>

namespace riffle {

/// A run of chunks of one part, [first, end), that a worker takes at a time, long enough to be worth a batch.
struct ChunkRun {
    uint32_t part = 0;
    uint32_t first = 0;
    uint32_t end = 0;
};
std::vector<ChunkRun> chunkRuns(const CollectorLog &log);

/// One pass over a log, which fills a builder.
class LogPass {
public:
    LogPass(const CollectorLog &log, const LogIndex &index, TraceBuilder &builder, PartFilter filter, const Task &task);

    void showPreview(const std::function<void(const LoadPreview &)> &deliver);
    Result<void> run();
    /// The facts in the log about itself and the process, known after run().
    const LogFacts &facts() const { return m_facts; }

private:
    void work(unsigned worker);
    void readRun(size_t number, unsigned worker, ChunkReader &reader);
    void addUnfinished();

    const CollectorLog &m_log;
    const LogIndex &m_index;
    const Task &m_task;
    const std::vector<ChunkRun> m_runs;
    TablesCache m_tables;
    std::atomic<size_t> m_next{0};
    std::vector<TraceWriter *> m_writers;
    std::vector<std::unique_ptr<RowSink>> m_sinks;
    std::vector<LogFacts> m_factsOf; ///< per worker
    LogFacts m_facts;
    std::unique_ptr<PreviewCollector> m_preview;
};

} // namespace riffle
