// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0

// Kills recording processes at random moments. Everything for which a flush had returned must be in the log, except
// what the log itself counts as dropped, and the log must open. RIFFLE_KILLS sets the number of kills, and
// RIFFLE_KILL_SEED selects the moments.

#include "model/ingest/importer.h"
#include "tests/collector/kill/subject.h"
#include "tests/support/archives.h"

#include <array>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <memory>
#include <new>
#include <optional>
#include <random>
#include <set>
#include <sys/mman.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace riffle::test {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr size_t kThreads = Testimony::kThreads;
constexpr unsigned kAtOnce = 4;

unsigned fromEnvironment(const char *name, unsigned otherwise)
{
    const char *value = std::getenv(name);
    return value ? static_cast<unsigned>(std::strtoul(value, nullptr, 10)) : otherwise;
}

/// A Testimony in memory that a child shares with us.
struct SharedTestimony {
    SharedTestimony()
    {
        void *memory = mmap(nullptr, sizeof(Testimony), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        EXPECT_NE(memory, MAP_FAILED);
        says = new (memory) Testimony;
    }
    ~SharedTestimony() { munmap(says, sizeof(Testimony)); }
    SharedTestimony(const SharedTestimony &) = delete;
    SharedTestimony &operator=(const SharedTestimony &) = delete;
    Testimony *says;
};

/// The numbers found in a log, by thread.
struct Numbers {
    std::array<std::set<uint64_t>, kThreads> ranges, values;
    size_t alwaysOpen = 0;
    uint64_t count() const
    {
        uint64_t all = alwaysOpen;
        for (size_t thread = 0; thread < kThreads; ++thread)
            all += ranges[thread].size() + values[thread].size();
        return all;
    }
};

void readRanges(const Trace &trace, Numbers &found)
{
    for (const auto &segment : trace.segments)
        for (uint32_t at = 0; at < segment->size(); ++at) {
            const std::string_view name = trace.string(segment->slices.name[at]);
            found.alwaysOpen += name == "always open";
            const size_t colon = name.find(':');
            if (colon == std::string_view::npos)
                continue;
            size_t thread = kThreads;
            uint64_t number = 0;
            std::from_chars(name.data(), name.data() + colon, thread);
            std::from_chars(name.data() + colon + 1, name.data() + name.size(), number);
            ASSERT_LT(thread, kThreads) << name;
            ASSERT_TRUE(found.ranges[thread].insert(number).second) << name << " occurs twice";
        }
}

void readValues(const Trace &trace, Numbers &found)
{
    for (const Lane &lane : trace.lanes) {
        if (lane.kind != LaneKind::Counter)
            continue;
        size_t thread = 0;
        while (thread < kThreads && trace.string(lane.name.value) != counterName(thread))
            ++thread;
        for (uint32_t at = lane.counterBegin; at < lane.counterEnd && thread < kThreads; ++at) {
            const auto number = static_cast<uint64_t>(trace.counters.value[at]);
            ASSERT_TRUE(found.values[thread].insert(number).second) << number << " occurs twice";
        }
    }
}

/// Totals over all kills, which show that the test has covered the cases that matter.
struct Totals {
    uint64_t acknowledged = 0, acknowledgements = 0, dropped = 0, torn = 0, parts = 0, dumps = 0, early = 0,
             openRanges = 0;
};

uint64_t missing(const std::set<uint64_t> &there, uint64_t upTo)
{
    const auto end = there.upper_bound(upTo);
    return upTo - static_cast<uint64_t>(std::distance(there.begin(), end));
}

void checkLog(const std::string &path, const Testimony &says, const Testimony::Numbers &acknowledged, Totals &totals)
{
    const auto trace = importTrace(path, {}, {});
    ASSERT_TRUE(trace) << trace.error().text();
    Numbers found;
    readRanges(**trace, found);
    readValues(**trace, found);
    const ImportReport &report = (*trace)->report;
    const uint64_t dropped = report.of(Trouble::DroppedRecords).count;
    EXPECT_EQ(report.of(Trouble::MissingPart).count, 0u);
    uint64_t lost = 0, begun = 0, open = 0;
    for (size_t thread = 0; thread < kThreads; ++thread) {
        lost +=
            missing(found.ranges[thread], acknowledged[thread]) + missing(found.values[thread], acknowledged[thread]);
        begun += 2 * says.begun[thread];
        open += thread > 0 && acknowledged[thread] > 0;
        totals.acknowledged += 2 * acknowledged[thread];
    }
    EXPECT_LE(lost, dropped) << "acknowledged, but neither in the log nor counted as dropped";
    EXPECT_LE(dropped, begun + kThreads - 1 - found.count()) << "counted as dropped and yet in the log";
    EXPECT_GE(found.alwaysOpen, open);
    totals.openRanges += found.alwaysOpen;
    totals.dropped += dropped;
    EXPECT_EQ(report.of(Trouble::BrokenChunk).count, 0u);
    for (const auto &example : report.of(Trouble::NotClosed).examples)
        totals.torn += example.text.find("unfinished") != std::string::npos;
}

/// The log's folder; empty if there is no file with content.
std::string logIn(const std::string &folder, Totals &totals)
{
    std::string log;
    for (const auto &entry : fs::recursive_directory_iterator(folder))
        if (entry.is_regular_file() && entry.file_size() > 0 &&
            entry.path().parent_path().filename() != "dump.rifflelog") {
            log = entry.path().parent_path().string();
            ++totals.parts;
        }
    return log;
}

/// One recording process, which is killed when its time has come.
class Subject {
public:
    explicit Subject(uint32_t seed) : m_born(Clock::now())
    {
        std::minstd_rand random(seed);
        m_life.seed = seed;
        m_life.folder = m_folder.path();
        m_life.keepsSeconds = random() % 2 == 0;
        m_life.flushesOften = 1 + random() % 4;
        m_early = random() % 10 == 0;
        m_life.killedAfterUs = random() % (m_early ? 1'500 : m_life.keepsSeconds ? 450'000 : 150'000);
        m_child = fork();
        if (m_child == 0)
            live(m_life, *m_shared.says);
    }

    /// Kills the process if its time has come; returns true if it did.
    bool killWhenDue()
    {
        const auto now = Clock::now();
        if (!m_recordsSince && (m_early || m_shared.says->started))
            m_recordsSince = m_early ? m_born : now;
        const auto due = m_recordsSince ? *m_recordsSince + std::chrono::microseconds(m_life.killedAfterUs)
                                        : m_born + std::chrono::seconds(20);
        if (now < due)
            return false;
        ::kill(m_child, SIGKILL);
        int status = 0;
        EXPECT_EQ(waitpid(m_child, &status, 0), m_child);
        EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << "the process ended by itself";
        return true;
    }

    void check(Totals &totals)
    {
        SCOPED_TRACE("seed " + std::to_string(m_life.seed) + (m_life.keepsSeconds ? ", flight recorder" : "") +
                     ", killed after " + std::to_string(m_life.killedAfterUs) + " us");
        const Testimony &says = *m_shared.says;
        totals.early += !says.started;
        totals.acknowledgements += says.acknowledgements;
        const std::string log = logIn(m_life.folder, totals);
        if (!log.empty())
            checkLog(log, says, says.acknowledged, totals);
        else
            EXPECT_FALSE(says.started) << "no log";
        if (says.hasDump) {
            ++totals.dumps;
            checkLog(dumpFolder(m_life), says, says.dumped, totals);
        }
    }

private:
    const TemporaryFolder m_folder;
    SharedTestimony m_shared;
    Life m_life;
    bool m_early = false; ///< the kill may come before recording has started
    pid_t m_child = -1;
    const Clock::time_point m_born;
    std::optional<Clock::time_point> m_recordsSince;
};

TEST(Kill, NothingAcknowledgedIsLost)
{
    const unsigned kills = fromEnvironment("RIFFLE_KILLS", 200), seed = fromEnvironment("RIFFLE_KILL_SEED", 20'260'801);
    std::printf("%u kills, seed %u\n", kills, seed);
    Totals totals;
    const auto begin = Clock::now();
    for (unsigned done = 0; done < kills && !HasFailure(); done += kAtOnce) {
        std::vector<std::unique_ptr<Subject>> subjects;
        std::vector<Subject *> alive;
        for (unsigned at = 0; at < kAtOnce; ++at) {
            subjects.push_back(std::make_unique<Subject>(seed + done + at));
            alive.push_back(subjects.back().get());
        }
        for (; !alive.empty(); std::this_thread::sleep_for(std::chrono::microseconds(200)))
            std::erase_if(alive, [](Subject *subject) { return subject->killWhenDue(); });
        for (const auto &subject : subjects)
            subject->check(totals);
    }
    std::printf(
        "%.1f s; %llu flushes returned for %llu records, %llu dropped and counted; %llu files, %llu cut chunks, "
        "%llu open ranges, %llu dumps, %llu killed before recording\n",
        std::chrono::duration<double>(Clock::now() - begin).count(), (unsigned long long)totals.acknowledgements,
        (unsigned long long)totals.acknowledged, (unsigned long long)totals.dropped, (unsigned long long)totals.parts,
        (unsigned long long)totals.torn, (unsigned long long)totals.openRanges, (unsigned long long)totals.dumps,
        (unsigned long long)totals.early);
    // The kills have covered the cases that matter.
    EXPECT_GT(totals.acknowledgements, kills);
    EXPECT_GT(totals.dropped, 0u);
    EXPECT_GT(totals.dumps, 0u);
    EXPECT_GT(totals.parts, kills);
    EXPECT_GT(totals.openRanges, 0u);
}

} // namespace
} // namespace riffle::test
