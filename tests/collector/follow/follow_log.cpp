// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0

// Follows the log that appears in a folder until standard input ends, which says that its process was killed. Then what
// was followed must be the same as the log when it is read at once.
//
// Usage: follow_log FOLDER

#include "model/ingest/collector_log/growing_log.h"
#include "model/ingest/importer.h"
#include "tests/support/grown_difference.h"
#include "tests/support/slice_references.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace riffle::test {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

std::atomic<bool> g_writerIsGone{false};

/// Waits for a log in the folder; null if none has come when the process is gone.
std::unique_ptr<GrowingLog> logIn(const std::string &folder)
{
    for (; !g_writerIsGone; std::this_thread::sleep_for(std::chrono::milliseconds(10))) {
        std::error_code failed;
        for (fs::directory_iterator entry(folder, failed), end; !failed && entry != end; entry.increment(failed))
            if (entry->path().extension() == ".rifflelog")
                if (auto log = GrowingLog::open(entry->path().string()))
                    return std::move(*log);
    }
    return nullptr;
}

/// Returns what is wrong; empty if nothing is.
std::string follow(GrowingLog &log)
{
    SliceReferences references(1);
    std::shared_ptr<const Trace> last;
    std::vector<double> ticks; // ms
    while (true) {
        const bool isGone = g_writerIsGone;
        const auto begin = Clock::now();
        const auto next = log.next();
        if (!next)
            return next.error().text();
        if (*next) {
            ticks.push_back(std::chrono::duration<double, std::milli>(Clock::now() - begin).count());
            last = *next;
            if (const std::string moved = references.check(*last); !moved.empty())
                return moved;
            references.takeSome(*last);
        }
        if (isGone && !*next)
            break;
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    if (log.isFinished())
        return "The log was closed; its process was to be killed.";
    const auto whole = log.finish();
    if (!whole)
        return whole.error().text();
    const auto atOnce = importTrace((*whole)->info.path, {}, {});
    if (!atOnce)
        return atOnce.error().text();
    std::ranges::sort(ticks);
    fmt::print(
        "{} generations, {} slices, {} steps, {} lanes; a tick took {:.1f} ms in the median and at most {:.1f} ms\n",
        ticks.size(), (*whole)->sliceCount(), (*whole)->steps.size(), (*whole)->lanes.size(), ticks[ticks.size() / 2],
        ticks.back());
    return grownDifference(**whole, **atOnce);
}

int run(const std::string &folder)
{
    std::thread waiting([] {
        while (std::getchar() != EOF) {
        }
        g_writerIsGone = true;
    });
    const std::unique_ptr<GrowingLog> log = logIn(folder);
    const std::string problem = log ? follow(*log) : "There was no log.";
    waiting.join();
    if (!problem.empty())
        fmt::print(stderr, "{}\n", problem);
    return problem.empty() ? 0 : 1;
}

} // namespace
} // namespace riffle::test

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    return riffle::test::run(argv[1]);
}
