// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/client/writer.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace riffle::record {
namespace {

std::string ownHost()
{
    char host[256] = "";
    gethostname(host, sizeof(host) - 1);
    return host;
}

TEST(Writer, IsLookedForOnItsHost)
{
    EXPECT_EQ(writerOf(ownHost(), getpid()), Writer::Lives);
    EXPECT_EQ(writerOf(ownHost(), 1), Writer::Lives); // of another user, perhaps
    EXPECT_EQ(writerOf("another host", getpid()), Writer::Unknown);
    EXPECT_EQ(writerOf(ownHost(), 0), Writer::Unknown);
    EXPECT_EQ(writerOf("", getpid()), Writer::Unknown);
}

TEST(Writer, IsGoneWhenItHasEnded)
{
    const pid_t child = fork();
    if (child == 0)
        _exit(0);
    ASSERT_GT(child, 0);
    ASSERT_EQ(waitpid(child, nullptr, 0), child);
    EXPECT_EQ(writerOf(ownHost(), child), Writer::Gone);
}

} // namespace
} // namespace riffle::record
