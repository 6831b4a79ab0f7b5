// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/importers.h"

#include "tests/support/archives.h"
#include "tests/support/log_writer.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

namespace riffle {
namespace {

using namespace test;

const std::string kLogText = "Memory State:\ntime: 0.5 s\n---summary---\ntotal_memory: 1.00 MB\n";

TEST(Importers, ContentDecides)
{
    const TemporaryFolder folder;
    const std::pair<std::string, FileKind> kTexts[] = {
        {R"([{"ph":"X","name":"a","ts":1,"dur":1}])", FileKind::Trace},
        {R"({"traceEvents":[]})", FileKind::Trace},
        {"", FileKind::Trace},
        {"some words", FileKind::Trace},
        {"[[1, 2], [[0, 0]]]", FileKind::MemoryTimeline},
        {kLogText, FileKind::MemoryLog},
        {"\x80\x04}.", FileKind::Snapshot},
        {"}q.", FileKind::Snapshot},
    };
    for (const auto &[text, kind] : kTexts) {
        // The name of a pickle makes a snapshot of what nothing else recognises; see below.
        for (const char *name : {"file", "file.json", "file.log"}) {
            const std::string path = folder.file(name);
            writeFile(path, text);
            EXPECT_EQ(importerOf(path).kind, kind) << text;
            writeFile(path, gzipped(text));
            EXPECT_EQ(importerOf(path).kind, kind) << "in gzip: " << text;
        }
    }
}

TEST(Importers, NamesComeAfterContent)
{
    const TemporaryFolder folder;
    const std::string path = folder.file("file.pickle");
    for (const auto &[text, kind] : {std::pair<std::string, FileKind>{"words", FileKind::Snapshot},
                                     {"{}", FileKind::Trace},
                                     {"[[1", FileKind::MemoryTimeline},
                                     {kLogText, FileKind::MemoryLog}}) {
        writeFile(path, text);
        EXPECT_EQ(importerOf(path).kind, kind) << text;
    }
}

TEST(Importers, ATraceIsAskedForAmongTraces)
{
    const TemporaryFolder folder;
    const std::string path = folder.file("file.pickle");
    writeFile(path, "\x80\x04}.");
    EXPECT_EQ(traceImporterOf(path).name, "Chrome JSON");
    const auto read = importTrace(path, {}, {});
    ASSERT_FALSE(read);
    EXPECT_THAT(read.error().message, testing::HasSubstr("This is a Python pickle, not a trace"));
}

TEST(Importers, ALogIsItsFolderOrOneOfItsFiles)
{
    const LogFolder log;
    const std::string part = log.write("000001.part", everythingLog(true).bytes());
    for (const std::string &path : {log.path(), part}) {
        EXPECT_EQ(importerOf(path).name, "log of Riffle's collector");
        EXPECT_TRUE(importerOf(path).openText && importerOf(path).textLacksNames);
    }
}

TEST(Importers, TheLastRowSaysWhatIsWrong)
{
    const TemporaryFolder folder;
    for (const std::string &path : {folder.file("missing"), folder.path()}) {
        const Importer &importer = importerOf(path);
        EXPECT_EQ(&importer, &importers().back());
        EXPECT_FALSE(importer.open(path, {}, {}));
    }
}

TEST(Importers, RowsAreComplete)
{
    for (const Importer &importer : importers()) {
        EXPECT_FALSE(importer.name.empty());
        EXPECT_FALSE(importer.endings.empty()) << importer.name;
        EXPECT_TRUE(importer.recognises && importer.open) << importer.name;
        EXPECT_TRUE(importer.kind == FileKind::Trace || !importer.openText) << importer.name;
    }
    EXPECT_THAT(fileEndings(),
                testing::IsSupersetOf({"*.json", "*.gz", "*.zst", "*.part", "*.pickle", "*.pkl", "*.html"}));
    std::vector<std::string> endings = fileEndings();
    std::sort(endings.begin(), endings.end());
    EXPECT_EQ(std::adjacent_find(endings.begin(), endings.end()), endings.end());
}

} // namespace
} // namespace riffle
