// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/tail_log.h"

#include "collector/client/writer.h"
#include "model/base/natural_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

namespace riffle::cli {

namespace fs = std::filesystem;

namespace {

constexpr uint64_t kTailBatch = 4 << 20;            ///< bytes of payload, which take about 0.1 s
constexpr std::chrono::seconds kSilentAfter(2);     ///< a recorder writes five times a second
constexpr std::chrono::seconds kAbandonedAfter(60); ///< a process that was suspended, or a slow file system, is back
constexpr int kMostFailures = 3;
constexpr int kTailDeepest = 16;         ///< levels of folders in folders
constexpr size_t kTailEntries = 100'000; ///< that are looked at in folders

/// The last step is enough: some million slices, in memory alone, because there may be many logs.
GrowthWindow tailWindow()
{
    GrowthWindow window;
    window.memoryBytes = 256 << 20;
    window.diskBytes = 0;
    return window;
}

/// The time since a log's newest file was written, by the system's clock.
std::chrono::nanoseconds ageOf(const std::string &path, const CollectorLog &log)
{
    std::error_code failed;
    const fs::path newest =
        fs::is_directory(path, failed) ? fs::path(path) / log.parts().back()->name() : fs::path(path);
    const auto written = fs::last_write_time(newest, failed);
    return failed ? std::chrono::nanoseconds(0)
                  : std::max(std::chrono::nanoseconds(0),
                             std::chrono::nanoseconds(fs::file_time_type::clock::now() - written));
}

/// Finds the logs in folders. Links are followed, but each folder is looked at once.
class LogSearch {
public:
    explicit LogSearch(const std::set<std::string> &known) : m_known(known) {}
    std::vector<std::string> found;

    void look(const fs::path &folder, int depth)
    {
        std::error_code failed;
        if (m_known.contains(folder.string()))
            return; // listing the files of a long log takes time
        const fs::path canonical = fs::canonical(folder, failed);
        if (failed || !m_seen.insert(canonical.string()).second)
            return;
        if (CollectorLog::isLog(SniffedFile(folder.string()))) {
            found.push_back(folder.string());
            return;
        }
        if (depth == kTailDeepest)
            return;
        for (fs::directory_iterator entry(folder, failed), end; !failed && entry != end && m_entries < kTailEntries;
             entry.increment(failed)) {
            ++m_entries;
            std::error_code unknown;
            if (entry->is_directory(unknown) && !entry->path().filename().string().starts_with('.'))
                look(entry->path(), depth + 1);
        }
    }

private:
    const std::set<std::string> &m_known;
    std::set<std::string> m_seen;
    size_t m_entries = 0;
};

} // namespace

TailedLog::TailedLog(std::string path, std::unique_ptr<GrowingLog> log)
    : m_path(std::move(path))
    , m_log(std::move(log))
    , m_grownAt(Clock::now())
    , m_lookedAt(m_grownAt)
{
}

Result<std::unique_ptr<TailedLog>> TailedLog::open(const std::string &path)
{
    auto log = GrowingLog::open(path, tailWindow());
    if (!log)
        return log.error();
    return std::unique_ptr<TailedLog>(new TailedLog(path, std::move(*log)));
}

std::array<uint8_t, 16> TailedLog::session() const { return std::to_array(header().session); }

Ns TailedLog::settled() const
{
    if (!m_newest)
        return SettledMarks::kNothing;
    return m_state == TailState::Killed ? m_newest->recordedSpan().end
                                        : std::min(m_log->marks().of(LaneKind::Thread), m_newest->recordedSpan().end);
}

Ns TailedLog::figuresUpTo() const
{
    const bool isAllThere = isOver() && m_state != TailState::Abandoned;
    return isAllThere || !m_log->marks().isCudaRecorded() ? settled()
                                                          : saturatedSum(settled(), -GrowingLog::kHandedOverWithin);
}

bool TailedLog::isProcessGone()
{
    if (!m_newest || silence() < kSilentAfter)
        return false;
    const record::Writer writer = record::writerOf(m_log->facts().process("host"), pid());
    if (writer == record::Writer::Unknown && silence() >= kAbandonedAfter && m_state != TailState::Abandoned)
        end(TailState::Abandoned,
            fmt::format("The log has no end, and nothing was written for {} s, so its process was probably killed. It "
                        "cannot be looked for from here.",
                        silence().count()));
    return writer == record::Writer::Gone;
}

void TailedLog::end(TailState state, const std::string &sentence)
{
    m_state = state;
    m_news.push_back(m_path + ": " + sentence);
}

void TailedLog::fail(const Error &error)
{
    auto again = ++m_failures < kMostFailures ? GrowingLog::open(m_path, tailWindow())
                                              : Result<std::unique_ptr<GrowingLog>>(Error{error});
    if (!again)
        return end(TailState::Failed, error.message + " It is not followed any more.");
    m_log = std::move(*again);
    m_caughtUp = false;
    m_state = TailState::Reading;
    m_news.push_back(m_path + ": " + error.message + " It is read anew.");
}

void TailedLog::read(Clock::time_point until)
{
    if (isOver() && m_state != TailState::Abandoned)
        return;
    const bool isGone = isProcessGone(); // before the last look at what it wrote
    const bool wasCaughtUp = m_caughtUp;
    while (true) {
        if (Clock::now() >= until) {
            m_state = TailState::Reading;
            return;
        }
        auto next = m_log->next(kTailBatch);
        if (!next)
            return fail(next.error());
        if (!*next)
            break;
        m_newest = std::move(*next);
        if (m_state == TailState::Abandoned)
            m_news.push_back(m_path + ": The log grows again.");
        m_state = TailState::Recording;
        m_grownAt = Clock::now();
        if (!m_log->isBehind())
            break;
    }
    if (m_log->isFinished()) {
        m_state = TailState::Ended;
        return;
    }
    if (!wasCaughtUp)
        m_grownAt = Clock::now() - ageOf(m_path, m_log->log());
    m_lookedAt = Clock::now();
    m_caughtUp = true;
    m_failures = 0;
    // An old log was silent long before it was opened.
    if (isGone || (!wasCaughtUp && isProcessGone()))
        finish();
    else if (m_state != TailState::Abandoned)
        m_state = silence() >= kSilentAfter ? TailState::Silent : TailState::Recording;
}

/// Ends the log of a process that is gone.
void TailedLog::finish()
{
    auto last = m_log->finish();
    if (!last)
        return fail(last.error());
    m_newest = std::move(*last);
    end(TailState::Killed,
        fmt::format("The log has no end, and process {}, which wrote it, does not exist any more: it "
                    "was probably killed.",
                    pid()));
}

std::vector<std::string> newLogsAt(const std::string &path, const std::set<std::string> &known)
{
    std::error_code failed;
    if (known.contains(path))
        return {};
    if (!fs::is_directory(path, failed))
        return {path}; // whoever opens it says what is wrong with it
    LogSearch search(known);
    search.look(path, 0);
    std::ranges::sort(search.found, naturallyBefore);
    return search.found;
}

} // namespace riffle::cli
