// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/client/kineto_wire.h"
#include "tests/collector/client/kineto_client.h"

#include <gtest/gtest.h>

namespace riffle::record {
namespace {

TEST(KinetoWireTest, polls)
{
    const auto idle = parseKinetoPoll(kinetoPoll(kIdle, {70, 60, 1}));
    ASSERT_TRUE(idle);
    EXPECT_TRUE(idle->idle);
    EXPECT_EQ(idle->pids, (std::vector<int32_t>{70, 60, 1}));
    EXPECT_FALSE(parseKinetoPoll(kinetoPoll(kBusy, {70}))->idle);
    EXPECT_FALSE(parseKinetoPoll(kinetoPoll(1, {70}))->idle) << "a request for events alone is not one for a trace";
    EXPECT_TRUE(parseKinetoPoll(kinetoPoll(3, {70}))->idle);
}

TEST(KinetoWireTest, whatIsNotAPoll)
{
    const std::string good = kinetoPoll(kIdle, {70, 60});
    for (size_t size = 0; size < good.size(); ++size)
        EXPECT_FALSE(parseKinetoPoll(good.substr(0, size))) << size;
    EXPECT_FALSE(parseKinetoPoll(good + '\0'));
    for (const int32_t count : {0, -1, 3, 1 << 30, INT32_MIN, INT32_MAX})
        EXPECT_FALSE(parseKinetoPoll(kinetoMessage(pollBody(kIdle, {70, 60}, count)))) << count;
    for (const char *type : {"", "ctxt", "reqs", "re"})
        EXPECT_FALSE(parseKinetoPoll(kinetoMessage(pollBody(kIdle, {70}, 1), type))) << type;
    EXPECT_TRUE(parseKinetoPoll(kinetoPoll(kIdle, std::vector<int32_t>(1010))));
    EXPECT_FALSE(parseKinetoPoll(kinetoPoll(kIdle, std::vector<int32_t>(1011))))
        << "longer than the longest datagram that is read";
}

TEST(KinetoWireTest, answers)
{
    EXPECT_EQ(formatKinetoAnswer(""), kinetoMessage(""));
    EXPECT_EQ(formatKinetoAnswer("A=1\n"), kinetoMessage("A=1\n"));
}

} // namespace
} // namespace riffle::record
