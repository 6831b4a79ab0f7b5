// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/src/log_writer.h"
#include "model/analysis/ranks/recorded_steps.h"
#include "model/analysis/ranks/step_rows.h"
#include "model/ingest/importers.h"
#include "tests/support/archives.h"

#include <gtest/gtest.h>

#include <chrono>
#include <random>

namespace riffle {
namespace {

using collector::LogWriter;
using Work = collector::StepSummaries::Work;

/// Writes random steps with their device work, waits, allocations and gaps into a log, as the recorder does. Returns
/// the log's path.
std::string writeSteps(const std::string &folder, uint32_t seed)
{
    std::mt19937 random(seed);
    const auto upTo = [&](int64_t most) { return static_cast<int64_t>(random() % static_cast<uint32_t>(most)); };
    LogWriter log;
    EXPECT_TRUE(log.open({folder, "log" + std::to_string(seed)}));
    log.thread(1, 100, "main");
    int64_t time = std::chrono::steady_clock::now().time_since_epoch().count();
    const int64_t none = wire::kAbsent, devices = 1 + upTo(3);
    int64_t correlation = 0;
    for (int64_t device = 0; device < devices; ++device) // so that each has a row in every step
        log.summaries.allocates(device, time - 1'000, 7);
    for (int step = 0; step < 8; ++step) {
        const int64_t start = time, length = 50'000 + upTo(100'000);
        log.summaries.stepBegins(1, start);
        for (int work = 0; work < 12; ++work) {
            const int64_t at = start + (work + 1) * length / 14 + upTo(2'000), duration = 1 + upTo(15'000),
                          device = work % devices;
            ++correlation;
            log.calls.row(at, at + 10, 1, at, 10, log.text("cudaLaunchKernel"), log.text("cuda_runtime"), correlation,
                          0);
            const int64_t begin = at + upTo(5'000), end = begin + duration;
            const bool copies = work % 4 == 3, communicates = work % 4 == 2;
            log.summaries.works(device,
                                copies         ? Work::Copy
                                : communicates ? Work::Communication
                                               : Work::Compute,
                                begin, end);
            if (copies)
                log.copies.row(begin, end, begin, duration, log.text("Memcpy HtoD (Pageable -> Device)"), device, 1, 7,
                               correlation, 64, none, none);
            else
                log.kernels.row(begin, end, begin, duration, log.text(communicates ? "ncclDevKernel_X" : "gemm"),
                                device, 1, 7 + work % 3, correlation, 1, 1, 1, 32, 1, 1, 16, 0, none, none, none, none);
            const int64_t allocated = upTo(1'000'000);
            log.summaries.allocates(device, at, allocated);
            log.allocations.row(at, at, 1, at, 4096, 8, device, log.text("cudaMalloc"), 1, 7, correlation, none,
                                allocated, allocated);
        }
        const int64_t waited = start + upTo(length), wait = upTo(20'000);
        log.summaries.waits(1, waited, waited + wait);
        log.calls.row(waited, waited + wait, 1, waited, wait, log.text("cudaStreamSynchronize"),
                      log.text("cuda_runtime"), ++correlation, 0);
        if (step % 3 == 1) {
            log.gapBegins(std::nullopt, wire::kCudaSource, "yielded", start + length / 2);
            log.gapEnds(std::nullopt, wire::kCudaSource, start + length / 2 + upTo(length));
        }
        const std::string name = "ProfilerStep#" + std::to_string(step);
        log.ranges.row(start, start + length, 1, start, length, log.text(name), log.text(wire::kStepCategory), 0, 0, 0,
                       0, none, none, 0, 0, none, 0, 0, 0, 0, none);
        log.summaries.stepEnds(1, name, start, start + length);
        time += length + (step % 2 ? 0 : upTo(10'000));
        EXPECT_TRUE(log.flush());
    }
    log.close();
    return log.path();
}

TEST(StepFigures, OfTheRecorderAreThoseOfTheLogsDetails)
{
    const test::TemporaryFolder folder;
    size_t compared = 0, missing = 0, communication = 0;
    for (uint32_t seed = 1; seed <= 8; ++seed) {
        SCOPED_TRACE(seed);
        const auto trace = importTrace(writeSteps(folder.path(), seed), {}, {});
        ASSERT_TRUE(trace) << trace.error().text();
        const TraceFacts facts(*trace);
        const std::vector<StepFigures> made = stepRows(Scope(facts, {})), said = recordedSteps((*trace)->info);
        ASSERT_EQ(made.size(), said.size());
        for (size_t row = 0; row < made.size(); ++row) {
            const StepFigures &own = made[row], &recorders = said[row];
            SCOPED_TRACE(testing::Message() << "step " << own.number << ", device " << own.device);
            EXPECT_EQ(own.number, recorders.number);
            EXPECT_EQ(own.start, recorders.start);
            EXPECT_EQ(own.duration, recorders.duration);
            EXPECT_EQ(own.device, recorders.device);
            EXPECT_EQ(own.hostWait, recorders.hostWait);
            EXPECT_EQ(own.missing, recorders.missing);
            EXPECT_EQ(own.idle, recorders.idle);
            EXPECT_EQ(own.busy, recorders.busy);
            EXPECT_EQ(own.kernelTime, recorders.kernelTime);
            EXPECT_EQ(own.communication, recorders.communication);
            EXPECT_EQ(own.exposed, recorders.exposed);
            EXPECT_EQ(own.memoryPeak == kNoInt ? 7 : std::max<int64_t>(own.memoryPeak, 7), recorders.memoryPeak);
            EXPECT_EQ(recorders.deviceStart, kNoInt); // it does not know which step launched what
            ++compared;
            missing += own.missing > 0;
            communication += recorders.communication > recorders.exposed;
        }
        const std::vector<StepFigures> both = withRecordedSteps(made, said);
        ASSERT_EQ(both.size(), made.size());
        for (const StepFigures &row : both)
            EXPECT_FALSE(row.flags & step_flag::ByRecorder) << "all details are there";
    }
    EXPECT_GT(compared, 80u);
    EXPECT_GT(missing, 10u);
    EXPECT_GT(communication, 10u);
}

} // namespace
} // namespace riffle
