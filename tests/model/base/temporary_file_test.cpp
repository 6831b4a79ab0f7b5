// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/base/temporary_file.h"

#include "tests/support/archives.h"

#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <gtest/gtest.h>
#include <optional>
#include <sys/stat.h>
#include <unistd.h>

namespace riffle {
namespace {

using namespace test;

class TemporaryFileTest : public testing::Test {
protected:
    TemporaryFileTest()
    {
        if (const char *value = getenv("TMPDIR"))
            m_before = value;
    }
    ~TemporaryFileTest() override
    {
        if (m_before)
            setenv("TMPDIR", m_before->c_str(), 1);
        else
            unsetenv("TMPDIR");
    }
    static bool onDeviceOf(int file, const std::string &folder)
    {
        struct stat own = {}, other = {};
        return fstat(file, &own) == 0 && stat(folder.c_str(), &other) == 0 && own.st_dev == other.st_dev;
    }
    TemporaryFolder m_folder;
    std::optional<std::string> m_before;
};

TEST_F(TemporaryFileTest, HasNoNameIsOursAndCanBeWritten)
{
    const int file = unlinkedFile(m_folder.path());
    ASSERT_GE(file, 0);
    EXPECT_TRUE(std::filesystem::is_empty(m_folder.path()));
    EXPECT_TRUE(onDeviceOf(file, m_folder.path()));
    struct stat status = {};
    ASSERT_EQ(fstat(file, &status), 0);
    EXPECT_EQ(status.st_nlink, 0u);
    EXPECT_EQ(status.st_mode & 0777, 0600u);
    EXPECT_TRUE(fcntl(file, F_GETFD) & FD_CLOEXEC);
    char bytes[5] = {};
    EXPECT_EQ(pwrite(file, "abcd", 4, 100'000), 4);
    EXPECT_EQ(pread(file, bytes, 4, 100'000), 4);
    EXPECT_STREQ(bytes, "abcd");
    close(file);
}

TEST_F(TemporaryFileTest, AFolderThatDoesNotTakeItGivesNone)
{
    EXPECT_EQ(unlinkedFile(m_folder.file("missing")), -1);
    writeFile(m_folder.file("file"), "");
    EXPECT_EQ(unlinkedFile(m_folder.file("file")), -1);
}

TEST_F(TemporaryFileTest, WithoutAFolderAnyThatWorksIsTaken)
{
    for (const std::string &chosen : {m_folder.path(), m_folder.file("missing"), std::string()}) {
        setenv("TMPDIR", chosen.c_str(), 1);
        const int file = unlinkedFile({});
        ASSERT_GE(file, 0) << chosen;
        if (chosen == m_folder.path()) {
            EXPECT_TRUE(onDeviceOf(file, chosen));
        }
        close(file);
    }
    unsetenv("TMPDIR");
    const int file = unlinkedFile({});
    EXPECT_GE(file, 0);
    close(file);
}

} // namespace
} // namespace riffle
