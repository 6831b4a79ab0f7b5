// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/findings/finding.h"
#include "model/analysis/summary/summary.h"
#include "tests/model/analysis/findings/clean_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

namespace riffle {
namespace {

using test::CleanRun;
using test::KinetoText;
using test::kMs;
using test::kUs;

std::vector<Finding> found(std::shared_ptr<const Trace> trace, const ScopeRequest &request = {})
{
    const TraceFacts facts(std::move(trace));
    return findingsOf(Scope(facts, request)).found;
}

/// The text with ordinary blanks.
std::string plain(std::string text)
{
    for (size_t at = 0; (at = text.find("\u00a0", at)) != text.npos;)
        text.replace(at, 2, " ");
    return text;
}

std::vector<std::string> idsOf(const std::vector<Finding> &findings)
{
    std::vector<std::string> ids;
    for (const Finding &finding : findings)
        ids.emplace_back(finding.rule->id);
    return ids;
}

TEST(Findings, ACleanRunGivesNone) { EXPECT_THAT(idsOf(found(CleanRun().trace())), testing::IsEmpty()); }

TEST(Findings, RulesHaveNamesOfTheirOwn)
{
    std::vector<std::string> ids;
    for (const FindingRule &rule : findingRules())
        ids.emplace_back(rule.id);
    std::sort(ids.begin(), ids.end());
    EXPECT_EQ(std::unique(ids.begin(), ids.end()), ids.end());
}

/// A rule, and runs in which its value is just beyond its threshold, just before it, and far before it.
struct RuleCase {
    const char *id;
    std::function<void(CleanRun &)> beyond, before, farBefore;
    double measured; ///< the value just beyond the threshold, computed by hand
};

class RuleThreshold : public testing::TestWithParam<RuleCase> {};

TEST_P(RuleThreshold, HoldsBeyondOnly)
{
    const auto run = [](const std::function<void(CleanRun &)> &change) {
        CleanRun made;
        change(made);
        return found(made.trace());
    };
    const std::vector<Finding> beyond = run(GetParam().beyond);
    const auto one = std::find_if(beyond.begin(), beyond.end(),
                                  [](const Finding &each) { return each.rule->id == std::string(GetParam().id); });
    ASSERT_NE(one, beyond.end());
    EXPECT_NEAR(one->measured, GetParam().measured, 1e-9 + 1e-4 * GetParam().measured);
    EXPECT_FALSE(one->text.empty());
    EXPECT_THAT(idsOf(run(GetParam().before)), testing::Not(testing::Contains(GetParam().id)));
    EXPECT_THAT(idsOf(run(GetParam().farBefore)), testing::IsEmpty());
}

const RuleCase kCases[]{
    // In each step of 10 ms, the loader takes 50 µs more than `loading`, except in the step of the first launch.
    {"dataloader_share", [](CleanRun &run) { run.loading = 452 * kUs; }, [](CleanRun &run) { run.loading = 451 * kUs; },
     [](CleanRun &run) { run.loading = 100 * kUs; }, 0.0501},
    {"input_not_overlapped", [](CleanRun &run) { run.exposedCopy = 501 * kUs; },
     [](CleanRun &run) { run.exposedCopy = 499 * kUs; }, [](CleanRun &run) { run.exposedCopy = 50 * kUs; }, 0.0501},
    {"communication_share", [](CleanRun &run) { run.exposedCollective = 1'001 * kUs; },
     [](CleanRun &run) { run.exposedCollective = 999 * kUs; }, [](CleanRun &run) { run.exposedCollective = 100 * kUs; },
     0.1001},
    {"long_collective", [](CleanRun &run) { run.longCollective = 3'001 * kUs; },
     [](CleanRun &run) { run.longCollective = 3'000 * kUs; }, [](CleanRun &run) { run.longCollective = 600 * kUs; },
     3001.0 / 300},
    // 4,000,000 bytes.
    {"slow_collective", [](CleanRun &run) { run.collective = run.longCollective = 4'001 * kUs; },
     [](CleanRun &run) { run.collective = run.longCollective = 4'000 * kUs; },
     [](CleanRun &run) { run.collective = run.longCollective = kMs; }, 4000.0 / 4001},
    {"first_step_long", [](CleanRun &run) { run.firstStep = 20'001 * kUs; },
     [](CleanRun &run) { run.firstStep = 20'000 * kUs; }, [](CleanRun &run) { run.firstStep = 12'000 * kUs; }, 2.0001},
    // Up to twice the median, the first step is not left out.
    {"long_step", [](CleanRun &run) { run.firstStep = 15'001 * kUs; },
     [](CleanRun &run) { run.firstStep = 15'000 * kUs; }, [](CleanRun &run) { run.firstStep = 12'000 * kUs; }, 1.5001},
    // 20 gaps of 100 µs in each of 6 steps, 5 gaps of 100 µs between steps (the end of one and the start of the next),
    // and 50 µs at the start of the run.
    {"launch_bound", [](CleanRun &run) { run.smallGaps = 20; }, [](CleanRun &run) { run.smallGaps = 19; },
     [](CleanRun &run) { run.smallGaps = 2; }, (6 * 20 * 100.0 + 5 * 100 + 50) / 60'000},
    {"idle_after_sync", [](CleanRun &run) { run.syncs = 5; }, [](CleanRun &run) { run.syncs = 4; },
     [](CleanRun &run) { run.syncs = 1; }, 0.025},
    // 120 launches are of kernels, 6 of copies, 12 of collectives.
    {"tiny_kernels", [](CleanRun &run) { run.tiny = 139; }, [](CleanRun &run) { run.tiny = 138; },
     [](CleanRun &run) { run.tiny = 30; }, 139.0 / 277},
    {"missing_launches", [](CleanRun &run) { run.unlaunched = 8; }, [](CleanRun &run) { run.unlaunched = 7; },
     [](CleanRun &run) { run.unlaunched = 1; }, 8.0 / 146},
    {"missing_kernels", [](CleanRun &run) { run.withoutKernel = 2; }, [](CleanRun &run) { run.withoutKernel = 1; },
     [](CleanRun &) {}, 2.0 / 140},
    {"clocks_apart", [](CleanRun &run) { run.early = 2; }, [](CleanRun &run) { run.early = 1; }, [](CleanRun &) {},
     2.0 / 140},
    {"profiler_overhead", [](CleanRun &run) { run.overhead = 601 * kUs; },
     [](CleanRun &run) { run.overhead = 600 * kUs; }, [](CleanRun &run) { run.overhead = 60 * kUs; }, 0.601 / 60},
    {"tensor_cores_unused", [](CleanRun &run) { run.tensorCores = false; },
     [](CleanRun &run) {
         run.tensorCores = false;
         run.major = 6;
     },
     [](CleanRun &) {}, (60'000.0 - 600) / (60'000 - 600 + 12 * 300)},
    {"memory_peak", [](CleanRun &run) { run.allocated = CleanRun::kMemory / 10 * 9 + 8'000'000; },
     [](CleanRun &run) { run.allocated = CleanRun::kMemory / 10 * 9; },
     [](CleanRun &run) { run.allocated = CleanRun::kMemory / 2; }, 0.9001},
    {"memory_held", [](CleanRun &run) { run.reserved = CleanRun::kMemory / 100 * 95 + 8'000'000; },
     [](CleanRun &run) { run.reserved = CleanRun::kMemory / 100 * 95; },
     [](CleanRun &run) { run.reserved = CleanRun::kMemory / 2; }, 0.9501},
};

INSTANTIATE_TEST_SUITE_P(Findings, RuleThreshold, testing::ValuesIn(kCases),
                         [](const auto &one) { return std::string(one.param.id); });

TEST(Findings, OutOfMemory)
{
    constexpr int64_t kGiB = 1 << 30;
    const auto made = [](int failures) {
        KinetoText out;
        out.device(0, CleanRun::kMemory, 8);
        out.step(0, 0, 10 * kMs);
        out.operation("aten::empty", 2 * kMs, kMs);
        out.kernel("elementwise", 7, 0, 9 * kMs, 0);
        out.memory(kMs, kGiB, 2 * kGiB);
        for (int at = 0; at < failures; ++at)
            out.outOfMemory(2 * kMs + 100 * kUs + at, 3 * kGiB + at, kGiB, 2 * kGiB);
        return found(out.trace());
    };
    EXPECT_THAT(idsOf(made(0)), testing::Not(testing::Contains("out_of_memory")));
    const auto three = made(3);
    const auto one = std::find_if(three.begin(), three.end(),
                                  [](const Finding &each) { return each.rule->id == std::string("out_of_memory"); });
    ASSERT_NE(one, three.end());
    EXPECT_EQ(one->measured, 3);
    EXPECT_EQ(
        plain(one->text),
        "3 allocations failed on GPU0; the first requested 3.00 GiB, with 1.00 GiB allocated and 2.00 GiB reserved.");
    EXPECT_EQ(one->device, 0);
    EXPECT_EQ(one->step, 0);
    EXPECT_EQ(one->span.begin, 2 * kMs + 100 * kUs);
    EXPECT_EQ(one->evidence.size(), 3u);
}

/// A device that computes for a share of one step.
std::shared_ptr<const Trace> oneStep(Ns kernelTime)
{
    KinetoText out;
    out.step(0, 0, 10 * kMs);
    out.operation("aten::mul", 0, 10 * kMs);
    out.kernel("elementwise", 7, kMs, kernelTime, 10 * kUs);
    return out.trace();
}

TEST(Findings, LowUtilization)
{
    EXPECT_THAT(idsOf(found(oneStep(4'999 * kUs))), testing::Contains("low_utilization"));
    EXPECT_THAT(idsOf(found(oneStep(5'000 * kUs))), testing::Not(testing::Contains("low_utilization")));
    EXPECT_THAT(idsOf(found(oneStep(9'000 * kUs))), testing::IsEmpty());
    EXPECT_NEAR(found(oneStep(4'999 * kUs)).front().measured, 0.4999, 1e-12);
}

TEST(Findings, ALongStepIsNamedWithWhatGrew)
{
    KinetoText out;
    Ns at = 0;
    for (int step = 0; step < 5; ++step) {
        const Ns length = (step == 3 ? 20 : 10) * kMs;
        out.step(step, at, length);
        out.operation("aten::mm", at, length - 2 * kMs);
        at += length;
    }
    const std::vector<Finding> findings = found(out.trace());
    ASSERT_THAT(idsOf(findings), testing::ElementsAre("long_step"));
    EXPECT_EQ(findings.front().measured, 2);
    EXPECT_EQ(findings.front().step, 3);
    EXPECT_EQ(findings.front().evidence.size(), 1u);
    EXPECT_EQ(
        plain(findings.front().text),
        "ProfilerStep#3 takes 20.00 ms; the median of 5 steps is 10.00 ms. Most of the difference is “CPU”: 18.00 ms "
        "instead of 8.000 ms.");
}

TEST(Findings, MarksThatAreShorterThanTheirWork)
{
    const auto run = [](Ns kernelTime, const std::string &mark) {
        KinetoText out;
        out.step(0, 0, 10 * kMs);
        out.operation("aten::mul", 0, 10 * kMs);
        out.kernel("elementwise", 7, kMs, kernelTime, 10 * kUs);
        out.slice("gpu_user_annotation", "ProfilerStep#0", 0, 7, kMs - 1, kernelTime + 2);
        ScopeRequest request;
        request.stepMark = mark;
        return found(out.trace(), request);
    };
    const std::vector<Finding> beyond = run(15'001 * kUs, "");
    ASSERT_THAT(idsOf(beyond), testing::ElementsAre("asynchronous_steps"));
    EXPECT_NEAR(beyond.front().measured, 1.5001, 1e-12);
    EXPECT_THAT(idsOf(run(15'000 * kUs, "")), testing::IsEmpty());
    EXPECT_THAT(idsOf(run(120 * kMs, "ProfilerStep@device")), testing::IsEmpty());

    ScopeRequest part; // which cuts the step
    part.range = TimeSpan{2 * kMs, 3 * kMs};
    KinetoText out;
    out.step(0, 0, 10 * kMs);
    out.kernel("elementwise", 7, kMs, 9 * kMs, 10 * kUs);
    EXPECT_THAT(idsOf(found(out.trace(), part)), testing::IsEmpty());
}

TEST(Findings, OnlyComputingKernelsHideCommunication)
{
    KinetoText out;
    out.step(0, 0, 10 * kMs);
    out.operation("aten::mul", 0, 10 * kMs);
    out.kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL", 20, kMs, 3 * kMs, 10 * kUs);
    out.work("gpu_memcpy", "Memcpy DtoD (Device -> Device)", 8, kMs, 2'500 * kUs, 20 * kUs);
    out.kernel("elementwise", 7, 3 * kMs, 6'900 * kUs, 30 * kUs);
    const std::vector<Finding> findings = found(out.trace());
    ASSERT_THAT(idsOf(findings), testing::ElementsAre("communication_share"));
    EXPECT_DOUBLE_EQ(findings.front().measured, 0.2) << "from 1 to 3 ms of 10 ms; the copy beside it hides nothing";
}

TEST(Findings, DataParallelOverSeveralDevices)
{
    const auto run = [](bool several, std::string_view name) {
        KinetoText out;
        out.step(0, 0, 10 * kMs);
        out.operation(name, 0, 9 * kMs);
        for (int device = 0; device < (several ? 2 : 1); ++device)
            out.kernel("elementwise", 7, 100 * kUs, 9'800 * kUs, 10 * kUs + device * 2 * kUs, kUs, "", device);
        return idsOf(found(out.trace()));
    };
    EXPECT_THAT(run(true, "DataParallel.forward"), testing::ElementsAre("data_parallel"));
    EXPECT_THAT(run(false, "DataParallel.forward"), testing::IsEmpty());
    EXPECT_THAT(run(true, "DistributedDataParallel.forward"), testing::IsEmpty());
}

TEST(Findings, DistributedWithoutNccl)
{
    const auto run = [](int major, int minor, std::string_view operation, std::string_view world) {
        KinetoText out;
        out.device(0, 1'000'000, major, minor);
        out.top("distributedInfo", world);
        out.step(0, 0, 10 * kMs);
        out.operation("DistributedDataParallel.forward", 0, 9 * kMs);
        out.operation(operation, kMs, kMs);
        out.kernel("elementwise", 7, 100 * kUs, 9'800 * kUs, 10 * kUs);
        return idsOf(found(out.trace()));
    };
    const char *two = R"({"backend": "gloo", "rank": 0, "world_size": 2})";
    EXPECT_THAT(run(3, 5, "gloo:all_reduce", two), testing::ElementsAre("ddp_without_nccl"));
    EXPECT_THAT(run(3, 4, "gloo:all_reduce", two), testing::IsEmpty());
    EXPECT_THAT(run(8, 0, "nccl:all_reduce", two), testing::IsEmpty());
    EXPECT_THAT(run(8, 0, "gloo:all_reduce", R"({"backend": "gloo", "rank": 0, "world_size": 1})"), testing::IsEmpty());
}

TEST(Findings, LostRecordsAreAnErrorAndComeFirst)
{
    std::string text = CleanRun().text().text();
    text.resize(text.size() - 40); // cuts the last event
    const auto trace = test::importText(text);
    ASSERT_TRUE(trace);
    const std::vector<Finding> findings = found(*trace);
    ASSERT_FALSE(findings.empty());
    EXPECT_STREQ(findings.front().rule->id, "lost_records");
    EXPECT_EQ(findings.front().rule->severity, FindingSeverity::Error);

    KinetoText stopped = CleanRun().text();
    stopped.top("INFO", R"(["Record counts: Out-of-range = 7, CUPTI stopped early? = 1"])");
    EXPECT_THAT(idsOf(found(stopped.trace())), testing::ElementsAre("lost_records"));
    KinetoText whole = CleanRun().text();
    whole.top("INFO", R"(["Record counts: Out-of-range = 7, CUPTI stopped early? = 0"])");
    EXPECT_THAT(idsOf(found(whole.trace())), testing::IsEmpty());
}

TEST(Findings, ALongCollectiveIsJudgedAgainstItsOwnSize)
{
    CleanRun run;
    run.longCollective = 3'100 * kUs;
    const std::vector<Finding> same = found(run.trace());
    ASSERT_THAT(idsOf(same), testing::ElementsAre("long_collective"));
    EXPECT_EQ(same.front().evidence.size(), 1u);
    EXPECT_EQ(same.front().span.duration(), 3'100 * kUs);
    EXPECT_EQ(same.front().step, 5);
    EXPECT_THAT(plain(same.front().text), testing::HasSubstr("one of 12 calls takes 3.100 ms of 6.400 ms"));
    EXPECT_THAT(plain(same.front().text), testing::HasSubstr("1,000,000 elements"));
    EXPECT_THAT(plain(same.front().text),
                testing::HasSubstr("waiting for other ranks cannot be distinguished from transfer"));
    EXPECT_THAT(plain(same.front().text), testing::Not(testing::HasSubstr("memory")));

    // If the same call moves nine times as much, no other call is comparable.
    std::string text = run.text().text();
    const size_t last = text.rfind("1000000,\"Out msg");
    text.replace(last, 7, "9000000");
    EXPECT_THAT(idsOf(found(*test::importText(text))), testing::IsEmpty());

    run.collectiveArgs = "";
    EXPECT_THAT(found(run.trace()).front().text, testing::HasSubstr("Sizes were not recorded"));
}

/// The run nearly fills the memory of the device: the long call and the full memory are one finding.
TEST(Findings, ALongCollectiveNamesFullMemory)
{
    const auto textWith = [](int64_t reserved, Ns when) {
        CleanRun run;
        run.longCollective = 3'100 * kUs;
        KinetoText out = run.text();
        out.memory(when, CleanRun::kMemory / 2, reserved);
        return plain(found(out.trace()).front().text);
    };
    const int64_t full = CleanRun::kMemory / 1000 * 905;
    EXPECT_THAT(textWith(full, 52 * kMs), testing::HasSubstr("Device memory was 90.5 % full at that time"));
    EXPECT_THAT(textWith(CleanRun::kMemory / 10 * 9, 52 * kMs), testing::Not(testing::HasSubstr("memory was")));
    EXPECT_THAT(textWith(full, 59 * kMs), testing::Not(testing::HasSubstr("memory was")))
        << "it was full after the call";
}

TEST(Findings, OtherRanksInViewChangeTheAdvice)
{
    CleanRun run;
    run.longCollective = 3'100 * kUs;
    ScopeRequest request;
    request.ranksInView = 2;
    EXPECT_THAT(found(run.trace(), request).front().text, testing::Not(testing::HasSubstr("With one rank in view")));
}

/// One of 96 calls takes 2,202.54 of 2,360.57 ms, as in a summary of Paddle.
TEST(Findings, OneCallOfNinetySix)
{
    KinetoText out;
    const Ns others = (2'360'570 - 2'202'540) * kUs / 95;
    Ns at = 0;
    for (int step = 0; step < 4; ++step) {
        const Ns begin = at;
        for (int call = 0; call < 24; ++call) {
            const Ns duration = step == 0 && call == 7 ? 2'202'540 * kUs : others;
            out.kernel("ncclKernel_AllReduce_RING_LL_Sum_half(ncclWorkElem)", 14, at + 10 * kUs, duration, at);
            out.kernel("volta_fp16_s884gemm_fp16_256x128_ldg8_f2f_nn", 7, at + 20 * kUs, 30 * kMs, at + 2 * kUs);
            at += std::max<Ns>(duration, 30 * kMs) + 50 * kUs;
        }
        out.step(step, begin, at - begin);
    }
    const std::vector<Finding> findings = found(out.trace());
    const auto one = std::find_if(findings.begin(), findings.end(),
                                  [](const Finding &each) { return each.rule->id == std::string("long_collective"); });
    ASSERT_NE(one, findings.end());
    EXPECT_EQ(one->evidence.size(), 1u);
    EXPECT_EQ(one->span.duration(), 2'202'540 * kUs);
    EXPECT_THAT(plain(one->text), testing::HasSubstr("one of 96 calls takes 2.203 s of 2.361 s"));
}

TEST(Findings, LeavingTheFirstStepOutMakesItsFindingGo)
{
    CleanRun run;
    run.firstStep = 50 * kMs;
    ASSERT_THAT(idsOf(found(run.trace())), testing::Contains("first_step_long"));
    ScopeRequest request;
    request.withoutFirstStep = true;
    EXPECT_THAT(idsOf(found(run.trace(), request)), testing::IsEmpty());
}

TEST(Findings, TheTableLeadsToTheEvidence)
{
    CleanRun run;
    run.syncs = 5;
    run.overhead = 1 * kMs;
    TraceSet set;
    set.add(run.trace(), TimeMap());
    const SetFacts facts(set);
    SummaryRequest request;
    request.view = "findings";
    const auto table = summarize(facts, request, {});
    ASSERT_TRUE(table);
    ASSERT_EQ(table->rows(), 2u);
    EXPECT_EQ(table->column("id")->texts, (std::vector<std::string>{"idle_after_sync", "profiler_overhead"}));
    EXPECT_EQ(table->column("duration_ns")->integers, (std::vector<int64_t>{50 * kUs, 1 * kMs}));
    EXPECT_EQ(table->column("instances")->integers, (std::vector<int64_t>{30, 1}));
    ASSERT_EQ(table->evidence.size(), 2u);
    const Trace &trace = *set.loaded()[0].trace;
    EXPECT_EQ(trace.string(trace.slice(table->evidence[0].slice)->data.name), "cudaStreamSynchronize");
    EXPECT_EQ(trace.string(trace.slice(table->evidence[1].slice)->data.name), "Buffer Flush");
    EXPECT_EQ(table->slices->rowOf(table->evidence[1]), 1u);
    EXPECT_EQ(table->slices->slicesOf(0).size(), 30u);
}

} // namespace
} // namespace riffle
