// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/ingest/collector_log/log_tail.h"
#include "model/ingest/importer.h"
#include "model/trace/growth/trace_growth.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace riffle {

/// A log that is still written, as a trace: each step gives the next generation (see TraceGrowth). Used by one thread
/// at a time; the generations may be read by others.
class GrowingLog : public GrowingSource {
public:
    /// CUPTI hands over some of what it has one flush later than the mark says: two flushes of a recorder, and a half.
    static constexpr Ns kHandedOverWithin = 500'000'000;

    /// Opens a log as CollectorLog::open() does. Nothing is read yet.
    static Result<std::unique_ptr<GrowingLog>> open(const std::string &path, GrowthWindow window = {});

    /// Reads what the log has gained, at most about `mostBytes` of payload, and returns the trace as it is now; null if
    /// nothing is new.
    Result<std::shared_ptr<const Trace>> next(uint64_t mostBytes = UINT64_MAX) override;
    /// Takes what was read for the whole log: what is open ends, everything is settled. For a log that nobody writes
    /// any more; one with an End chunk needs no call.
    Result<std::shared_ptr<const Trace>> finish();

    /// True if the log was closed by its recorder, and all of it was read.
    bool isFinished() const override { return m_isFinished; }
    /// True if the log has more than next() has read, because of its limit.
    bool isBehind() const override { return m_isBehind; }
    std::optional<Ns> settled() const override;
    const SettledMarks &marks() const { return m_tail.marks(); }
    const LogFacts &facts() const { return m_tail.facts(); }
    const CollectorLog &log() const { return *m_log; }

private:
    GrowingLog(std::string path, std::shared_ptr<const CollectorLog> log, GrowthWindow window);
    Result<std::shared_ptr<const Trace>> generation();

    const std::string m_path;
    std::shared_ptr<const CollectorLog> m_log;
    std::shared_ptr<ColumnMemory> m_memory = std::make_shared<ColumnMemory>();
    LogTail m_tail;
    TraceGrowth m_growth;
    bool m_isBehind = true; ///< the log has chunks that were not read
    bool m_isFinished = false;
};

/// Opens a log that a recorder is writing: it has no End chunk, and its newest file has changed in the last ten
/// seconds. Returns null otherwise.
Result<std::unique_ptr<GrowingSource>> followCollectorLog(const std::string &path);

} // namespace riffle
