// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/followed_log.h"

#include "model/ingest/collector_log/growing_log.h"
#include "model/ingest/collector_log/importer.h"
#include "tests/support/grown_difference.h"
#include "tests/support/log_replay.h"
#include "tests/support/sample_log.h"
#include "tests/support/slice_references.h"
#include "tests/support/training_log.h"

#include <fmt/format.h>

#include <random>
#include <string>

namespace riffle::test {

Result<std::shared_ptr<const Trace>> followedLog(const LogFolder &whole, const FollowSchedule &schedule,
                                                 const std::function<void(const Trace &)> &visit)
{
    std::mt19937 random(schedule.seed);
    LogReplay writer(whole);
    writer.write(1);
    const auto growing = GrowingLog::open(writer.path(), schedule.window);
    if (!growing)
        return growing.error();
    std::shared_ptr<const Trace> last;
    while (true) {
        const bool isWritten = writer.isDone();
        auto next = (*growing)->next();
        if (next && isWritten && !(*growing)->isFinished())
            next = (*growing)->finish();
        if (!next)
            return next.error();
        if (*next) {
            last = *next;
            if (visit)
                visit(*last);
        }
        if (isWritten)
            return last;
        if (schedule.files == Files::RollAway && random() % 2)
            writer.roll();
        writer.write(1 + random() % schedule.mostChunks, random() % 2 ? &random : nullptr);
    }
}

std::string followedDifference(const LogFolder &whole, const FollowSchedule &schedule)
{
    const std::string name = fmt::format("with seed {} and at most {} chunks: ", schedule.seed, schedule.mostChunks);
    SliceReferences references(schedule.seed);
    std::string moved;
    const auto last = followedLog(whole, schedule, [&](const Trace &generation) {
        if (moved.empty())
            moved = references.check(generation);
        references.takeSome(generation);
    });
    if (!last || !moved.empty())
        return name + (last ? moved : last.error().text());
    const auto atOnce = importCollectorLog(whole.path(), {}, {});
    if (!atOnce)
        return name + atOnce.error().text();
    const std::string difference = grownDifference(**last, **atOnce);
    return difference.empty() ? difference : name + difference;
}

std::vector<std::unique_ptr<LogFolder>> logsOfAllKinds(uint64_t events)
{
    std::vector<std::unique_ptr<LogFolder>> logs;
    for (const std::string &bytes : {everythingLog(true).bytes(), memoryLog().bytes(), sampleLog().bytes()}) {
        logs.push_back(std::make_unique<LogFolder>());
        logs.back()->write("000001.part", bytes);
    }
    logs.push_back(std::make_unique<LogFolder>());
    writeTrainingLog(*logs.back(), events, 500'000);
    return logs;
}

} // namespace riffle::test
