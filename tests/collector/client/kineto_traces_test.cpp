// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/client/kineto_request.h"
#include "collector/client/kineto_traces.h"
#include "tests/collector/client/kineto_client.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sys/wait.h>

namespace riffle::record {
namespace {

using std::chrono::seconds;

std::string valueIn(const std::string &request, const std::string &key)
{
    const size_t at = request.find(key + "=");
    return at == std::string::npos ? ""
                                   : request.substr(at + key.size() + 1, request.find('\n', at) - at - key.size() - 1);
}

std::string startOf(const char *schedule, int cycle)
{
    Settings settings;
    std::string error;
    settings.schedule = parseSchedule(schedule, error);
    return valueIn(kinetoRequest(settings, "/x.json", cycle, 0), "PROFILE_START_ITERATION");
}

TEST(KinetoRequestTest, stepsAreIterations)
{
    Settings settings;
    std::string error;
    settings.schedule = parseSteps("10:13", error);
    settings.shapes = true;
    EXPECT_EQ(kinetoRequest(settings, "/logs/a.json", 0, 0),
              "ACTIVITIES_LOG_FILE=/logs/a.json\nPROFILE_REPORT_INPUT_SHAPES=true\nPROFILE_START_ITERATION=9\n"
              "ACTIVITIES_WARMUP_ITERATIONS=1\nACTIVITIES_ITERATIONS=3\nACTIVITIES_DURATION_MSECS=0\n");
    EXPECT_EQ(startOf("active=2", 0), "0") << "Kineto accepts no request before the first step";
    EXPECT_EQ(startOf("wait=4,warmup=1,active=2", 0), "4");
    EXPECT_EQ(startOf("wait=4,warmup=1,active=2", 2), "18");
    EXPECT_EQ(startOf("wait=4,warmup=1,active=2,skip_first=3,skip_first_wait=1", 0), "3");
    EXPECT_EQ(startOf("wait=4,warmup=1,active=2,skip_first=3,skip_first_wait=1", 1), "10");
}

TEST(KinetoRequestTest, otherwiseByTime)
{
    Settings settings;
    settings.kinetoSeconds = 4;
    EXPECT_EQ(kinetoRequest(settings, "/a.json", 0, 1234),
              "ACTIVITIES_LOG_FILE=/a.json\nPROFILE_START_TIME=1234\n"
              "ACTIVITIES_WARMUP_PERIOD_SECS=2\nACTIVITIES_DURATION_MSECS=4000\n");
}

TEST(KinetoRequestTest, whatKinetoCannotDo)
{
    Settings settings;
    settings.preset = "light";
    settings.folder = "/logs/run 1";
    EXPECT_EQ(kinetoObjection(settings), "");
    for (const char *folder : {"/a#1", "/lr=1", "/a..b", "/a.json/b"}) {
        settings.folder = folder;
        EXPECT_NE(kinetoObjection(settings).find(folder), std::string::npos);
    }
    settings = Settings();
    settings.preset = "memory";
    EXPECT_NE(kinetoObjection(settings).find("CUPTI"), std::string::npos);
}

/// A test in which this process plays one that trains, and the test writes the files that Kineto would write.
class KinetoTracesTest : public testing::Test {
protected:
    void SetUp() override
    {
        std::string error;
        ASSERT_TRUE(m_daemon.start(m_rendezvous.folder(), error)) << error;
        m_settings.folder = m_rendezvous.folder() + "/logs";
        std::filesystem::create_directories(m_settings.folder);
        m_client.emplace(m_rendezvous.folder());
        m_traces.emplace(m_settings, m_rendezvous, m_daemon);
    }
    void step(int pid = getpid())
    {
        std::ofstream(m_rendezvous.folder() + "/" + std::to_string(pid)) << "state=recording\nsteps=1\n";
    }
    /// Polls from another process; `pids` are its id and those of its ancestors.
    void pollFromAnother(const std::vector<int32_t> &pids)
    {
        const pid_t child = fork();
        if (child == 0)
            _exit(KinetoClient(m_rendezvous.folder(), "other").poll(kIdle, pids) == "" ? 0 : 1);
        int status = -1;
        waitpid(child, &status, 0);
        ASSERT_EQ(status, 0);
    }
    void schedule(const char *text)
    {
        std::string error;
        m_settings.schedule = parseSchedule(text, error);
    }
    /// The path of the trace that a request leads to.
    static std::string pathIn(const std::string &request)
    {
        std::string path = valueIn(request, "ACTIVITIES_LOG_FILE");
        return path.empty() ? path : path.replace(path.rfind(".json"), 5, "_" + std::to_string(getpid()) + ".json");
    }

