// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/client/control_client.h"
#include "riffle/collector.h"
#include "tests/support/archives.h"

#include <gtest/gtest.h>
#include <string>

namespace riffle {
namespace {

using control::Kind;

int start(const test::TemporaryFolder &folder, const std::string &more)
{
    return riffle_start(("dir=" + folder.path() + "\ncupti=0\nquiet=1\nsample_ms=0\n" + more).c_str());
}

record::ControlClient connected()
{
    record::ControlClient client;
    std::string error;
    for (const auto &listening : record::listeningCollectors()) {
        if (listening.pid == getpid() && !client.connect(listening.path, error))
            ADD_FAILURE() << error;
    }
    EXPECT_EQ(client.peer(), getpid());
    return client;
}

/// Reads the wishes as the Python part does. From then on, the library takes this process for one that has it.
const riffle_wishes &wishes() { return *riffle_agent_wishes(); }

TEST(AgentChannel, aScheduleDecidesWhenOperatorsAreWanted)
{
    const test::TemporaryFolder folder;
    ASSERT_EQ(start(folder, "schedule=wait=1,warmup=1,active=2,repeat=1\nshapes=1"), RIFFLE_OK) << riffle_last_error();
    const uint32_t expected[] = {0, 1, 1, 1, 0, 0};
    EXPECT_EQ(wishes().shapes, 1u);
    for (int64_t step = 0; step < 6; ++step) {
        riffle_step(step);
        EXPECT_EQ(wishes().operators, expected[step]) << step;
    }
    EXPECT_EQ(riffle_stop(), RIFFLE_OK);
}

TEST(AgentChannel, wishesFollowTheRecordingAndGrow)
{
    const test::TemporaryFolder folder;
    uint32_t before = wishes().changes;
    const auto hasGrown = [&before] {
        const bool grown = wishes().changes != before;
        before = wishes().changes;
        return grown;
    };
    ASSERT_EQ(start(folder, "preset=light"), RIFFLE_OK);
    EXPECT_EQ(wishes().operators, 0u);
    EXPECT_EQ(riffle_stop(), RIFFLE_OK);
    hasGrown();
    ASSERT_EQ(start(folder, "memory_history=1000"), RIFFLE_OK);
    EXPECT_TRUE(hasGrown());
    EXPECT_EQ(wishes().operators, 1u);
    EXPECT_EQ(wishes().memory_history, 1000u);
    riffle_pause();
    EXPECT_TRUE(hasGrown());
    EXPECT_EQ(wishes().operators, 0u);
    EXPECT_EQ(wishes().memory_history, 1000u);
    riffle_pause();
    EXPECT_FALSE(hasGrown());
    riffle_resume();
    EXPECT_EQ(wishes().operators, 1u);
    EXPECT_EQ(riffle_stop(), RIFFLE_OK);
    EXPECT_TRUE(hasGrown());
    EXPECT_EQ(wishes().operators, 0u);
    EXPECT_EQ(wishes().memory_history, 0u);
    ASSERT_EQ(start(folder, "stacks=1\nmodules=1"), RIFFLE_OK);
    EXPECT_EQ(wishes().stacks, 1u);
    EXPECT_EQ(wishes().modules, 1u);
    riffle_pause();
    EXPECT_EQ(wishes().modules, 0u);
    EXPECT_EQ(riffle_stop(), RIFFLE_OK);
    EXPECT_EQ(wishes().stacks, 0u);
}

TEST(AgentChannel, rangesThatMarkStepsNeedOperatorsAlways)
{
    const test::TemporaryFolder folder;
    ASSERT_EQ(start(folder, "schedule=wait=3,active=1,repeat=1\nstep_mark=step"), RIFFLE_OK) << riffle_last_error();
    for (int step = 0; step < 4; ++step) {
        EXPECT_EQ(wishes().operators, 1u) << step;
        riffle_range_push("step");
        riffle_range_pop();
    }
    riffle_range_push("step");
    riffle_range_pop();
    EXPECT_EQ(wishes().operators, 0u) << "the last cycle is over";
    EXPECT_EQ(riffle_stop(), RIFFLE_OK);
}

TEST(AgentChannel, aNewPresetKeepsPausesLimitsAndWhoDecides)
{
    const test::TemporaryFolder folder;
    ASSERT_EQ(start(folder, "schedule=wait=5,active=1,repeat=1"), RIFFLE_OK) << riffle_last_error();
    record::ControlClient client = connected();
    std::string error;
    const auto state = [&] { return client.ask(Kind::Hello, {}, error)->as<control::HelloPart>().state; };
    const auto set = [&](const char *text) { return client.ask(Kind::Set, text, error).has_value(); };
    riffle_resume(); // from now on the schedule does not count
    EXPECT_TRUE(set("preset=light")) << error;
    EXPECT_EQ(state(), control::State::Recording);
    riffle_pause();
    EXPECT_TRUE(set("preset=normal")) << error;
    EXPECT_EQ(state(), control::State::Paused);
    riffle_resume();
    EXPECT_EQ(state(), control::State::Recording);
    EXPECT_EQ(riffle_stop(), RIFFLE_OK);

    ASSERT_EQ(start(folder, "start_after=600\nmax_seconds=700"), RIFFLE_OK) << riffle_last_error();
    EXPECT_TRUE(set("preset=light")) << error;
    EXPECT_EQ(state(), control::State::Paused);
    EXPECT_TRUE(set("schedule=none")) << error;
    EXPECT_EQ(state(), control::State::Recording);
    EXPECT_EQ(riffle_stop(), RIFFLE_OK);
}

TEST(AgentChannel, onlyWhatARequestChangesIsRefused)
{
    const test::TemporaryFolder folder;
    ASSERT_EQ(start(folder, "stacks=1"), RIFFLE_OK) << riffle_last_error();
    record::ControlClient client = connected();
    std::string error;
    riffle_agent_says(wishes().changes, "agent=1\noperators=on\nrefused=stacks: There are none.\n");
    EXPECT_TRUE(client.ask(Kind::Set, "shapes=1", error).has_value()) << error;
    EXPECT_FALSE(client.ask(Kind::Set, "stacks=1\nshapes=0", error).has_value());
    EXPECT_EQ(error, "stacks: There are none.");
    EXPECT_EQ(riffle_stop(), RIFFLE_OK);
    riffle_agent_says(wishes().changes, "");
}

TEST(AgentChannel, aRunningRecordingIsChanged)
{
    const test::TemporaryFolder folder;
    ASSERT_EQ(start(folder, "rank=2"), RIFFLE_OK) << riffle_last_error();
    record::ControlClient client = connected();
    std::string error;
    const auto hello = [&] { return client.ask(Kind::Hello, {}, error); };
    const auto set = [&](const char *text) { return client.ask(Kind::Set, text, error).has_value(); };
    const auto capability = [&](control::Capability what) {
        return bool(hello()->as<control::HelloPart>().capabilities & what);
    };
    const std::string first(control::lineOf(hello()->text, "path"));
    EXPECT_TRUE(set("operators=0")) << error;
    EXPECT_FALSE(capability(control::kOperators));
    EXPECT_EQ(wishes().operators, 0u);
    EXPECT_TRUE(set("operators=1")) << error;
    EXPECT_EQ(wishes().operators, 1u);

    riffle_step(0);
    EXPECT_TRUE(set("schedule=wait=1,active=1,repeat=1")) << error;
    EXPECT_TRUE(capability(control::kScheduled));
    EXPECT_EQ(control::lineOf(hello()->text, "schedule"),
              "wait=1,warmup=0,active=1,repeat=1,skip_first=0,skip_first_wait=0");
    const control::State states[] = {control::State::Paused, control::State::Recording};
    for (int64_t step = 1; step < 3; ++step) { // the schedule counts from the next step
        riffle_step(step);
        EXPECT_EQ(hello()->as<control::HelloPart>().state, states[step - 1]) << step;
    }
    EXPECT_TRUE(set("schedule=none")) << error;
    EXPECT_EQ(hello()->as<control::HelloPart>().state, control::State::Recording);
    EXPECT_EQ(control::lineOf(hello()->text, "path"), first);

    EXPECT_TRUE(set("preset=light")) << error;
    EXPECT_EQ(control::lineOf(hello()->text, "preset"), "light");
    EXPECT_NE(control::lineOf(hello()->text, "path"), first);

    EXPECT_TRUE(set("ranks=0-1")) << error;
    EXPECT_EQ(hello()->as<control::HelloPart>().state, control::State::LeftOut);
    EXPECT_EQ(control::lineOf(hello()->text, "path"), "");
    EXPECT_FALSE(set("operators=1"));
    EXPECT_NE(error.find("Nothing is being recorded"), std::string::npos) << error;
    EXPECT_TRUE(set("ranks=2,5\npreset=normal")) << error;
    EXPECT_EQ(hello()->as<control::HelloPart>().state, control::State::Recording);

    EXPECT_TRUE(set("stacks=1\nmodules=1")) << error;
    EXPECT_EQ(wishes().stacks + wishes().modules, 2u);
    EXPECT_TRUE(set("stacks=operators")) << error;
    EXPECT_EQ(wishes().stacks, 1u);
    EXPECT_FALSE(set("stacks=all"));
    EXPECT_EQ(error, "Option stacks cannot be 'all'.");
    EXPECT_FALSE(set("dir=/tmp"));
    EXPECT_NE(error.find("'dir' cannot be changed"), std::string::npos) << error;
    EXPECT_FALSE(set("shapes=2"));
    EXPECT_FALSE(set(""));
    EXPECT_TRUE(set("memory_history=100")) << error;
    EXPECT_EQ(wishes().memory_history, 100u);
    riffle_agent_says(wishes().changes, "agent=1\noperators=on\nrefused=memory_history: There is none.\n");
    EXPECT_FALSE(set("memory_history=200"));
    EXPECT_EQ(error, "memory_history: There is none.");
    EXPECT_EQ(wishes().memory_history, 0u) << "what is refused is not wanted any more";
    riffle_agent_says(wishes().changes, "");
    EXPECT_EQ(riffle_stop(), RIFFLE_OK);
}

} // namespace
} // namespace riffle
