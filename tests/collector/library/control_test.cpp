// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/client/control_client.h"
#include "riffle/collector.h"
#include "riffle/control_folder.h"
#include "tests/support/archives.h"

#include <atomic>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

namespace riffle {
namespace {

using control::Kind;
using record::ControlClient;

int start(const test::TemporaryFolder &folder)
{
    return riffle_start(("dir=" + folder.path() + "\ncupti=0\nquiet=1").c_str());
}

ControlClient connected()
{
    ControlClient client;
    std::string error;
    for (const auto &listening : record::listeningCollectors()) {
        if (listening.pid == getpid() && !client.connect(listening.path, error))
            ADD_FAILURE() << error;
    }
    EXPECT_GE(client.socket(), 0);
    return client;
}

TEST(Control, manyViewersAskWhileTheProgramStartsAndStops)
{
    const test::TemporaryFolder folder;
    ASSERT_EQ(start(folder), RIFFLE_OK) << riffle_last_error();
    std::atomic<bool> more{true};
    std::atomic<int> answers{0};
    std::vector<std::thread> viewers;
    for (int number = 0; number < 4; ++number)
        viewers.emplace_back([&more, &answers, number] {
            constexpr Kind kKinds[] = {Kind::Hello, Kind::Stats,  Kind::Pause, Kind::Committed,
                                       Kind::Flush, Kind::Resume, Kind::Stop,  Kind::Start};
            ControlClient client = connected();
            std::string error;
            EXPECT_TRUE(number > 0 || client.ask(Kind::Subscribe, {}, error)) << error;
            for (size_t at = 0; more; ++at) {
                const Kind kind = kKinds[at % std::size(kKinds)];
                const bool onlyAsks = kind == Kind::Hello || kind == Kind::Stats || kind == Kind::Committed;
                EXPECT_TRUE(client.ask(kind, {}, error) || !onlyAsks) << error;
                ++answers;
            }
        });
    std::thread program([&more] {
        for (int64_t step = 0; more; ++step) {
            riffle_step(step);
            riffle_range_push("work");
            riffle_range_pop();
        }
        riffle_step(-1);
    });
    for (int round = 0; round < 5; ++round) {
        std::this_thread::sleep_for(std::chrono::milliseconds(30));
        riffle_stop();
        start(folder);
    }
    while (answers < 100)
        std::this_thread::yield();
    more = false;
    program.join();
    for (std::thread &viewer : viewers)
        viewer.join();
    riffle_stop();
}

TEST(Control, aSubscriberIsToldHowFarTheLogIsWhole)
{
    const test::TemporaryFolder folder;
    ASSERT_EQ(start(folder), RIFFLE_OK);
    ControlClient client = connected();
    std::string error;
    const auto first = client.ask(Kind::Subscribe, {}, error);
    ASSERT_TRUE(first) << error;
    const auto before = first->as<control::CommittedPart>();
    EXPECT_EQ(before.sequence, 1u);
    EXPECT_EQ(before.state, control::State::Recording);
    riffle_mark("something to write");
    ASSERT_EQ(riffle_flush(), RIFFLE_OK);
    ASSERT_EQ(riffle_stop(), RIFFLE_OK);
    control::CommittedPart last = before;
    while (last.state != control::State::Off) {
        const auto told = client.next(std::chrono::seconds(20));
        ASSERT_TRUE(told);
        ASSERT_EQ(told->kind, Kind::Committed);
        EXPECT_GE(told->as<control::CommittedPart>().bytes, last.bytes);
        last = told->as<control::CommittedPart>();
    }
    EXPECT_GT(last.bytes, before.bytes);
    EXPECT_EQ(last.log, before.log);
    ASSERT_EQ(start(folder), RIFFLE_OK);
    for (auto told = client.next(std::chrono::seconds(20)); last.log == before.log;
         told = client.next(std::chrono::seconds(20))) {
        ASSERT_TRUE(told);
        last = told->as<control::CommittedPart>();
    }
    riffle_stop();
}

TEST(ControlMessages, comeBackAsTheyWere)
{
    const control::StatsPart part{control::State::Paused, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    const std::string packet = control::makePacket(Kind::Stats, 77, control::bytesOf(part), "a=1\npath=/x y\n");
    const auto message = control::readPacket(packet);
    ASSERT_TRUE(message);
    EXPECT_EQ(message->request, 77u);
    EXPECT_EQ(message->as<control::StatsPart>().dumps, 9u);
    EXPECT_EQ(message->as<control::StatsPart>().stepNs, 15u);
    EXPECT_EQ(control::lineOf(message->text, "path"), "/x y");
    EXPECT_EQ(control::lineOf(message->text, "pat"), "");
    EXPECT_EQ(message->as<control::ErrorPart>().code, 2) << "only the start of a longer part is read";
    EXPECT_EQ(control::readPacket(control::makePacket(Kind::Stats, 1, {}, {}))->as<control::StatsPart>().events, 0u);
    for (size_t length = 0; length < packet.size(); ++length)
        EXPECT_FALSE(control::readPacket(std::string_view(packet).substr(0, length))) << length;
    EXPECT_FALSE(control::readPacket(packet + "x"));
    EXPECT_EQ(control::makePacket(Kind::Dump, 1, {}, std::string(100'000, 'x')).size(), control::kMaxMessageBytes);
}

} // namespace
} // namespace riffle
