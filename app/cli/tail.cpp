// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/command.h"
#include "app/cli/output.h"
#include "app/cli/tail_analyst.h"
#include "app/cli/tail_line.h"
#include "app/cli/tail_log.h"
#include "model/base/natural_order.h"
#include "model/base/parallel.h"
#include "model/trace/wall_clock.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <exception>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace riffle::cli {

namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

struct TailOptions {
    std::vector<std::string> paths;
    bool once = false;
    double interval = 1, duration = 0; ///< seconds; a duration of 0 has no end
    std::string format = "table";
};

constexpr int kLinesPerHeader = 40;
constexpr Clock::duration kFiguresEvery = 1s;
constexpr int kFiguresRest = 10; ///< figures are made again after this many times their cost

volatile std::sig_atomic_t g_tailStopped = 0;

void stopTail(int signal)
{
    g_tailStopped = 1;
    std::signal(signal, SIG_DFL); // a second one ends the process at once
}

int64_t unixNow()
{
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch())
        .count();
}

Clock::duration secondsOf(double seconds)
{
    return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

/// A log and the newest of its figures.
struct TailedRank {
    std::unique_ptr<TailedLog> log;
    std::optional<TailAnalyst::Answer> answer;
    std::shared_ptr<const Trace> asked; ///< the generation of the newest question
    Clock::time_point readAt;           ///< when its last turn was
    bool isDone = false;                ///< its last line was printed
};

/// Follows logs and prints their lines.
class Tail {
public:
    Tail(TailOptions options, int &code) : m_options(std::move(options)), m_code(code) {}

    /// Follows the logs until all are over. Figures are made by another thread where there is one.
    void run()
    {
        std::exception_ptr failure;
        parallelWorkers([&](unsigned worker) {
            if (worker > 0)
                return m_analyst.work();
            try {
                follow();
            } catch (...) {
                failure = std::current_exception();
            }
            m_analyst.end();
        });
        if (failure)
            std::rethrow_exception(failure);
    }

private:
    void follow()
    {
        const auto end =
            m_options.duration > 0 ? Clock::now() + secondsOf(m_options.duration) : Clock::time_point::max();
        const auto interval = secondsOf(m_options.interval);
        for (auto next = Clock::now(); !g_tailStopped; next = std::max(next + interval, Clock::now())) {
            rest(std::min(next, end));
            if (!search())
                return;
            read(m_options.once ? Clock::time_point::max() : Clock::now() + interval / 2);
            ask();
            awaitFigures(m_options.once ? Clock::time_point::max() : Clock::now() + interval / 4);
            print();
            if (m_options.once || isOver() || Clock::now() >= end)
                break;
        }
        for (const TailedRank &rank : m_ranks)
            if (rank.log->hasLosses())
                m_code = worseOf(m_code, WithLosses);
        if (m_ranks.empty() && m_code == Good) {
            complain(m_options.paths.front() + ": No log of Riffle's recorder has appeared there.");
            m_code = Unreadable;
        }
    }

    /// Waits, but not longer than until somebody wants the end.
    static void rest(Clock::time_point until)
    {
        while (!g_tailStopped && Clock::now() < until)
            std::this_thread::sleep_for(std::min<Clock::duration>(20ms, until - Clock::now()));
    }

    /// Looks for logs that are new. Returns false if there is nothing to follow and nothing to wait for.
    bool search()
    {
        for (const std::string &path : m_options.paths)
            for (const std::string &log : newLogsAt(path, m_known))
                open(log, log == path);
        std::ranges::stable_sort(m_ranks, [](const TailedRank &left, const TailedRank &right) {
            const int64_t a = left.log->rank().value_or(INT64_MAX), b = right.log->rank().value_or(INT64_MAX);
            return a != b ? a < b : naturallyBefore(left.log->path(), right.log->path());
        });
        if (m_ranks.empty() && m_code != Good)
            return false;
        if (m_ranks.empty() && !m_options.once && !std::exchange(m_saidWaiting, true))
            complain(m_options.paths.front() + ": There is no log of Riffle's recorder yet. Waiting for one.");
        return true;
    }

    /// Opens a log. One that is found in a folder may be a dump, which repeats another one, and may not be whole yet.
    void open(const std::string &path, bool isNamed)
    {
        std::error_code unknown;
        auto log = TailedLog::open(path);
        if (!log) {
            if (isNamed && !std::filesystem::is_directory(path, unknown)) {
                m_known.insert(path);
                complain(log.error().text());
                m_code = worseOf(m_code, Unreadable);
            }
            return;
        }
        m_known.insert(path);
        if (m_sessions.insert((*log)->session()).second)
            m_ranks.push_back({std::move(*log), {}, {}, {}, false});
        else if (isNamed)
            complain(path + ": Left out: it repeats a log that is followed.");
    }

    void read(Clock::time_point until)
    {
        std::vector<TailedRank *> order; // those first that have waited longest
        for (TailedRank &rank : m_ranks)
            order.push_back(&rank);
        std::ranges::stable_sort(order, {}, [](const TailedRank *rank) { return rank->readAt; });
        parallelFor(order.size(), [&](size_t at) {
            if (Clock::now() < until)
                order[at]->readAt = Clock::now();
            order[at]->log->read(until);
        });
        m_now = unixNow();
        for (const TailedRank &rank : m_ranks) {
            for (const std::string &sentence : rank.log->takeNews())
                complain(sentence);
            if (rank.log->state() == TailState::Failed)
                m_code = worseOf(m_code, Unreadable);
        }
    }

    bool isDue(const TailedRank &rank) const
    {
        if (rank.log->newest() == rank.asked || m_analyst.isAsked(rank.log.get()))
            return false;
        if (!rank.answer || rank.log->isOver())
            return true;
        const auto pause = std::max<Clock::duration>(kFiguresEvery, kFiguresRest * rank.answer->cost);
        return Clock::now() + 20ms >= rank.answer->askedAt + pause;
    }

    /// Asks for the figures of logs that have news, those first whose figures are oldest.
    void ask()
    {
        std::vector<TailedRank *> due;
        for (TailedRank &rank : m_ranks) {
            takeAnswer(rank);
            if (isDue(rank))
                due.push_back(&rank);
        }
        std::ranges::stable_sort(due, {}, [](const TailedRank *rank) {
            return rank->answer ? rank->answer->askedAt : Clock::time_point::min();
        });
        for (TailedRank *rank : due) {
            rank->asked = rank->log->newest();
            m_analyst.ask(rank->log.get(), {rank->asked, rank->log->figuresUpTo()});
        }
    }

    void awaitFigures(Clock::time_point until)
    {
        m_analyst.workHere();
        while (!g_tailStopped && Clock::now() < until && m_analyst.isBusy())
            m_analyst.waitUntil(std::min(until, Clock::now() + 50ms));
    }

    void takeAnswer(TailedRank &rank)
    {
        if (auto answer = m_analyst.take(rank.log.get()))
            rank.answer = std::move(answer);
    }

    TailLine lineOf(const TailedRank &rank) const
    {
        const TailedLog &log = *rank.log;
        TailLine line;
        line.path = log.path();
        line.rank = log.rank();
        line.pid = log.pid();
        line.state = log.state();
        line.silentSeconds = log.silence().count();
        line.dropped = log.dropped();
        const auto settled = log.newest() && log.settled() != SettledMarks::kNothing
                                 ? lateUnixTime(log.newest()->info, log.settled())
                                 : std::nullopt;
        line.time = log.isOver() ? settled : m_now;
        if (settled && !log.isOver())
            line.lagNs = *line.time - *settled;
        if (rank.answer) {
            line.figures = rank.answer->figures;
            line.asOf = lateUnixTime(rank.answer->of.trace->info, rank.answer->of.settled);
            line.areFiguresOld = rank.answer->of.trace != log.newest();
        }
        return line;
    }

    void print()
    {
        std::map<int64_t, int> logsOfRank;
        for (TailedRank &rank : m_ranks) {
            takeAnswer(rank);
            if (rank.log->rank())
                ++logsOfRank[*rank.log->rank()];
        }
        for (TailedRank &rank : m_ranks) {
            const bool isLast = rank.log->isOver() && !m_analyst.isAsked(rank.log.get()) &&
                                (!rank.answer || rank.answer->of.trace == rank.log->newest());
            if (rank.isDone && rank.log->isOver())
                continue;
            rank.isDone = isLast;
            const TailLine line = lineOf(rank);
            if (m_options.format == "json") {
                fmt::print("{}\n", tailJson(line));
                continue;
            }
            if (m_printed++ % kLinesPerHeader == 0)
                fmt::print("{}\n", tailHeader());
            fmt::print("{}\n", tailText(line, !line.rank || logsOfRank[*line.rank] == 1));
        }
        flushOutput();
    }

    bool isOver() const
    {
        return !m_ranks.empty() &&
               std::ranges::all_of(m_ranks, [](const TailedRank &rank) { return rank.isDone && rank.log->isOver(); });
    }

    const TailOptions m_options;
    int &m_code;
    TailAnalyst m_analyst;
    std::vector<TailedRank> m_ranks;
    std::set<std::string> m_known;
    std::set<std::array<uint8_t, 16>> m_sessions;
    int64_t m_now = 0; ///< when the logs were last read, as Unix time
    int m_printed = 0;
    bool m_saidWaiting = false;
};

int runTail(const TailOptions &options)
{
    for (const std::string &path : options.paths)
        if (std::error_code unknown; !std::filesystem::exists(path, unknown)) {
            complain(path + ": There is no such file or folder.");
            return Unreadable;
        }
    for (const int signal : {SIGINT, SIGTERM, SIGHUP})
        if (std::signal(signal, stopTail) == SIG_IGN)
            std::signal(signal, SIG_IGN); // nohup wants that
    int code = Good;
    Tail(options, code).run();
    return code;
}

constexpr const char *kTailFooter = R"(
The path is the folder of a log, or the folder of a job with the logs of its ranks; ranks that appear later join,
and dumps, which repeat a log, are left out. The command ends when all logs have ended. A log without an end whose process is gone, or which was silent for a minute,
counts as ended, and a message says so; that it was killed is a guess.

Columns:
  UTC       the time now; of a log that has ended, the end of its recording
  RANK      the rank, as rank:process if it has several logs; without a rank, the end of the log's name
  STEP      the number of the last step that is complete. If the log has no steps, the other figures are those of the
            last second
  DURATION  how long that step took
  BUSY      the share of it in which its devices did anything
  EXPOSED   the share of it with communication but without a kernel that computes
  MEMORY    allocated/reserved on the devices, if the recording has allocations; otherwise used, by all processes
            (in a recording with millions of allocations, as it was some seconds ago)
  DROPS     events that the recorder could not keep
  LAG       how far the time up to which the log is complete is behind now, by the clocks of both machines
What is still arriving is in no figure. Figures are made at most once a second, and at most a tenth of the time; a line
with older ones says "as of" when. With --format json, a share of 1 is 100 %, and what is not known is null.

Exit codes: 0 success, 1 a log could not be read, or none appeared, 2 usage error, 3 some events were lost.

Examples:
  riffle-cli tail recorded/
  riffle-cli tail --interval 10 --format json recorded/host_rank0_4711.rifflelog
  riffle-cli tail --once recorded/
)";

} // namespace

void addTailCommand(CLI::App &app, int &code)
{
    auto options = std::make_shared<TailOptions>();
    CLI::App *command = app.add_subcommand(
        "tail", "Follow the logs of a job while it runs: a line per rank every second with step, busy time and memory");
    command->add_option("LOG|JOB", options->paths, "Folders of logs, or of jobs with the logs of many ranks")
        ->required();
    command->add_flag("--once", options->once, "Print one line per rank for what is there now, and end");
    command->add_option("--interval", options->interval, "Seconds between the lines of a rank")
        ->check(CLI::Range(0.1, 86'400.0))
        ->capture_default_str();
    command->add_option("--for", options->duration, "End after this many seconds")->check(CLI::Range(0.1, 1e8));
    command->add_option("--format", options->format, "Output format; json is one object per line")
        ->check(CLI::IsMember({"table", "json"}))
        ->capture_default_str();
    command->footer(kTailFooter);
    command->callback([options, &code] { code = runTail(*options); });
}

} // namespace riffle::cli