    Settings m_settings;
    Rendezvous m_rendezvous;
    KinetoDaemon m_daemon;
    std::optional<KinetoClient> m_client;
    std::optional<KinetoTraces> m_traces;
};

TEST_F(KinetoTracesTest, asksAfterTheFirstStepAndTellsWhatCame)
{
    ASSERT_EQ(m_client->poll(), "");
    m_traces->update();
    ASSERT_EQ(m_client->poll(), "");
    step();
    m_traces->update();
    const std::string path = pathIn(m_client->poll().value());
    ASSERT_EQ(path.rfind(m_settings.folder, 0), 0u);
    EXPECT_TRUE(m_traces->update().empty());
    std::ofstream(path + ".tmp") << "{";
    EXPECT_TRUE(m_traces->update().empty());
    EXPECT_FALSE(m_traces->allWritten());
    std::filesystem::remove(path + ".tmp");
    std::ofstream(path) << "{\"traceEvents\": []} \n";
    const auto traces = m_traces->update();
    ASSERT_EQ(traces.size(), 1u);
    EXPECT_EQ(traces[0].path, path);
    EXPECT_EQ(traces[0].bytes, 21u);
    EXPECT_TRUE(traces[0].whole);
    EXPECT_TRUE(m_traces->allWritten());
    EXPECT_TRUE(m_traces->missing().empty());
    EXPECT_EQ(m_client->poll(), "");
}

TEST_F(KinetoTracesTest, asksWhoMakesNoStepAfterTenSeconds)
{
    ASSERT_EQ(m_client->poll(), "");
    m_traces->update(KinetoTraces::Clock::now() + seconds(8));
    ASSERT_EQ(m_client->poll(), "");
    m_traces->update(KinetoTraces::Clock::now() + seconds(12));
    EXPECT_EQ(valueIn(m_client->poll().value(), "ACTIVITIES_DURATION_MSECS"), "3000");
}

TEST_F(KinetoTracesTest, aHelperIsAskedOnlyWhenItMakesSteps)
{
    ASSERT_EQ(m_client->poll(kIdle, {getpid(), 2'000'000'000}), "");
    pollFromAnother({2'000'000'000});
    m_traces->update(KinetoTraces::Clock::now() + seconds(12));
    EXPECT_EQ(m_client->poll(kIdle, {getpid(), 2'000'000'000}), "");
    step();
    m_traces->update(KinetoTraces::Clock::now() + seconds(12));
    EXPECT_NE(m_client->poll(kIdle, {getpid(), 2'000'000'000}), "");
}

TEST_F(KinetoTracesTest, aLauncherIsNotAskedWhenItsProcessesMakeSteps)
{
    ASSERT_EQ(m_client->poll(), "");
    pollFromAnother({2'000'000'000, getpid()});
    step(2'000'000'000);
    m_traces->update(KinetoTraces::Clock::now() + seconds(12));
    EXPECT_EQ(m_client->poll(), "");
}

TEST_F(KinetoTracesTest, stepsAreNotAskedForBeforeTheFirst)
{
    schedule("wait=5,active=1,repeat=1");
    ASSERT_EQ(m_client->poll(), "");
    m_traces->update(KinetoTraces::Clock::now() + seconds(60));
    EXPECT_EQ(m_client->poll(), "");
    EXPECT_NE(m_traces->missing().at(0).find("no process made a step"), std::string::npos);
    step();
    m_traces->update();
    EXPECT_NE(m_client->poll(), "");
    EXPECT_EQ(m_client->poll(kBusy), "");
    m_traces->update(KinetoTraces::Clock::now() + seconds(60));
    EXPECT_EQ(m_client->poll(), "");
    EXPECT_NE(m_traces->missing().at(0).find("Kineto has left no trace"), std::string::npos);
}

TEST_F(KinetoTracesTest, everyCycleHasATraceOfItsOwn)
{
    schedule("wait=5,active=1,repeat=2");
    step();
    ASSERT_EQ(m_client->poll(), "");
    m_traces->update();
    const std::string first = m_client->poll().value();
    std::ofstream(pathIn(first)) << "{}";
    EXPECT_EQ(m_traces->update().size(), 1u);
    EXPECT_FALSE(m_traces->allWritten());
    const std::string second = m_client->poll().value();
    EXPECT_EQ(valueIn(second, "PROFILE_START_ITERATION"), "10");
    EXPECT_NE(pathIn(second), pathIn(first));
    std::ofstream(pathIn(second)) << "{}";
    EXPECT_EQ(m_traces->update().size(), 1u);
    EXPECT_TRUE(m_traces->allWritten());
}

TEST_F(KinetoTracesTest, aTraceThatIsCutIsSaidToBe)
{
    step();
    ASSERT_EQ(m_client->poll(), "");
    m_traces->update();
    std::ofstream(pathIn(m_client->poll().value())) << "{\"traceEvents\": [";
    EXPECT_FALSE(m_traces->update().at(0).whole);
}

TEST_F(KinetoTracesTest, whatDidNotCome)
{
    EXPECT_NE(m_traces->missing().at(0).find("loaded a PyTorch"), std::string::npos);
    ASSERT_EQ(m_client->poll(), "");
    m_traces->update();
    EXPECT_NE(m_traces->missing().at(0).find("made a step"), std::string::npos);
    step();
    m_traces->update();
    EXPECT_NE(m_traces->missing().at(0).find("ended too early"), std::string::npos);
    std::ofstream(pathIn(m_client->poll().value()) + ".tmp") << "{";
    EXPECT_NE(m_traces->missing().at(0).find(".json.tmp"), std::string::npos);
    EXPECT_EQ(m_traces->missing().size(), 1u);
}

} // namespace
} // namespace riffle::record
