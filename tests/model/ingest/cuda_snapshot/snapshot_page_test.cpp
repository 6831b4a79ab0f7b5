// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/memory/memory_info.h"
#include "model/analysis/memory/memory_replay.h"
#include "model/ingest/cuda_snapshot/cuda_snapshot.h"
#include "model/ingest/cuda_snapshot/html_pickle.h"
#include "model/ingest/cuda_snapshot/no_snapshot.h"
#include "model/trace/source_identity.h"
#include "tests/support/archives.h"

#include <gtest/gtest.h>

#include <sys/stat.h>

namespace riffle::test {
namespace {

constexpr const char *kEmptyList = "gARdlC4="; // a pickle of []

std::string pageOf(const std::vector<std::pair<std::string, std::string>> &files)
{
    std::string page = "<html><script>const local_files = [";
    for (const auto &[name, base64] : files)
        page += std::string(page.back() == '[' ? "" : ", ") + "{\"name\": \"" + name + "\", \"base64\": \"" + base64 +
                "\"}";
    return page + "]</script></html>";
}

Result<std::shared_ptr<const MemorySnapshot>> read(const std::string &page)
{
    const TemporaryFolder folder;
    writeFile(folder.file("page.html"), page);
    return readMemorySnapshot(folder.file("page.html"), {}, {});
}

TEST(SnapshotPages, OtherSnapshotsOfThePageAreNamedAndCounted)
{
    const auto one = read(pageOf({{"a", kEmptyList}}));
    ASSERT_TRUE(one) << one.error().text();
    EXPECT_TRUE((*one)->otherSnapshots.empty());
    const auto three = read(pageOf({{"a", kEmptyList}, {"b.pickle", kEmptyList}, {"c", "!"}}));
    ASSERT_TRUE(three) << three.error().text();
    EXPECT_EQ((*three)->otherSnapshots, (std::vector<std::string>{"b.pickle", "c"}));
    const auto remarks = memoryRemarks(**three, replayMemory(**three, {}));
    ASSERT_FALSE(remarks.empty());
    EXPECT_EQ(remarks[0], "Only the page's first snapshot was opened; 2 more are in it: b.pickle, c.");
    EXPECT_EQ(otherPicklesInHtml("\", {\"base64\": \"x\"}", 0), (std::vector<std::string>{"(without a name)"}));
    EXPECT_TRUE(otherPicklesInHtml("x\", {\"name\": \"cut", 0).empty());
}

TEST(SnapshotPages, WhatIsNoBase64IsSaidWithItsPlaceInThePage)
{
    const std::string bad = pageOf({{"a", "!!!!gARdlC4="}}), later = pageOf({{"a", "gARd lC4="}});
    const auto first = read(bad);
    ASSERT_FALSE(first);
    EXPECT_EQ(first.error().message, "The data in the page is not valid base64.");
    EXPECT_EQ(first.error().offset, bad.find('!'));
    const auto second = read(later); // salvaged or an error: the cause is reported in both cases
    const std::string text = second ? (*second)->damage ? (*second)->damage->message : "" : second.error().text();
    EXPECT_NE(text.find(std::to_string(later.find("d lC") + 1)), std::string::npos) << text;
}

TEST(SnapshotPages, WhatIsNoSnapshotIsToldByWhatItIs)
{
    const auto says = [](std::string_view head, std::string_view words) {
        return whyNoSnapshot(head).find(words) != std::string::npos;
    };
    EXPECT_TRUE(says("{\"schemaVersion\": 1, \"traceEvents\": [", "summary --view memory"));
    EXPECT_TRUE(says("\n[{\"ph\": \"i\", \"name\": \"[memory]\"", "summary --view memory"));
    EXPECT_TRUE(says("{\"segments\": [{\"device\": 0", "snapshot as JSON"));
    EXPECT_TRUE(says("[[1000,2000],[[0,4096,0,0,0,0,0,0,1]", "memory timeline"));
    EXPECT_TRUE(says("Memory State:\n", "cut off after its header"));
    EXPECT_TRUE(says("Memory State:\ntime: 1.5\n", "log of InternEvo"));
    EXPECT_TRUE(says("# Riffle\n", "not a pickle"));
    EXPECT_TRUE(says("{\"a\": 1}", "neither a memory timeline nor a trace"));
    EXPECT_TRUE(says("", "not a pickle"));
    EXPECT_TRUE(says("PK\x03\x04\x14", "This is a zip archive: unpack it and open the snapshot inside."));
    EXPECT_FALSE(says("PK\x03\x04\x14", "not a pickle"));
}

TEST(SnapshotPages, APipeIsNoFile)
{
    const TemporaryFolder folder;
    ASSERT_EQ(mkfifo(folder.file("pipe").c_str(), 0600), 0);
    EXPECT_EQ(SourceIdentity::of(folder.file("pipe")).error().message, "This is not a regular file.");
}

} // namespace
} // namespace riffle::test
