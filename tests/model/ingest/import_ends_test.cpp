// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/chrome_json/importer.h"

#include "tests/support/archives.h"
#include "tests/support/chunked_source.h"
#include "tests/support/import_text.h"

#include <chrono>
#include <filesystem>
#include <gtest/gtest.h>
#include <thread>

namespace riffle {
namespace {

using namespace test;

/// The number of open files, which an import must not leave behind.
size_t openFiles()
{
    const std::filesystem::directory_iterator files("/proc/self/fd");
    return static_cast<size_t>(std::distance(begin(files), end(files)));
}

ImportOptions spilling(const TemporaryFolder &folder)
{
    ImportOptions options;
    options.spillFolder = folder.path();
    options.memoryLimit = 0;
    return options;
}

TEST(ImportEnds, WhenItIsCancelledAtAnyRead)
{
    TemporaryFolder folder;
    const std::string text = traceLikeText(6'000'000);
    const size_t before = openFiles();
    for (int stopAt = 0; stopAt < 17; ++stopAt) {
        const WorkerCount workers(1 + static_cast<unsigned>(stopAt % 3));
        std::stop_source stop;
        const auto open = [&]() -> Result<std::unique_ptr<ByteSource>> {
            auto source = std::make_unique<ChunkedSource>(text, 350'000);
            source->onRead = [&stop, stopAt](uint64_t position) -> std::optional<Error> {
                if (position >= static_cast<uint64_t>(stopAt) * 350'000)
                    stop.request_stop();
                return std::nullopt;
            };
            return std::unique_ptr<ByteSource>(std::move(source));
        };
        const auto trace = importChromeJson("trace", open, spilling(folder), {stop.get_token(), nullptr});
        ASSERT_FALSE(trace) << stopAt;
        EXPECT_EQ(trace.error().kind, ErrorKind::Cancelled);
    }
    EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
    EXPECT_EQ(openFiles(), before);
}

TEST(ImportEnds, WhenItIsCancelledAtAnyTime)
{
    TemporaryFolder folder, spill;
    const std::string text = traceLikeText(8'000'000);
    const std::string names[] = {folder.file("trace"), folder.file("trace.gz"), folder.file("trace.zst")};
    writeFile(names[0], text);
    writeFile(names[1], gzipped(text));
    writeFile(names[2], zstdCompressed(text, false));
    const size_t before = openFiles();
    int cancelled = 0;
    for (int i = 0; i < 60; ++i) {
        std::stop_source stop;
        Progress progress;
        std::jthread canceller([&](std::stop_token over) {
            // Half of them stop in the seal, the others after a while.
            const auto until = std::chrono::steady_clock::now() + std::chrono::microseconds(i * 1500);
            while (!over.stop_requested() &&
                   (i % 2 ? progress.stage == Progress::Stage::Reading : std::chrono::steady_clock::now() < until))
                std::this_thread::yield();
            stop.request_stop();
        });
        ImportOptions options = spilling(spill);
        if (i % 3)
            options.memoryLimit = 1ull << 30;
        const auto trace = importTrace(names[i % 3], options, {stop.get_token(), &progress});
        if (!trace) {
            ++cancelled;
            EXPECT_EQ(trace.error().kind, ErrorKind::Cancelled) << trace.error().text();
        }
    }
    EXPECT_GT(cancelled, 10);
    EXPECT_TRUE(std::filesystem::is_empty(spill.path()));
    EXPECT_EQ(openFiles(), before);
}

TEST(ImportEnds, WhenTheFileShrinksUnderIt)
{
    TemporaryFolder folder;
    const std::string path = folder.file("trace");
    const std::string text = traceLikeText(3'000'000);
    for (const std::string &bytes : {text, gzipped(text), zstdCompressed(text)})
        for (const double part : {0.0, 0.1, 0.5, 0.9}) {
            writeFile(path, bytes);
            const auto open = [&]() -> Result<std::unique_ptr<ByteSource>> {
                auto source = ByteSource::open(path);
                std::filesystem::resize_file(path, static_cast<uint64_t>(static_cast<double>(bytes.size()) * part));
                return source;
            };
            const auto trace = importChromeJson(path, open, {}, {});
            ASSERT_FALSE(trace) << part;
            EXPECT_EQ(trace.error().kind, ErrorKind::Changed) << trace.error().text();
            EXPECT_EQ(trace.error().file, path);
        }
}

TEST(ImportEnds, WhenReadingFails)
{
    const std::string text = traceLikeText(3'000'000);
    for (const uint64_t at : {0u, 500'000u, 2'000'000u})
        for (const bool range : {false, true}) {
            const auto open = [&]() -> Result<std::unique_ptr<ByteSource>> {
                auto source = std::make_unique<ChunkedSource>(text, 100'000);
                source->onRead = [at](uint64_t position) -> std::optional<Error> {
                    if (position >= at)
                        return Error{"no more", {}, position, ErrorKind::Limit};
                    return std::nullopt;
                };
                return std::unique_ptr<ByteSource>(std::move(source));
            };
            ImportOptions options;
            if (range)
                options.range = TimeSpan{0, 1000};
            const auto trace = importChromeJson("trace", open, options, {});
            ASSERT_FALSE(trace);
            EXPECT_EQ(trace.error().kind, ErrorKind::Limit);
            EXPECT_EQ(trace.error().file, "trace");
        }
}

TEST(ImportEnds, AtTheInflateLimit)
{
    TemporaryFolder folder;
    const std::string event = R"({"ph":"X","pid":1,"tid":2,"name":"n","ts":1,"dur":1},)";
    std::string list = "[", blanks(64'000'000, ' '), nested(64'000'000, '[');
    while (list.size() < 64'000'000)
        list += event;
    for (const std::string &text : {list, blanks, nested, "{\"a\": \"" + blanks, "[{\"ph\":\"X\",\"name\":\"" + blanks})
        for (const std::string &archive : {gzipped(text), zstdCompressed(text, false)}) {
            writeFile(folder.file("bomb"), archive);
            ImportOptions options;
            options.inflateLimit = 20'000'000;
            const auto trace = importTrace(folder.file("bomb"), options, {});
            ASSERT_FALSE(trace) << text.substr(0, 10);
            EXPECT_EQ(trace.error().kind, ErrorKind::Limit) << trace.error().text();
            EXPECT_EQ(trace.error().file, folder.file("bomb"));
        }
}

} // namespace
} // namespace riffle
