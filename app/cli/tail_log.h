// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/summary/settled_figures.h"
#include "model/ingest/collector_log/growing_log.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace riffle::cli {

/// How a log is going.
enum class TailState : uint8_t {
    Reading,   ///< it has more than was read so far
    Recording, ///< it grows
    Silent,    ///< it has not grown for some seconds
    Ended,     ///< its recorder closed it
    Killed,    ///< it was not closed, and its process does not exist any more
    Abandoned, ///< a guess: it was not closed and has not grown for a minute, and its process cannot be looked for
    Failed     ///< it cannot be read
};

/// One log that `riffle tail` follows. Used by one thread at a time; what it returns by pointer may be read by others.
class TailedLog {
public:
    using Clock = std::chrono::steady_clock;

    static Result<std::unique_ptr<TailedLog>> open(const std::string &path);

    /// Reads what is new, as far as it comes until `until`.
    void read(Clock::time_point until);
    /// Takes the sentences about what has happened since the last call.
    std::vector<std::string> takeNews() { return std::exchange(m_news, {}); }

    const std::string &path() const { return m_path; }
    TailState state() const { return m_state; }
    /// True if nothing more is expected of it. One that was only given up by a guess is looked at all the same.
    bool isOver() const { return m_state >= TailState::Ended; }
    /// The rank that its process has; nothing if it has none, or is not known yet.
    std::optional<int64_t> rank() const { return m_newest ? m_newest->info.rank : std::nullopt; }
    int pid() const { return static_cast<int>(header().pid); }
    /// The number that all copies of a log have in common, such as dumps of it.
    std::array<uint8_t, 16> session() const;
    /// The latest generation; null before the first one.
    const std::shared_ptr<const Trace> &newest() const { return m_newest; }
    /// Up to when the latest generation is complete, in its time; kNothing if that is not known. When the log is
    /// over, the end of the recording.
    Ns settled() const;
    /// Up to when figures are made: a little earlier while CUDA is recorded, because CUPTI hands over some of what it
    /// has one flush later than the mark says.
    Ns figuresUpTo() const;
    /// How long it had not grown when all of it was last read.
    std::chrono::seconds silence() const
    {
        return std::chrono::floor<std::chrono::seconds>(std::max(m_lookedAt - m_grownAt, Clock::duration(0)));
    }
    /// Events that the recorder could not keep, by its own count.
    uint64_t dropped() const { return m_newest ? m_newest->report.of(Trouble::DroppedRecords).count : 0; }
    bool hasLosses() const { return m_newest && m_newest->report.total(Severity::Lost) > 0; }

private:
    TailedLog(std::string path, std::unique_ptr<GrowingLog> log);
    const wire::FileHeader &header() const { return m_log->log().parts().front()->header(); }
    bool isProcessGone();
    void finish();
    void end(TailState state, const std::string &sentence);
    void fail(const Error &error);

    const std::string m_path;
    std::unique_ptr<GrowingLog> m_log;
    std::shared_ptr<const Trace> m_newest;
    TailState m_state = TailState::Reading;
    Clock::time_point m_grownAt, m_lookedAt; ///< when it last grew, and when all of it was last read
    bool m_caughtUp = false;                 ///< all that was there at first was read
    int m_failures = 0;                      ///< since all that was there was read
    std::vector<std::string> m_news;
};

/// Returns a moment of a trace as Unix time; nothing if the log does not tell the wall clock.

/// Returns the logs that a path stands for and that are not known: itself, or those in a folder and its folders.
std::vector<std::string> newLogsAt(const std::string &path, const std::set<std::string> &known);

} // namespace riffle::cli
