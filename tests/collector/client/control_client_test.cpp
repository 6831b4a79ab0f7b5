// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/client/control_client.h"
#include "riffle/control_folder.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sys/wait.h>
#include <thread>

namespace riffle::record {
namespace {

namespace fs = std::filesystem;
using control::Kind;
using control::makePacket;
using Milliseconds = std::chrono::milliseconds;

/// A runtime folder of the user with one socket in it, on which the test may listen.
class ControlClientTest : public testing::Test {
protected:
    ControlClientTest()
    {
        std::string name = (fs::temp_directory_path() / "riffle-client-XXXXXX").string();
        m_folder = mkdtemp(name.data());
        setenv("XDG_RUNTIME_DIR", m_folder.c_str(), 1);
        fs::create_directory(m_folder + "/riffle");
        fs::permissions(m_folder + "/riffle", fs::perms::owner_all);
        m_path = m_folder + "/riffle/4711.sock";
        m_listening = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    }
    ~ControlClientTest() override
    {
        close(m_listening);
        if (m_peer.joinable())
            m_peer.join();
        fs::remove_all(m_folder);
        unsetenv("XDG_RUNTIME_DIR");
    }
    bool listens()
    {
        const auto address = control::socketAddress(m_path);
        return bind(m_listening, reinterpret_cast<const sockaddr *>(&*address), sizeof(*address)) == 0 &&
               listen(m_listening, 1) == 0;
    }
    /// Takes one request, sends the packets that `answers` returns for it, and keeps the connection until the client
    /// closes it.
    void answerWith(const std::function<std::vector<std::string>(const control::Message &)> &answers)
    {
        ASSERT_TRUE(listens());
        m_peer = std::thread([this, answers] {
            const int client = accept(m_listening, nullptr, nullptr);
            char bytes[control::kMaxMessageBytes];
            const ssize_t size = recv(client, bytes, sizeof(bytes), 0);
            for (const std::string &packet : answers(*control::readPacket({bytes, static_cast<size_t>(size)})))
                send(client, packet.data(), packet.size(), MSG_NOSIGNAL);
            while (recv(client, bytes, sizeof(bytes), 0) > 0) {
            }
            close(client);
        });
    }
    std::optional<Reply> ask(Kind kind, std::string_view text = {}, Milliseconds patience = std::chrono::seconds(20))
    {
        ControlClient client;
        return client.connect(m_path, m_error) ? client.ask(kind, text, m_error, patience) : std::nullopt;
    }

    std::string m_folder, m_path, m_error;
    int m_listening = -1;
    std::thread m_peer;
};

TEST_F(ControlClientTest, anAnswerIsTheOneWithTheRequestsNumber)
{
    answerWith([](const control::Message &asked) {
        EXPECT_EQ(asked.kind, Kind::Dump);
        EXPECT_EQ(asked.text, "/folder");
        return std::vector{makePacket(Kind::Committed, 0, {}, "told"),
                           makePacket(Kind::Dump, asked.request + 1, {}, "another's"),
                           makePacket(Kind::Dump, asked.request, {}, "ours")};
    });
    const auto reply = ask(Kind::Dump, "/folder");
    ASSERT_TRUE(reply) << m_error;
    EXPECT_EQ(reply->text, "ours");
}

TEST_F(ControlClientTest, anErrorIsItsSentence)
{
    answerWith([](const control::Message &asked) {
        return std::vector{makePacket(Kind::Error, asked.request, {}, "not now")};
    });
    EXPECT_FALSE(ask(Kind::Stop));
    EXPECT_EQ(m_error, "not now");
}

TEST_F(ControlClientTest, whatIsNoMessageEndsIt)
{
    answerWith([](const control::Message &) { return std::vector{std::string("hello")}; });
    EXPECT_FALSE(ask(Kind::Stop));
    EXPECT_EQ(m_error, "The process has closed the connection.");
}

TEST_F(ControlClientTest, silenceIsWaitedForOnlySoLong)
{
    answerWith([](const control::Message &) { return std::vector<std::string>(); });
    EXPECT_FALSE(ask(Kind::Hello, {}, Milliseconds(50)));
    EXPECT_EQ(m_error, "The process does not answer.");
}

TEST_F(ControlClientTest, whatDoesNotFitIsNotSentInPart)
{
    ASSERT_TRUE(listens());
    EXPECT_FALSE(ask(Kind::Start, std::string(5000, 'x')));
    EXPECT_EQ(m_error, "The request is too long to be sent.");
}

TEST_F(ControlClientTest, nobodyListens)
{
    EXPECT_FALSE(ask(Kind::Hello));
    EXPECT_NE(m_error.find("4711.sock"), std::string::npos) << m_error;
    m_path = std::string(200, 'x');
    EXPECT_FALSE(ask(Kind::Hello));
    EXPECT_NE(m_error.find("too long"), std::string::npos) << m_error;
}

TEST_F(ControlClientTest, somebodyElsesProcessIsNotTrusted)
{
    if (getuid() != 0)
        GTEST_SKIP() << "only root can become another user";
    ASSERT_TRUE(listens());
    const pid_t child = fork();
    if (child == 0) // SO_PEERCRED reports the process that called listen() last
        _exit(setuid(65534) != 0 || listen(m_listening, 1) != 0);
    int status = 1;
    waitpid(child, &status, 0);
    ASSERT_EQ(status, 0);
    EXPECT_FALSE(ask(Kind::Hello));
    EXPECT_NE(m_error.find("another user"), std::string::npos) << m_error;
}

TEST_F(ControlClientTest, collectorsAreFoundInFoldersThatAreSafe)
{
    const auto isListed = [] {
        for (const Listening &one : listeningCollectors())
            if (one.pid == 4711)
                return true;
        return false;
    };
    ASSERT_TRUE(listens());
    std::ofstream(m_folder + "/riffle/words.sock");
    EXPECT_TRUE(isListed());
    fs::permissions(m_folder + "/riffle", fs::perms::owner_all | fs::perms::group_exec);
    EXPECT_FALSE(isListed());
    fs::permissions(m_folder + "/riffle", fs::perms::owner_all);
    fs::rename(m_folder + "/riffle", m_folder + "/elsewhere");
    fs::create_directory_symlink(m_folder + "/elsewhere", m_folder + "/riffle");
    EXPECT_FALSE(isListed());
}

} // namespace
} // namespace riffle::record
