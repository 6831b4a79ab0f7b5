// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/ingest/collector_log/log_facts.h"
#include "model/ingest/collector_log/open_rows.h"
#include "model/ingest/collector_log/row_sink.h"
#include "model/ingest/collector_log/settled_marks.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace riffle {

/// Reads a log batch by batch while it is written: a batch costs what is new, not what is there. After the batches, the
/// writers have the rows that LogPass reads at once, except for external ids that come later than their calls (Batch).
/// Used by one thread at a time.
class LogTail {
public:
    /// The result of next().
    struct Batch {
        uint64_t chunks = 0;
        bool isComplete = true; ///< false if the log has further chunks, which the next batch reads
        /// The external ids in these chunks, by correlation, in order. The rows of this batch have them; they also
        /// belong to the calls and the device work of earlier batches that have such a correlation and no id.
        std::vector<std::pair<int64_t, int64_t>> externalIds;
    };

    LogTail();
    LogTail(const LogTail &) = delete;
    LogTail &operator=(const LogTail &) = delete;

    /// Reads the chunks of `log` that no earlier batch has read, and adds their rows to the latest batch of `into`. The
    /// log is that of the batch before, or one that advance() has made of it. A batch ends behind the first chunk with
    /// which it has `mostBytes` of payload. Returns an Error if a file was shortened; the tail is of no use then.
    Result<Batch> next(std::shared_ptr<const CollectorLog> log, TraceWriter &into, uint64_t mostBytes = UINT64_MAX);
    /// Adds the ranges and gaps that are open now. They are slices that never ended, as in a log that ends here: when
    /// they have ended, a later batch has them again.
    void addOpen(TraceWriter &into);
    /// Adds the names of the lanes, as they are known now.
    void addNames(TraceWriter &into) const;

    /// Up to when the log is complete, as far as it was read.
    const SettledMarks &marks() const { return m_marks; }
    const LogFacts &facts() const { return m_facts; }
    /// The process, the clocks, the first and the last time and the newest external ids. Open ranges are not in it.
    const LogIndex &index() const { return m_index; }

private:
    /// Chunks of a part, [first, end).
    struct Run {
        uint32_t part = 0, first = 0, end = 0;
    };
    /// The last chunk of open ranges or gaps.
    struct Open {
        OpenRows rows;
        uint64_t address = 0; ///< of its first row
        std::shared_ptr<const PartTables> tables;
    };

    void follow(std::shared_ptr<const CollectorLog> log);
    std::vector<Run> unread(uint64_t mostBytes) const;
    void readExternals(const std::vector<Run> &runs, TraceWriter &into, Batch &batch);
    void readRun(const Run &run, TraceWriter &into, Batch &batch);
    bool read(ChunkPlace place, TraceWriter &into, Batch &batch);
    void findNewest(Open &open, const std::vector<Run> &runs);
    void followOpen(Open &open, ChunkPlace place, const std::shared_ptr<PartTables> &tables);
    void forgetTables();

    std::shared_ptr<const CollectorLog> m_log;
    std::vector<uint32_t> m_read;                             ///< for each part of the log, the chunks that were read
    std::map<uint32_t, std::shared_ptr<PartTables>> m_tables; ///< of parts that may go on, by their number
    ChunkReader m_reader;
    LogIndex m_index;
    std::optional<RowSink> m_sink; ///< from the first batch on
    LogFacts m_facts;
    SettledMarks m_marks;
    Open m_openRanges{OpenRows(wire::ChunkType::OpenRanges), 0, nullptr};
    Open m_openGaps{OpenRows(wire::ChunkType::OpenGaps), 0, nullptr};
};

} // namespace riffle
