// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/client/kineto_daemon.h"
#include "collector/client/rendezvous.h"
#include "tests/collector/client/kineto_client.h"

#include <gtest/gtest.h>

#include <csignal>
#include <sys/stat.h>
#include <sys/wait.h>

namespace riffle::record {
namespace {

class KinetoDaemonTest : public testing::Test {
protected:
    void SetUp() override
    {
        std::string error;
        ASSERT_TRUE(m_daemon.start(m_rendezvous.folder(), error)) << error;
    }
    std::string folder() const { return m_rendezvous.folder(); }

    Rendezvous m_rendezvous;
    KinetoDaemon m_daemon;
};

TEST_F(KinetoDaemonTest, answersWithNothingWhereNothingIsAsked)
{
    const KinetoClient client(folder());
    for (int i = 0; i < 50; ++i)
        ASSERT_EQ(client.poll(), "") << i;
    const auto clients = m_daemon.clients();
    ASSERT_EQ(clients.size(), 1u);
    EXPECT_EQ(clients[0].pid, getpid());
    EXPECT_EQ(clients[0].pids, (std::vector<int32_t>{getpid(), getppid()}));
}

TEST_F(KinetoDaemonTest, aRequestIsSentOnceAndNotWhileBusy)
{
    const KinetoClient client(folder());
    m_daemon.ask(getpid(), "A=1\n");
    EXPECT_EQ(client.poll(kBusy), "");
    EXPECT_EQ(client.poll(kIdle), "A=1\n");
    EXPECT_EQ(client.poll(kIdle), "");
    EXPECT_FALSE(m_daemon.clients()[0].worked);
    EXPECT_EQ(client.poll(kBusy), "");
    EXPECT_TRUE(m_daemon.clients()[0].worked);
    EXPECT_EQ(client.poll(kIdle), "");
    EXPECT_TRUE(m_daemon.clients()[0].worked);
    m_daemon.ask(getpid(), "B=2\n");
    EXPECT_EQ(client.poll(kIdle), "B=2\n");
    EXPECT_FALSE(m_daemon.clients()[0].worked);
}

TEST_F(KinetoDaemonTest, whatIsNoPollIsNotAnsweredAndHarmsNobody)
{
    const KinetoClient client(folder());
    m_daemon.ask(getpid(), "A=1\n");
    for (const std::string &wrong :
         {std::string(), std::string("x"), kinetoMessage(pollBody(kIdle, {1}, 1), "ctxt"),
          kinetoMessage(pollBody(kIdle, {1}, 1 << 30)), kinetoPoll(kIdle, std::vector<int32_t>(20'000))})
        ASSERT_TRUE(client.send(wrong));
    EXPECT_EQ(client.poll(), "A=1\n");
    EXPECT_EQ(client.answer(50), std::nullopt);
}

TEST_F(KinetoDaemonTest, answersThatAreReadLateArriveAll)
{
    const KinetoClient client(folder());
    ASSERT_EQ(client.poll(), "");
    m_daemon.ask(getpid(), "A=1\n");
    for (int i = 0; i < 4; ++i)
        ASSERT_TRUE(client.send(kinetoPoll(kIdle, {getpid()})));
    EXPECT_EQ(client.answer(), "A=1\n");
    for (int i = 0; i < 3; ++i)
        EXPECT_EQ(client.answer(), "");
}

TEST_F(KinetoDaemonTest, whoIsGoneOrHasNoAddressHarmsNobody)
{
    for (int i = 0; i < 20; ++i) {
        const KinetoClient gone(folder(), "gone");
        m_daemon.ask(getpid(), "A=1\n");
        ASSERT_TRUE(gone.send(kinetoPoll(kIdle, {getpid()})));
    }
    const KinetoClient nameless("/nowhere");
    nameless.send(kinetoPoll(kIdle, {getpid()}));
    m_daemon.ask(getpid(), "B=2\n");
    const KinetoClient client(folder());
    EXPECT_EQ(client.poll(), "B=2\n");
}

/// The exit code of a process that runs `work`; 0 if `work` returned true.
template <typename Work>
int inAProcess(Work work)
{
    const pid_t child = fork();
    if (child == 0)
        _exit(work() ? 0 : 1);
    int status = -1;
    return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST_F(KinetoDaemonTest, manyProcesses)
{
    constexpr int kMany = 60;
    std::vector<pid_t> children;
    for (int i = 0; i < kMany; ++i) {
        children.push_back(fork());
        if (children.back() == 0) {
            const KinetoClient client(folder(), "client" + std::to_string(getpid()));
            bool good = true;
            for (int round = 0; round < 20; ++round)
                good = good && client.poll() == "";
            _exit(good ? 0 : 1);
        }
    }
    for (const pid_t child : children) {
        int status = -1;
        waitpid(child, &status, 0);
        EXPECT_EQ(status, 0);
    }
    EXPECT_EQ(m_daemon.clients().size(), size_t(kMany));
}

TEST_F(KinetoDaemonTest, otherUsersGetNoAnswer)
{
    if (geteuid() != 0)
        GTEST_SKIP() << "needs root to be another user";
    chmod(folder().c_str(), 0777);
    chmod((folder() + "/dynolog").c_str(), 0777);
    EXPECT_EQ(inAProcess([&] { return KinetoClient(folder(), "own").poll() == ""; }), 0);
    EXPECT_EQ(inAProcess([&] {
                  const bool other = setuid(65534) == 0;
                  const KinetoClient client(folder(), "other");
                  return other && client.send(kinetoPoll(kIdle, {1})) && !client.answer(300);
              }),
              0);
    EXPECT_EQ(m_daemon.clients().size(), 1u);
}

TEST_F(KinetoDaemonTest, leavesSignalsToTheMainThread)
{
    sigset_t usr1, before;
    sigemptyset(&usr1);
    sigaddset(&usr1, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &usr1, &before);
    kill(getpid(), SIGUSR1);
    const timespec second{1, 0};
    EXPECT_EQ(sigtimedwait(&usr1, nullptr, &second), SIGUSR1);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

TEST(KinetoDaemonStartTest, saysWhyItCannot)
{
    std::string error;
    EXPECT_FALSE(KinetoDaemon().start("", error));
    EXPECT_FALSE(KinetoDaemon().start("/" + std::string(60, 'x'), error));
    EXPECT_NE(error.find("TMPDIR"), std::string::npos);
    EXPECT_FALSE(KinetoDaemon().start("/nowhere", error));
    EXPECT_NE(error.find("/nowhere: No such file"), std::string::npos);
}

} // namespace
} // namespace riffle::record
