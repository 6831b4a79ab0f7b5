// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/base/mapped_file.h"

#include "tests/support/archives.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <future>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace riffle {
namespace {

using namespace test;

const size_t kPage = static_cast<size_t>(sysconf(_SC_PAGESIZE));

class MappedFileTest : public testing::Test {
protected:
    std::shared_ptr<const MappedFile> mapped(const std::string &bytes, const std::string &name = "file")
    {
        writeFile(m_folder.file(name), bytes);
        auto file = MappedFile::open(m_folder.file(name));
        return file ? *file : nullptr;
    }
    static std::string text(const MappedFile &file)
    {
        return {reinterpret_cast<const char *>(file.data()), static_cast<size_t>(file.size())};
    }
    std::string failure(const std::string &path)
    {
        const auto file = MappedFile::open(path);
        return file ? "opened" : file.error().text();
    }
    TemporaryFolder m_folder;
};

TEST_F(MappedFileTest, ShowsTheFile)
{
    const std::string bytes = traceLikeText(3 * kPage + 17);
    const auto file = mapped(bytes);
    ASSERT_TRUE(file);
    EXPECT_EQ(text(*file), bytes);
    EXPECT_EQ(file->path(), m_folder.file("file"));
    struct stat status = {};
    ASSERT_EQ(stat(file->path().c_str(), &status), 0);
    EXPECT_EQ(file->modifiedNs(), int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec);
    file->adviseSequential();
    file->dropPages(1, bytes.size());
    file->dropPages(kPage, UINT64_MAX - kPage);
    EXPECT_EQ(text(*file), bytes);
    EXPECT_FALSE(file->lost());
}

TEST_F(MappedFileTest, StaysWhenTheFileIsRemovedOrReplaced)
{
    const auto file = mapped("first");
    writeFile(m_folder.file("other"), "second");
    std::filesystem::rename(m_folder.file("other"), m_folder.file("file"));
    EXPECT_EQ(text(*file), "first");
    std::filesystem::remove(m_folder.file("file"));
    EXPECT_EQ(text(*file), "first");
    EXPECT_FALSE(file->lost());
}

TEST_F(MappedFileTest, AnEmptyFileIsAnEmptyMapping)
{
    const auto file = mapped("");
    ASSERT_TRUE(file);
    EXPECT_EQ(file->size(), 0u);
    EXPECT_TRUE(file->bytes().empty());
    file->adviseSequential();
    file->dropPages(0, 100);
    EXPECT_FALSE(file->lost());
}

TEST_F(MappedFileTest, WhatIsNoFileIsAnError)
{
    EXPECT_EQ(failure(m_folder.path()), m_folder.path() + ": This is a folder, not a trace file.");
    EXPECT_EQ(failure("/dev/null"), "/dev/null: This is not a regular file.");
    EXPECT_EQ(failure(m_folder.file("missing")),
              m_folder.file("missing") + ": Cannot open the file: No such file or directory.");
    EXPECT_NE(failure(""), "opened");
    EXPECT_NE(failure(m_folder.file(std::string(5000, 'x'))), "opened");
}

TEST_F(MappedFileTest, APipeIsAnErrorAndNoWait)
{
    const std::string pipe = m_folder.file("pipe");
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    std::promise<std::string> answer;
    std::thread opener([&] { answer.set_value(failure(pipe)); });
    std::future<std::string> opened = answer.get_future();
    const bool waited = opened.wait_for(std::chrono::seconds(10)) != std::future_status::ready;
    if (waited)
        ::close(::open(pipe.c_str(), O_RDWR | O_NONBLOCK)); // releases the blocked reader
    opener.join();
    EXPECT_FALSE(waited);
    EXPECT_EQ(opened.get(), pipe + ": This is not a regular file.");
}

TEST_F(MappedFileTest, AFileThatMayNotBeReadIsAnError)
{
    writeFile(m_folder.file("secret"), "secret");
    ASSERT_EQ(chmod(m_folder.file("secret").c_str(), 0), 0);
    const uid_t self = geteuid();
    if (self == 0 && seteuid(65534) != 0)
        GTEST_SKIP() << "root may read any file";
    const std::string error = failure(m_folder.file("secret"));
    EXPECT_EQ(seteuid(self), 0);
    EXPECT_EQ(error, m_folder.file("secret") + ": Cannot open the file: Permission denied.");
}

TEST_F(MappedFileTest, TruncatedUnderTheMappingItReadsZerosAndIsLost)
{
    const auto file = mapped(std::string(8 * kPage, 'x'));
    const auto other = mapped(std::string(kPage, 'y'), "other");
    ASSERT_TRUE(file && other);
    std::filesystem::resize_file(m_folder.file("file"), 2 * kPage + 10);
    EXPECT_FALSE(file->lost()); // nothing was read yet
    const std::string bytes = text(*file);
    EXPECT_EQ(bytes.substr(0, 2 * kPage + 10), std::string(2 * kPage + 10, 'x'));
    EXPECT_EQ(bytes.substr(2 * kPage + 10), std::string(6 * kPage - 10, '\0'));
    EXPECT_TRUE(file->lost());
    EXPECT_FALSE(other->lost());
    EXPECT_EQ(text(*other), std::string(kPage, 'y'));
    // A later mapping starts clean, although it may get the slot of the lost one.
    const auto again = MappedFile::open(m_folder.file("file"));
    ASSERT_TRUE(again);
    EXPECT_FALSE((*again)->lost());
}

TEST_F(MappedFileTest, SeveralThreadsMayLoseTheSamePages)
{
#ifdef __SANITIZE_THREAD__
    GTEST_SKIP()
        << "the thread sanitizer takes the new mapping of the handler for a write to the page that is being read";
#endif
    for (int round = 0; round < 20; ++round) {
        const auto file = mapped(std::string(64 * kPage, 'x'));
        ASSERT_TRUE(file);
        std::filesystem::resize_file(m_folder.file("file"), 0);
        std::vector<std::jthread> threads;
        std::atomic<size_t> sum{0};
        for (int thread = 0; thread < 4; ++thread)
            threads.emplace_back([&] {
                size_t own = 0;
                for (size_t at = 0; at < file->size(); at += kPage / 2)
                    own += static_cast<size_t>(file->data()[at]);
                sum += own;
            });
        threads.clear();
        EXPECT_EQ(sum, 0u);
        EXPECT_TRUE(file->lost());
    }
}

TEST_F(MappedFileTest, MoreFilesThanItCanWatchAreAnError)
{
    writeFile(m_folder.file("file"), std::string(kPage, 'x'));
    std::vector<std::shared_ptr<const MappedFile>> files;
    std::string error;
    while (files.size() < 10'000 && error.empty()) {
        auto file = MappedFile::open(m_folder.file("file"));
        if (file)
            files.push_back(*file);
        else
            error = file.error().text();
    }
    ASSERT_GT(files.size(), 1000u);
    EXPECT_EQ(error, m_folder.file("file") + ": Too many files are open at the same time.");
    std::filesystem::resize_file(m_folder.file("file"), 0);
    for (const auto &file : files) {
        ASSERT_EQ(text(*file), std::string(kPage, '\0'));
        ASSERT_TRUE(file->lost());
    }
    files.clear();
    EXPECT_TRUE(mapped("room again"));
}

TEST(MappedFileDeathTest, AnotherMappingsLossIsStillDeadly)
{
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    TemporaryFolder folder;
    writeFile(folder.file("ours"), "x");
    const auto ours = MappedFile::open(folder.file("ours"));
    ASSERT_TRUE(ours);
    EXPECT_EXIT(
        {
            alarm(20); // ends an endless loop in the handler
            const int file = ::open(folder.file("theirs").c_str(), O_RDWR | O_CREAT, 0600);
            const void *theirs = mmap(nullptr, kPage, PROT_READ, MAP_SHARED, file, 0); // maps an empty file
            std::filesystem::remove_all(folder.path());                                // the destructor will not run
            _exit(*static_cast<const volatile char *>(theirs));
        },
        [](int status) { return WIFSIGNALED(status) ? WTERMSIG(status) == SIGBUS : WEXITSTATUS(status) != 0; }, "");
}

} // namespace
} // namespace riffle
