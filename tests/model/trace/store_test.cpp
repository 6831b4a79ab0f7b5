// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/trace/store.h"

#include "model/base/parallel.h"
#include "model/trace/store_description.h"
#include "model/trace/store_file_writer.h"
#include "model/trace/store_folder.h"
#include "tests/model/analysis/small_trace.h"
#include "tests/support/archives.h"

#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace riffle {
namespace {

using namespace test;

template <typename T>
void fillColumn(Column<T> &column, size_t rows, uint8_t seed)
{
    auto values = std::make_shared<std::vector<T>>(rows);
    auto *bytes = reinterpret_cast<uint8_t *>(values->data());
    for (size_t i = 0; i < rows * sizeof(T); ++i)
        bytes[i] = static_cast<uint8_t>(i * 7 + seed);
    column = Column<T>(values, values->data(), rows);
}

template <typename Table>
void fillTable(Table &table, size_t rows, uint8_t seed)
{
    std::apply([&](auto &...column) { (fillColumn(column, rows, seed++), ...); }, table.members());
}

/// Ids from 0 up to `slices`, some of them more than once if there are more rows.
Column<uint32_t> ascendingSlices(size_t rows, uint64_t slices)
{
    auto values = std::make_shared<std::vector<uint32_t>>(rows);
    for (size_t row = 0; row < rows; ++row)
        (*values)[row] = static_cast<uint32_t>(row * slices / rows);
    return Column<uint32_t>(values, values->data(), rows);
}

/// A trace with slices in several segments from the builder. The tables that the builder leaves empty contain made-up
/// bytes.
std::shared_ptr<const Trace> sampleTrace(int slices = 60, size_t rows = 5)
{
    SmallTrace small;
    const uint32_t thread = small.thread(1, "main");
    const uint32_t stream = small.stream(7);
    for (int i = 0; i < slices; ++i) {
        small.operation(thread, "aten::op" + std::to_string(i % 5), i * 100, 90);
        small.launch(thread, i * 100 + 10, 5, i + 1);
        small.kernel(stream, "kernel" + std::to_string(i % 3), i * 100 + 20, 70, i + 1);
    }
    small.step(thread, 3, -5, 100'000);
    small.flow(thread, "ac2g", 's', 9, 12);
    small.flow(stream, "ac2g", 'f', 9, 25);
    auto trace = std::make_shared<Trace>(*small.seal(20));
    SideTables made;
    fillTable(made.collectives, rows, 1);
    fillTable(made.syncs, rows, 2);
    made.collectives.slice = made.syncs.slice = ascendingSlices(rows, trace->sliceCount());
    for (auto &segment : trace->segments) {
        const SideTables part = made.ofSlices(segment->firstSlice, segment->firstSlice + segment->size());
        auto filled = std::make_shared<Segment>(*segment);
        filled->collectives = part.collectives;
        filled->syncs = part.syncs;
        segment = std::move(filled);
    }
    fillTable(trace->memory, rows, 3);
    fillTable(trace->instants, rows, 4);
    fillTable(trace->counters, rows, 5);
    trace->info.format = "Kineto JSON";
    trace->info.container = "gzip";
    trace->info.eventsByPhase = {{"X", 180}, {"s", 1}};
    trace->info.metadata = {{"schemaVersion", "1"}, {"distributedInfo", R"({"rank": 3})"}};
    trace->info.rank = 3;
    trace->info.loadSeconds = 1.5;
    trace->report.add(Trouble::BareWord, 77, "N/A");
    return trace;
}

template <typename T>
bool sameColumn(const Column<T> &a, const Column<T> &b)
{
    return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

template <typename Table>
bool sameTable(const Table &a, const Table &b)
{
    return std::apply(
        [&](const auto &...left) {
            return std::apply([&](const auto &...right) { return (sameColumn(left, right) && ...); }, b.members());
        },
        a.members());
}

bool sameTrace(const Trace &a, const Trace &b)
{
    if (describeTrace(a) != describeTrace(b) || a.segments.size() != b.segments.size())
        return false;
    for (size_t i = 0; i < a.segments.size(); ++i) {
        const Segment &left = *a.segments[i];
        const Segment &right = *b.segments[i];
        if (!sameTable(left.slices, right.slices) || !sameTable(left.nesting, right.nesting) ||
            !sameTable(left.operators, right.operators) || !sameTable(left.python, right.python) ||
            !sameTable(left.device, right.device) || !sameTable(left.collectives, right.collectives) ||
            !sameTable(left.syncs, right.syncs) || !sameColumn(left.rowBegin, right.rowBegin) ||
            left.lod.levels.size() != right.lod.levels.size())
            return false;
        for (size_t level = 0; level < left.lod.levels.size(); ++level) {
            if (!sameColumn(left.lod.levels[level], right.lod.levels[level]))
                return false;
        }
    }
    return sameTable(a.memory, b.memory) && sameTable(a.instants, b.instants) && sameTable(a.counters, b.counters) &&
           sameTable(a.flows, b.flows) && sameColumn(a.flowsBySlice, b.flowsBySlice) &&
           sameColumn(a.launches.runs().front()->byLaunch, b.launches.runs().front()->byLaunch) &&
           sameColumn(a.strings.bytes, b.strings.bytes) && sameColumn(a.strings.begins, b.strings.begins);
}

class StoreTest : public testing::Test {
protected:
    std::string path() const { return m_folder.file("a.store"); }
    void writeSample() { ASSERT_TRUE(writeStore(*m_trace, "resume here", kSource, path(), {})); }
    size_t filesIn(const std::string &folder) const
    {
        return static_cast<size_t>(std::distance(std::filesystem::directory_iterator(folder), {}));
    }

    static constexpr SourceIdentity kSource{1000, 2000, 3000};
    TemporaryFolder m_folder;
    std::shared_ptr<const Trace> m_trace = sampleTrace();
};

TEST_F(StoreTest, GivesBackWhatWasStored)
{
    writeSample();
    const auto stored = openStore(path(), kSource);
    ASSERT_TRUE(stored) << stored.error().text();
    EXPECT_GT(m_trace->segments.size(), 4u);
    EXPECT_TRUE(sameTrace(*stored->trace, *m_trace));
    EXPECT_TRUE(stored->trace->info.fromStore);
    EXPECT_EQ(std::string(stored->resumeIndex.begin(), stored->resumeIndex.end()), "resume here");
    EXPECT_TRUE(stored->file->verify({}));
    EXPECT_EQ(filesIn(m_folder.path()), 1u);
}

TEST_F(StoreTest, ColumnsOfSeveralBlocks)
{
    m_trace = sampleTrace(30'000, 400'000);
    writeSample();
    const auto stored = openStore(path(), kSource);
    ASSERT_TRUE(stored) << stored.error().text();
    EXPECT_TRUE(stored->file->verify({}));
    EXPECT_TRUE(sameTrace(*stored->trace, *m_trace));
}

TEST_F(StoreTest, TraceOutlivesTheFile)
{
    writeSample();
    auto trace = openStore(path(), kSource)->trace;
    std::filesystem::remove(path());
    EXPECT_TRUE(sameTrace(*trace, *m_trace));
}

TEST_F(StoreTest, SameBytesWhateverTheThreads)
{
    writeSample();
    const std::string bytes = readFile(path());
    setWorkerCount(1);
    auto again = std::make_shared<Trace>(*sampleTrace());
    again->info.loadSeconds = 99;
    again->info.path = "elsewhere.json";
    m_trace = again;
    writeSample();
    setWorkerCount(0);
    EXPECT_EQ(readFile(path()), bytes);
}

TEST_F(StoreTest, EveryDamagedByteIsNoticedOrHarmless)
{
    writeSample();
    const std::string bytes = readFile(path());
    setWorkerCount(1); // a thread per flipped byte costs more than the check
    size_t harmless = 0;
    std::string bad = bytes;
    for (size_t at = 0; at < bytes.size(); ++at) {
        bad[at] = static_cast<char>(bad[at] ^ 0x41);
        // The file is changed in place, which is faster than writing it again.
        const int file = ::open(path().c_str(), O_WRONLY);
        ASSERT_EQ(pwrite(file, &bad[at], 1, static_cast<off_t>(at)), 1);
        const auto stored = openStore(path(), kSource);
        if (stored && stored->file->verify({})) {
            ASSERT_TRUE(sameTrace(*stored->trace, *m_trace)) << at;
            ++harmless;
        }
        bad[at] = bytes[at];
        ASSERT_EQ(pwrite(file, &bad[at], 1, static_cast<off_t>(at)), 1);
        ::close(file);
    }
    setWorkerCount(0);
    // Padding only.
    EXPECT_LT(harmless, 4096u + 120 * 64);
}

TEST_F(StoreTest, TruncatedStoreIsRefused)
{
    writeSample();
    const std::string bytes = readFile(path());
    for (size_t size = 0; size < bytes.size(); size += 97) {
        writeFile(path(), std::string_view(bytes).substr(0, size));
        EXPECT_FALSE(openStore(path(), kSource)) << size;
    }
    writeFile(path(), bytes + "more");
    EXPECT_FALSE(openStore(path(), kSource));
}

TEST_F(StoreTest, TruncatedWhileMappedIsNoticed)
{
    m_trace = sampleTrace(60, 100'000);
    writeSample();
    const auto stored = openStore(path(), kSource);
    ASSERT_TRUE(stored);
    ASSERT_EQ(truncate(path().c_str(), 8192), 0);
    EXPECT_FALSE(stored->file->verify({}));
}

TEST_F(StoreTest, ForeignMagicVersionAndSourceAreRefused)
{
    writeSample();
    const std::string bytes = readFile(path());
    for (const size_t at : {size_t{0}, offsetof(StoreHeader, version), offsetof(StoreHeader, byteOrder),
                            offsetof(StoreHeader, schemaHash)}) {
        std::string other = bytes;
        ++other[at];
        writeFile(path(), other);
        EXPECT_FALSE(openStore(path(), kSource));
    }
    writeFile(path(), bytes);
    EXPECT_FALSE(openStore(path(), {1001, 2000, 3000}));
    EXPECT_FALSE(openStore(path(), {1000, 2001, 3000}));
    const auto stale = openStore(path(), {1000, 2000, 3001});
    ASSERT_FALSE(stale);
    EXPECT_EQ(stale.error().kind, ErrorKind::Changed);
    EXPECT_TRUE(openStore(path(), kSource));
}

TEST_F(StoreTest, PartOfATraceIsNotStored)
{
    Trace part = *m_trace;
    part.info.part = TimeSpan{0, 1};
    EXPECT_FALSE(writeStore(part, {}, kSource, path(), {}));
    EXPECT_EQ(filesIn(m_folder.path()), 0u);
}

TEST_F(StoreTest, StoppedWritingLeavesNothing)
{
    std::stop_source stop;
    stop.request_stop();
    const auto written = writeStore(*m_trace, {}, kSource, path(), {stop.get_token()});
    ASSERT_FALSE(written);
    EXPECT_EQ(written.error().kind, ErrorKind::Cancelled);
    EXPECT_EQ(filesIn(m_folder.path()), 0u);
}

TEST_F(StoreTest, NoRoomIsAnErrorAndLeavesNothing)
{
    const pid_t child = fork();
    if (child == 0) {
        signal(SIGXFSZ, SIG_IGN);
        const rlimit limit{8192, 8192};
        setrlimit(RLIMIT_FSIZE, &limit);
        const auto written = writeStore(*m_trace, {}, kSource, path(), {});
        _exit(!written && written.error().message == "There is no room for the stored copy." ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(filesIn(m_folder.path()), 0u);
}

TEST_F(StoreTest, SeveralWritersAtOnce)
{
    std::vector<std::thread> writers;
    std::atomic<int> failed{0};
    for (int i = 0; i < 4; ++i) {
        writers.emplace_back([&] {
            for (int round = 0; round < 10; ++round) {
                const bool written(writeStore(*m_trace, {}, kSource, path(), {}));
                const auto stored = openStore(path(), kSource);
                if (!written || !stored || !stored->file->verify({}))
                    ++failed;
            }
        });
    }
    for (std::thread &writer : writers)
        writer.join();
    EXPECT_EQ(failed, 0);
    EXPECT_EQ(filesIn(m_folder.path()), 1u);
}

class StoreFolderTest : public StoreTest {
protected:
    std::string source(const std::string &name)
    {
        writeFile(m_folder.file(name), "the trace " + name);
        return m_folder.file(name);
    }
    std::string cache() const { return m_folder.file("cache/riffle"); }
    static uint64_t mustWrite(const StoreFolder &folder, const Trace &trace, const std::string &path)
    {
        const auto written = folder.write(trace, {}, path, *SourceIdentity::of(path), {});
        EXPECT_TRUE(written) << written.error().text();
        return written ? *written : 0;
    }
    static bool opens(const StoreFolder &folder, const std::string &path)
    {
        return bool(folder.open({path, {}}, *SourceIdentity::of(path)));
    }
};

TEST_F(StoreFolderTest, FindsTheStoreByAnyPathToTheFile)
{
    const StoreFolder folder(cache());
    const std::string file = source("one");
    EXPECT_FALSE(opens(folder, file));
    mustWrite(folder, *m_trace, file);
    std::filesystem::create_symlink(file, m_folder.file("link"));
    EXPECT_TRUE(opens(folder, file));
    EXPECT_TRUE(opens(folder, m_folder.file("link")));
    EXPECT_TRUE(opens(folder, m_folder.file("cache/../one")));
    struct stat status = {};
    ASSERT_EQ(stat(cache().c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0700u);
}

TEST_F(StoreFolderTest, ChangedFileIsNotServedAndItsStoreGoes)
{
    const StoreFolder folder(cache());
    const std::string file = source("one");
    mustWrite(folder, *m_trace, file);
    writeFile(file, "the trace twO");
    EXPECT_FALSE(opens(folder, file));
    EXPECT_EQ(filesIn(cache()), 0u);
}

TEST_F(StoreFolderTest, FileThatChangedMeanwhileIsNotStored)
{
    const StoreFolder folder(cache());
    const std::string file = source("one");
    const SourceIdentity before = *SourceIdentity::of(file);
    writeFile(file, "something else");
    EXPECT_FALSE(folder.write(*m_trace, {}, file, before, {}));
    EXPECT_EQ(filesIn(cache()), 0u);
}

TEST_F(StoreFolderTest, LeastRecentlyUsedGoesFirst)
{
    const StoreFolder roomy(cache());
    const std::string a = source("a"), b = source("b"), c = source("c");
    const uint64_t bytes = mustWrite(roomy, *m_trace, a);
    mustWrite(roomy, *m_trace, b);
    EXPECT_TRUE(opens(roomy, a));
    const StoreFolder tight(cache(), bytes * 2);
    mustWrite(tight, *m_trace, c);
    EXPECT_TRUE(opens(roomy, a));
    EXPECT_FALSE(opens(roomy, b));
    EXPECT_TRUE(opens(roomy, c));
    const StoreFolder tiny(cache(), 1);
    mustWrite(tiny, *m_trace, b);
    EXPECT_TRUE(opens(roomy, b)) << "the store that was just written stays";
    EXPECT_EQ(filesIn(cache()), 1u);
}

TEST_F(StoreFolderTest, LeftoversOfDeadWritersAreRemoved)
{
    const StoreFolder folder(cache());
    mustWrite(folder, *m_trace, source("a"));
    const std::string stale = cache() + "/0.store" + std::string(StoreFileWriter::kTemporaryMark) + "1-1";
    writeFile(stale, "half");
    auto living = StoreFileWriter::create(cache() + "/1.store", 10);
    ASSERT_TRUE(living);
    folder.tidy();
    EXPECT_EQ(filesIn(cache()), 3u) << "young files stay";
    for (const auto &entry : std::filesystem::directory_iterator(cache()))
        std::filesystem::last_write_time(entry, std::filesystem::file_time_type::clock::now() - std::chrono::hours(1));
    folder.tidy();
    EXPECT_FALSE(std::filesystem::exists(stale));
    EXPECT_EQ(filesIn(cache()), 2u) << "locked files stay";
}

TEST(SourceIdentityTest, APipeIsAnErrorAtOnce)
{
    const std::string pipe = ::testing::TempDir() + "riffle_identity_pipe";
    ::unlink(pipe.c_str());
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    EXPECT_FALSE(SourceIdentity::of(pipe));
    ::unlink(pipe.c_str());
}

TEST(SourceIdentityTest, SeesSizeTimeAndContent)
{
    TemporaryFolder folder;
    const std::string path = folder.file("a");
    std::string bytes = traceLikeText(3'000'000);
    writeFile(path, bytes);
    const SourceIdentity first = *SourceIdentity::of(path);
    EXPECT_EQ(*SourceIdentity::of(path), first);
    bytes[0] = 'x';
    writeFile(path, bytes);
    const SourceIdentity second = *SourceIdentity::of(path);
    EXPECT_NE(second.contentHash, first.contentHash);
    EXPECT_EQ(second.size, first.size);
    EXPECT_FALSE(SourceIdentity::of(folder.file("missing")));
}

} // namespace
} // namespace riffle
