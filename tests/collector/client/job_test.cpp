// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/client/job.h"
#include "collector/client/log_summary.h"
#include "collector/client/rendezvous.h"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>
#include <unistd.h>

namespace riffle::record {
namespace {

JobEnd shell(const std::string &script, const std::map<std::string, std::string> &environment = {},
             const std::function<bool()> &isDone = {}, int grace = 10)
{
    return runJob({"sh", "-c", script}, environment, isDone, grace);
}

/// A test with a file that a command writes when it is ready.
class JobTest : public testing::Test {
protected:
    JobTest()
    {
        std::string name = (std::filesystem::temp_directory_path() / "riffle-job-XXXXXX").string();
        m_folder = mkdtemp(name.data());
    }
    ~JobTest() override { std::filesystem::remove_all(m_folder); }
    std::string file() const { return m_folder + "/ready"; }
    bool isReady() const
    {
        std::error_code none;
        return std::filesystem::file_size(file(), none) > 0 && !none;
    }
    /// True if the command is ready or a minute has passed, so that every wait for it ends.
    bool isReadyOrLate() const
    {
        return isReady() || std::chrono::steady_clock::now() > m_begun + std::chrono::seconds(60);
    }

private:
    std::string m_folder;
    const std::chrono::steady_clock::time_point m_begun = std::chrono::steady_clock::now();
};

TEST_F(JobTest, exitCodes)
{
    EXPECT_EQ(shell("exit 0").code, 0);
    EXPECT_EQ(shell("exit 42").code, 42);
    EXPECT_EQ(shell("kill -9 $$").code, 128 + SIGKILL);
    const JobEnd missing = runJob({"no-such-program"}, {});
    EXPECT_EQ(missing.code, kNotFound);
    EXPECT_NE(missing.error.find("no-such-program"), std::string::npos);
    EXPECT_EQ(runJob({"/"}, {}).code, kNotExecutable);
}

TEST_F(JobTest, whoStartsUsMayIgnoreItsChildren)
{
    struct sigaction after {};
    std::signal(SIGCHLD, SIG_IGN);
    EXPECT_EQ(shell("exit 42").code, 42);
    sigaction(SIGCHLD, nullptr, &after);
    EXPECT_EQ(after.sa_handler, SIG_IGN);
    // SIGCHLD is the 17th bit in the mask of the signals that the command ignores.
    EXPECT_EQ(runJob({"grep", "-q", "SigIgn:.*[13579bdf]....$", "/proc/self/status"}, {}).code, 0);
    std::signal(SIGCHLD, SIG_DFL);
}

TEST_F(JobTest, environmentIsAdded)
{
    setenv("KEPT", "1", 1);
    EXPECT_EQ(shell("test \"$KEPT$ADDED\" = 1a", {{"ADDED", "a"}}).code, 0);
    EXPECT_EQ(getenv("ADDED"), nullptr);
}

TEST_F(JobTest, signalsGoToTheCommand)
{
    for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2}) {
        std::filesystem::remove(file());
        std::signal(number, SIG_DFL); // our parent may ignore it, and a shell cannot trap a signal that is ignored
        std::thread sender([number, this] {
            sigset_t all;
            sigfillset(&all);
            pthread_sigmask(SIG_BLOCK, &all, nullptr); // otherwise the signal would end this thread and so the test
            while (!isReadyOrLate())
                usleep(10'000);
            if (isReady())
                kill(getpid(), number);
        });
        const std::string name = std::to_string(number);
        EXPECT_EQ(shell("trap 'kill -9 $!; exit 7' " + name + "; sleep 60 & echo ready >'" + file() + "'; wait").code,
                  7)
            << name;
        sender.join();
    }
}

TEST_F(JobTest, isEndedWhenDone)
{
    const std::string rest = "; echo ready >'" + file() + "'; while :; do sleep 0.05; done";
    const auto isDone = [this] { return isReadyOrLate(); };
    const JobEnd asked = shell("trap 'exit 3' TERM" + rest, {}, isDone);
    EXPECT_TRUE(asked.ended);
    EXPECT_EQ(asked.code, 3);
    std::filesystem::remove(file());
    EXPECT_EQ(shell("trap '' TERM" + rest, {}, isDone, 0).code, 128 + SIGKILL);
}

TEST_F(JobTest, whatTheCommandStartedIsEndedToo)
{
    // There are two nested shells; the inner one ends only when it is killed.
    const std::string inner = "trap \"\" TERM; echo $$ >" + file() + "; while :; do sleep 0.05; done";
    const JobEnd end = shell(
        "sh -c '" + inner + "'; exit 5", {}, [this] { return isReadyOrLate(); }, 1);
    EXPECT_EQ(end.code, 128 + SIGTERM);
    pid_t child = 0;
    std::ifstream(file()) >> child;
    ASSERT_GT(child, 0);
    EXPECT_EQ(kill(child, 0), -1);
    EXPECT_EQ(errno, ESRCH);
}

TEST_F(JobTest, aSignalMayBeIgnored)
{
    EXPECT_EQ(runJob({"sh", "-c", "kill -USR1 $$; exit 4"}, {}, {}, 10, SIGUSR1).code, 4);
    EXPECT_EQ(runJob({"sh", "-c", "kill -USR1 $$; exit 4"}, {}).code, 128 + SIGUSR1);
}

TEST(RendezvousTest, tellsWhenAllAreDone)
{
    const Rendezvous rendezvous;
    ASSERT_FALSE(rendezvous.folder().empty());
    EXPECT_FALSE(rendezvous.allDone());
    const auto say = [&](int pid, const std::string &text) {
        std::ofstream(rendezvous.folder() + "/" + std::to_string(pid)) << text;
    };
    say(getpid(), "state=recording\nsteps=4\n");
    EXPECT_FALSE(rendezvous.allDone());
    say(getpid(), "state=done\nsteps=6\n");
    EXPECT_TRUE(rendezvous.allDone());
    ASSERT_EQ(rendezvous.processes().size(), 1u);
    EXPECT_EQ(rendezvous.processes()[0].steps, 6);
    say(getppid(), "state=recording\n");
    EXPECT_FALSE(rendezvous.allDone());
}

TEST(RendezvousTest, namesWhatProcessesHaveExported)
{
    const Rendezvous rendezvous;
    std::ofstream(rendezvous.folder() + "/12.exported") << "/b.json\n/a b.json\n/b.json\n";
    std::ofstream(rendezvous.folder() + "/12") << "state=done\n";
    EXPECT_EQ(rendezvous.exported(), (std::vector<std::string>{"/b.json", "/a b.json"}));
    EXPECT_EQ(rendezvous.processes().size(), 1u);
}

TEST(LogSummaryTest, brokenAndMissingFilesAreNoError)
{
    namespace fs = std::filesystem;
    const fs::path log = fs::path(testing::TempDir()) / "a.rifflelog";
    fs::remove_all(log);
    EXPECT_EQ(summarize(log.string()).files, 0u);
    fs::create_directories(log);
    const auto before = logsIn(testing::TempDir());
    std::ofstream(log / "000001.part") << "no log at all";
    const LogSummary summary = summarize(log.string());
    EXPECT_EQ(summary.files, 1u);
    EXPECT_TRUE(summary.damaged);
    EXPECT_FALSE(summary.closed);
    const auto logs = newLogs(before, logsIn(testing::TempDir()));
    EXPECT_NE(std::find(logs.begin(), logs.end(), log.string()), logs.end());
}

} // namespace
} // namespace riffle::record
