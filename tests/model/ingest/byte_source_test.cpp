// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/byte_source.h"

#include "tests/support/archives.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <thread>

namespace riffle {
namespace {

using namespace test;

struct ReadBack {
    std::string text;
    std::optional<Error> error;
    std::optional<Error> damage;
    std::optional<Error> trailing;
    std::shared_ptr<const SourceText> source;
};

class ByteSourceTest : public testing::Test {
protected:
    std::string path() const { return m_folder.file("trace"); }

    ReadBack readBack(std::string_view bytes, size_t chunk = 300'000, uint64_t limit = 1ull << 40)
    {
        writeFile(path(), bytes);
        ReadBack back;
        auto source = ByteSource::open(path(), {limit, m_folder.path()});
        if (!source) {
            back.error = source.error();
            return back;
        }
        std::string buffer(chunk, '\0');
        while (true) {
            const Result<size_t> count = (*source)->read(buffer);
            if (!count) {
                back.error = count.error();
                break;
            }
            if (*count == 0)
                break;
            back.text.append(buffer, 0, *count);
        }
        back.damage = (*source)->damage();
        back.trailing = (*source)->trailing();
        back.source = (*source)->text();
        return back;
    }

    static void expectRandomAccess(const SourceText &source, const std::string &text, int places)
    {
        std::mt19937_64 random(7);
        for (int i = 0; i < places; ++i) {
            const uint64_t offset = random() % text.size();
            const auto length = static_cast<uint32_t>(std::min<uint64_t>(text.size() - offset, random() % 4000));
            const auto read = source.read(offset, length);
            ASSERT_TRUE(read) << read.error().text();
            ASSERT_EQ(*read, text.substr(offset, length)) << offset;
        }
        EXPECT_FALSE(source.read(text.size() - 3, 4));
        EXPECT_FALSE(source.read(UINT64_MAX, 4));
        EXPECT_TRUE(source.read(text.size(), 0));
    }

    /// Reads at random places directly, and through an index as it is in a store.
    void expectRandomAccessTwice(const ReadBack &back, int places = 1000)
    {
        expectRandomAccess(*back.source, back.text, places);
        const std::string index = back.source->resumeIndex();
        const auto again = openSourceText(path(), index);
        ASSERT_TRUE(again) << again.error().text();
        expectRandomAccess(**again, back.text, places);
        EXPECT_EQ((*again)->resumeIndex(), index);
    }

    TemporaryFolder m_folder;
};

TEST_F(ByteSourceTest, PlainTextIsItsMapping)
{
    const std::string text = traceLikeText(100'000);
    const ReadBack back = readBack(text);
    EXPECT_EQ(back.text, text);
    expectRandomAccessTwice(back, 50);
}

TEST_F(ByteSourceTest, ForeignFilesAreNamed)
{
    const auto messageFor = [this](std::string_view bytes) {
        const ReadBack back = readBack(bytes);
        return back.error ? back.error->message : "read";
    };
    using namespace std::string_view_literals;
    EXPECT_EQ(messageFor(""), "The file is empty.");
    EXPECT_NE(messageFor("PK\x03\x04...").find("zip"), std::string::npos);
    EXPECT_NE(messageFor("SQLite format 3\0...."sv).find("SQLite"), std::string::npos);
    EXPECT_NE(messageFor("\x80\x02}q\0"sv).find("pickle"), std::string::npos);
    EXPECT_NE(messageFor("\n <!DOCTYPE html><html>").find("HTML"), std::string::npos);
    EXPECT_EQ(messageFor("{\"traceEvents\": []}"), "read");
}

TEST_F(ByteSourceTest, GzipMembersAreOneText)
{
    const std::string first = traceLikeText(20'000'000);
    const std::string second = traceLikeText(5'000'000, 2);
    const ReadBack back = readBack(gzipped(first) + gzipped("") + gzipped(second));
    EXPECT_EQ(back.text, first + second);
    EXPECT_FALSE(back.damage);
    expectRandomAccessTwice(back);
}

TEST_F(ByteSourceTest, GzipIndexDoesNotDependOnHowItIsRead)
{
    const std::string archive = gzipped(traceLikeText(20'000'000));
    EXPECT_EQ(readBack(archive, 4096).source->resumeIndex(), readBack(archive, 5'000'000).source->resumeIndex());
}

TEST_F(ByteSourceTest, BytesAfterTheGzipDataAreTold)
{
    const std::string archive = gzipped("some text");
    const ReadBack zeros = readBack(archive + std::string(512, '\0'));
    EXPECT_EQ(zeros.text, "some text");
    EXPECT_FALSE(zeros.damage);
    EXPECT_TRUE(zeros.trailing);
    const ReadBack garbage = readBack(archive + "garbage");
    EXPECT_EQ(garbage.text, "some text");
    EXPECT_TRUE(garbage.damage);
}

TEST_F(ByteSourceTest, TruncatedGzipGivesWhatIsThere)
{
    const std::string text = traceLikeText(3'000'000);
    const std::string archive = gzipped(text);
    size_t longest = 0;
    for (size_t size = 2; size < archive.size(); size += size < 40 ? 1 : archive.size() / 37) {
        const ReadBack back = readBack(archive.substr(0, size));
        ASSERT_TRUE(back.damage) << size;
        ASSERT_TRUE(text.starts_with(back.text)) << size;
        ASSERT_GE(back.text.size(), longest);
        ASSERT_GE(back.text.size() + 300'000, text.size() / archive.size() * size);
        longest = back.text.size();
        if (!back.text.empty())
            expectRandomAccess(*back.source, back.text, 5);
    }
    EXPECT_GT(longest, text.size() * 9 / 10);
}

TEST_F(ByteSourceTest, CorruptGzipIsNoticed)
{
    const std::string text = traceLikeText(2'000'000);
    const std::string archive = gzipped(text);
    std::mt19937 random(3);
    for (int i = 0; i < 60; ++i) {
        std::string bad = archive;
        // Header fields other than the magic (time, system) may change without harm.
        const size_t at = 10 + random() % (bad.size() - 10);
        bad[at] = static_cast<char>(bad[at] ^ (1 << random() % 8));
        const ReadBack back = readBack(bad);
        EXPECT_TRUE(back.damage || back.text == text) << at;
    }
}

TEST_F(ByteSourceTest, ZstdFramesAreOneText)
{
    const std::string first = traceLikeText(3'000'000);
    const std::string second = traceLikeText(5'000'000, 2);
    const ReadBack back = readBack(skippableFrame("note") + zstdCompressed(first) + skippableFrame("") +
                                   zstdCompressed("") + zstdCompressed(second) + zstdCompressed(first, false));
    EXPECT_EQ(back.text, first + second + first);
    EXPECT_FALSE(back.damage);
    expectRandomAccessTwice(back);
}

TEST_F(ByteSourceTest, LargeZstdFrameIsReadAnywhere)
{
    const std::string text = traceLikeText(40'000'000);
    const std::string archive = zstdCompressed(text);
    const ReadBack back = readBack(archive);
    ASSERT_EQ(back.text, text);
    expectRandomAccessTwice(back);
    EXPECT_EQ(readBack(archive, 7777).source->resumeIndex(), back.source->resumeIndex());
}

TEST_F(ByteSourceTest, LargeZstdFrameIsReadAnywhereWithoutRoomForBlocks)
{
    const std::string text = traceLikeText(34'000'000);
    writeFile(path(), zstdCompressed(text));
    auto source = ByteSource::open(path(), {1ull << 40, m_folder.file("missing")});
    ASSERT_TRUE(source);
    std::string buffer(text.size() + 1, '\0');
    ASSERT_EQ(*(*source)->read(buffer), text.size());
    expectRandomAccess(*(*source)->text(), text, 10);
}

TEST_F(ByteSourceTest, TruncatedZstdGivesWhatIsThere)
{
    const std::string text = traceLikeText(3'000'000);
    const std::string archive = zstdCompressed(text);
    size_t longest = 0;
    for (size_t size = 4; size < archive.size(); size += size < 40 ? 1 : archive.size() / 37) {
        const ReadBack back = readBack(archive.substr(0, size));
        ASSERT_TRUE(back.damage) << size;
        ASSERT_TRUE(text.starts_with(back.text)) << size;
        ASSERT_GE(back.text.size(), longest);
        longest = back.text.size();
    }
    EXPECT_GT(longest, text.size() * 9 / 10);
}

TEST_F(ByteSourceTest, CorruptZstdIsNoticed)
{
    const std::string text = traceLikeText(2'000'000);
    const std::string archive = zstdCompressed(text);
    std::mt19937 random(3);
    for (int i = 0; i < 60; ++i) {
        std::string bad = archive;
        const size_t at = 4 + random() % (bad.size() - 4);
        bad[at] = static_cast<char>(bad[at] ^ (1 << random() % 8));
        const ReadBack back = readBack(bad);
        EXPECT_TRUE(back.damage || back.text == text) << at;
    }
}

TEST_F(ByteSourceTest, BombEndsAtTheLimit)
{
    const std::string zeros(30'000'000, '\0');
    for (const std::string &archive : {gzipped(zeros), zstdCompressed(zeros)}) {
        const ReadBack back = readBack(archive, 100'000, 10'000'000);
        ASSERT_TRUE(back.error);
        EXPECT_EQ(back.error->kind, ErrorKind::Limit);
        EXPECT_NE(back.error->message.find("10000000"), std::string::npos);
        EXPECT_LE(back.text.size(), 10'000'000u);
        EXPECT_FALSE(readBack(archive, 100'000, 30'000'000).error);
    }
}

TEST_F(ByteSourceTest, TextIsReadFromSeveralThreads)
{
    const ReadBack back = readBack(gzipped(traceLikeText(30'000'000)));
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
        threads.emplace_back([&] { expectRandomAccess(*back.source, back.text, 100); });
    for (std::thread &thread : threads)
        thread.join();
}

TEST_F(ByteSourceTest, DamagedIndexIsRefused)
{
    const std::string text = traceLikeText(20'000'000);
    for (const std::string &archive : {gzipped(text), zstdCompressed(text, false)}) {
        const std::string index = readBack(archive).source->resumeIndex();
        for (const size_t size : {size_t{0}, size_t{3}, size_t{30}, index.size() / 2}) {
            const auto opened = openSourceText(path(), std::string_view(index).substr(0, size));
            EXPECT_FALSE(opened && (*opened)->read(19'000'000, 10));
        }
        std::mt19937 random(5);
        for (int i = 0; i < 100; ++i) {
            std::string bad = index;
            const size_t at = random() % bad.size();
            bad[at] = static_cast<char>(bad[at] ^ 1);
            const auto opened = openSourceText(path(), bad);
            if (!opened)
                continue;
            const auto read = (*opened)->read(10'000'000, 100);
            EXPECT_TRUE(!read || *read == text.substr(10'000'000, 100)) << at;
        }
    }
}

TEST_F(ByteSourceTest, TruncatedWhileMappedIsAnError)
{
    const std::string text = traceLikeText(1'000'000);
    writeFile(path(), text);
    auto source = ByteSource::open(path());
    ASSERT_TRUE(source);
    writeFile(path(), "");
    const auto read = (*source)->text()->read(900'000, 100);
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().kind, ErrorKind::Changed);
}

} // namespace
} // namespace riffle
