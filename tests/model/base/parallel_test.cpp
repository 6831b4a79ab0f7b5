// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/base/parallel.h"

#include "model/base/stopping.h"

#include <algorithm>
#include <atomic>
#include <gtest/gtest.h>
#include <map>
#include <mutex>
#include <new>
#include <pthread.h>
#include <set>
#include <stdexcept>
#include <sys/wait.h>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <vector>

namespace riffle {
namespace {

class ParallelTest : public testing::TestWithParam<unsigned> {
protected:
    ParallelTest() { setWorkerCount(GetParam()); }
    ~ParallelTest() override { setWorkerCount(0); }
};

TEST_P(ParallelTest, EveryIndexOnce)
{
    for (const size_t count : {size_t{0}, size_t{1}, size_t{2}, size_t{7}, size_t{1000}, size_t{100'000}}) {
        std::vector<std::atomic<uint32_t>> visits(count);
        parallelFor(count, [&](size_t index) { ++visits.at(index); });
        for (const auto &visited : visits)
            ASSERT_EQ(visited, 1u);
    }
}

TEST_P(ParallelTest, IndicesAscendOnEveryWorker)
{
    std::mutex mutex;
    std::map<std::thread::id, std::vector<size_t>> taken;
    parallelFor(20'000, [&](size_t index) {
        std::scoped_lock lock(mutex);
        taken[std::this_thread::get_id()].push_back(index);
    });
    EXPECT_LE(taken.size(), GetParam());
    for (const auto &[thread, indices] : taken)
        EXPECT_TRUE(std::is_sorted(indices.begin(), indices.end()));
}

TEST_P(ParallelTest, EveryWorkerOnceOnAThreadOfItsOwn)
{
    EXPECT_EQ(workerCount(), GetParam());
    std::mutex mutex;
    std::multiset<unsigned> workers;
    std::set<std::thread::id> threads;
    std::atomic<unsigned> arrived{0};
    parallelWorkers([&](unsigned worker) {
        for (++arrived; arrived < GetParam();) // no worker ends before all have started
            std::this_thread::yield();
        std::scoped_lock lock(mutex);
        workers.insert(worker);
        threads.insert(std::this_thread::get_id());
    });
    EXPECT_EQ(workers.size(), GetParam());
    EXPECT_EQ(std::set<unsigned>(workers.begin(), workers.end()).size(), GetParam());
    EXPECT_EQ(*workers.rbegin(), GetParam() - 1);
    EXPECT_EQ(threads.size(), GetParam());
}

TEST_P(ParallelTest, MayBeNested)
{
    std::atomic<uint64_t> sum{0};
    parallelFor(20, [&](size_t outer) { parallelFor(30, [&](size_t inner) { sum += outer * inner; }); });
    EXPECT_EQ(sum, uint64_t{190} * 435);
}

TEST_P(ParallelTest, AnExceptionComesToTheCallerAfterAllHaveEnded)
{
    std::atomic<int> inside{0}, begun{0};
    const auto body = [&](size_t index) {
        ++begun;
        ++inside;
        struct Leave {
            std::atomic<int> &count;
            ~Leave() { --count; }
        } leave{inside};
        if (index == 50)
            throw std::bad_alloc();
        std::this_thread::yield();
    };
    EXPECT_THROW(parallelFor(1'000'000, body), std::bad_alloc);
    EXPECT_EQ(inside, 0);
    EXPECT_LT(begun, 1'000'000); // the rest is not started
    EXPECT_THROW(parallelFor(100, [](size_t) { throw std::runtime_error("every one"); }), std::runtime_error);
}

TEST_P(ParallelTest, ACallerNeverWaitsForTheWorkOfAnotherOne)
{
    for (const bool isLong : {false, true}) {
        std::atomic<unsigned> held{0};
        std::atomic<bool> release{false};
        const auto hold = [&](size_t) {
            for (++held; !release;)
                std::this_thread::yield();
        };
        std::thread other([&] { isLong ? parallelWorkers(hold) : parallelFor(GetParam(), hold); });
        while (held < GetParam())
            std::this_thread::yield();
        std::atomic<size_t> sum{0};
        parallelFor(20, [&](size_t outer) { parallelFor(30, [&](size_t inner) { sum += outer * inner; }); });
        EXPECT_EQ(sum, size_t{190} * 435);
        std::atomic<unsigned> called{0};
        parallelWorkers([&](unsigned worker) { called += worker == 0; });
        EXPECT_EQ(called, 1u);
        release = true;
        other.join();
    }
}

TEST_P(ParallelTest, AStopEndsLoopsOnAllThreads)
{
    std::stop_source source;
    std::atomic<size_t> begun{0};
    const auto nested = [&](size_t) {
        parallelFor(1000, [&](size_t) {
            if (++begun >= 500)
                source.request_stop();
        });
    };
    EXPECT_FALSE(untilStopped(source.get_token(), [&] { return (parallelFor(1000, nested), true); }));
    EXPECT_GE(begun, 500u);
    EXPECT_LE(begun, 500 + GetParam() * GetParam()) << "each thread may begin one more before it looks";
    EXPECT_FALSE(StopScope::isStopped()) << "the scope has ended with the call";
}

INSTANTIATE_TEST_SUITE_P(Workers, ParallelTest, testing::Values(1u, 2u, 3u, 8u));

/// During its lifetime, no thread can be started, because there is no room for a stack.
class NoMoreThreads {
public:
    NoMoreThreads()
    {
        pthread_getattr_default_np(&m_before);
        pthread_attr_t huge;
        pthread_getattr_default_np(&huge);
        pthread_attr_setstacksize(&huge, size_t{1} << 47);
        pthread_setattr_default_np(&huge);
        pthread_attr_destroy(&huge);
    }
    ~NoMoreThreads()
    {
        pthread_setattr_default_np(&m_before);
        pthread_attr_destroy(&m_before);
    }

private:
    pthread_attr_t m_before;
};

TEST(Parallel, GoesOnWithTheThreadsThatCouldBeStarted)
{
    constexpr unsigned kMany = 100; // more than the pool has had to start for other tests
    setWorkerCount(kMany);
    std::atomic<int> visits{0};
    std::mutex mutex;
    std::set<std::thread::id> threads;
    {
        const NoMoreThreads limit;
        EXPECT_THROW(std::thread([] {}), std::system_error);
        parallelFor(100, [&](size_t) { ++visits; });
        parallelWorkers([&](unsigned) {
            const std::scoped_lock lock(mutex);
            threads.insert(std::this_thread::get_id());
        });
    }
    setWorkerCount(0);
    EXPECT_EQ(visits, 100);
    EXPECT_TRUE(threads.contains(std::this_thread::get_id()));
    EXPECT_LT(threads.size(), kMany);
}

TEST(ParallelForkSlow, AForkedProcessHasThreadsOfItsOwn) // the thread sanitizer allows no threads after a fork
{
    setWorkerCount(4);
    parallelFor(100, [](size_t) {}); // so that the pool has threads, which the child does not have
    const pid_t child = fork();
    if (child == 0) {
        std::atomic<unsigned> arrived{0};
        parallelWorkers([&](unsigned) {
            for (++arrived; arrived < 4;)
                std::this_thread::yield();
        });
        _exit(static_cast<int>(arrived.load()));
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    setWorkerCount(0);
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 4);
}

TEST(Parallel, WorkersAreTheMachinesOwnUnlessSaidOtherwise)
{
    setWorkerCount(5);
    EXPECT_EQ(workerCount(), 5u);
    setWorkerCount(0);
    EXPECT_EQ(workerCount(), std::max(1u, std::thread::hardware_concurrency()));
}

} // namespace
} // namespace riffle
