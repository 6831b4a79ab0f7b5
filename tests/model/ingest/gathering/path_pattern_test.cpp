// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/gathering/path_pattern.h"

#include "model/ingest/gathering/gathered_files.h"
#include "tests/support/archives.h"

#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <random>

namespace riffle {
namespace {

using namespace test;
namespace fs = std::filesystem;

constexpr const char *kPatternTrace = R"({"traceEvents": []})";

TEST(PathPattern, MatchesNames)
{
    struct Case {
        const char *pattern, *name;
        bool matches;
    };
    const Case cases[] = {
        {"rank*.json", "rank.json", true},
        {"rank*.json", "rank12.json", true},
        {"rank*.json", "rank12.json.gz", false},
        {"*a*b*c", "xxaxxbxxbxc", true},
        {"*a*b*c", "xxaxxcxxb", false},
        {"rank?.json", "rank12.json", false},
        {"rank?.json", "rank1.json", true},
        {"名?.json", "名前.json", true}, // one character, not one byte
        {"名[后-明]*", "名前.json", false},
        {"*[一-龥].json", "名前.json", true},
        {"rank[0-38].json", "rank8.json", true},
        {"rank[0-38].json", "rank4.json", false},
        {"rank[!0-38].json", "rank4.json", true},
        {"rank[^0-38].json", "rank3.json", false},
        {"a[*]", "a*", true},
        {"a[*]", "ab", false},
        {"a[]b]", "a]", true},
        {"a[-x]", "a-", true},
        {"a[b", "a[b", true}, // not closed
        {"a[", "a[", true},
        {"*", ".hidden", false},
        {".h*", ".hidden", true},
        {"*", "", true},
        {"?", "", false},
        {"*", "\xff\xfe.json", true}, // not UTF-8
        {"?", "\xff", true},
        {"Rank*", "rank1", false},
    };
    for (const Case &one : cases)
        EXPECT_EQ(matchesPattern(one.name, one.pattern), one.matches) << one.pattern << " " << one.name;
    // Many stars take no exponential time.
    EXPECT_FALSE(matchesPattern(std::string(200, 'a'), "*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*b"));
}

/// The same definition, written as a recursion.
bool matchesSimply(std::string_view name, std::string_view pattern)
{
    if (pattern.empty())
        return name.empty();
    if (pattern.front() == '*')
        return matchesSimply(name, pattern.substr(1)) || (!name.empty() && matchesSimply(name.substr(1), pattern));
    if (name.empty())
        return false;
    if (pattern.size() > 3 && pattern.starts_with("[a") && pattern[2] == ']')
        return name.front() == 'a' && matchesSimply(name.substr(1), pattern.substr(3));
    return (pattern.front() == '?' || pattern.front() == name.front()) &&
           matchesSimply(name.substr(1), pattern.substr(1));
}

TEST(PathPattern, MatchesAsASimpleMatcherDoes)
{
    std::mt19937 random(7);
    size_t matches = 0;
    for (int round = 0; round < 20'000; ++round) {
        std::string name, pattern;
        for (uint32_t left = random() % 8; left > 0; --left)
            name += "ab"[random() % 2];
        for (uint32_t left = random() % 7; left > 0; --left)
            pattern += std::array<const char *, 5>{"a", "b", "*", "?", "[a]x"}[random() % 5];
        ASSERT_EQ(matchesPattern(name, pattern), matchesSimply(name, pattern)) << name << " " << pattern;
        matches += matchesPattern(name, pattern);
    }
    EXPECT_GT(matches, 2000u);
}

class PatternsInFolders : public testing::Test {
protected:
    void write(const std::string &name, std::string_view content = kPatternTrace)
    {
        fs::create_directories(fs::path(m_folder.file(name)).parent_path());
        writeFile(m_folder.file(name), content);
    }
    /// The names of the files that patterns stand for, relative to the folder; what was skipped is in brackets.
    std::string found(const std::vector<std::string> &patterns, size_t mostEntries = 1000)
    {
        GatheringOptions options;
        options.cache = m_folder.file("cache");
        options.mostEntries = mostEntries;
        std::vector<std::string> asked;
        for (const std::string &pattern : patterns)
            asked.push_back(m_folder.file(pattern));
        const auto files = gatherFiles(asked, options, {});
        if (!files)
            return "error: " + files.error().message;
        std::string text;
        const std::string root = m_folder.file("");
        for (const std::string &name : files->names)
            text += name.substr(root.size()) + " ";
        for (const SkippedFile &one : files->skipped)
            text += "(" + one.path.substr(root.size()) + (one.isLoss ? " lost) " : ") ");
        return text;
    }
    TemporaryFolder m_folder;
};

TEST_F(PatternsInFolders, StandForWhatTheyMatch)
{
    for (const char *name : {"run/rank10/a.json", "run/rank2/a.json", "run/rank2/b.json", "run/node0/rank3/a.json",
                             "run/说明/跟踪.json", "run/.old/rank4/a.json", "run/rank2/deep/er/a.json"})
        write(name);
    write("run/rank2/notes.txt", "text");
    EXPECT_EQ(found({"run/rank*/a.json"}), "run/rank2/a.json run/rank10/a.json ");
    EXPECT_EQ(found({"run/rank*/*"}), "run/rank2/a.json run/rank2/b.json run/rank2/deep/er/a.json run/rank10/a.json "
                                      "(run/rank2/notes.txt) ");
    EXPECT_EQ(found({"run/**/a.json"}),
              "run/node0/rank3/a.json run/rank2/a.json run/rank2/deep/er/a.json run/rank10/a.json ");
    EXPECT_EQ(found({"run/rank?"}),
              "run/rank2/a.json run/rank2/b.json run/rank2/deep/er/a.json (run/rank2/notes.txt) ");
    EXPECT_EQ(found({"run/*/"}), found({"run/[!.]*"}));
    EXPECT_EQ(found({"run/说?/*.json"}), "run/说明/跟踪.json ");
    // A file counts once. What nothing matches is an error alone, and a loss beside others.
    EXPECT_EQ(found({"run/rank1*/*", "run/rank10/?.json"}), "run/rank10/a.json (run/rank10/a.json) ");
    EXPECT_EQ(found({"run/rank7*"}), "error: No file matches this pattern.");
    EXPECT_EQ(found({"run/rank7*", "run/rank10"}), "run/rank10/a.json (run/rank7* lost) ");
    EXPECT_EQ(found({"run/rank2/*.txt"}).find("error: It contains no trace, memory snapshot, memory timeline or log."),
              0u);
    EXPECT_NE(found({"run/**/a.json"}, 4).find("(run/**/a.json lost)"), std::string::npos);
}

TEST_F(PatternsInFolders, DoNotHideFilesWithSuchNames)
{
    write("odd/rank[0].json");
    write("odd/rank0.json");
    write("odd/[1]/rank*.json");
    write("odd/[1]/rank1.json");
    EXPECT_EQ(found({"odd/rank[0].json"}), "odd/rank[0].json ");
    EXPECT_EQ(found({"odd/rank[0-9].json"}), "odd/rank0.json ");
    EXPECT_EQ(found({"odd/[1]/rank*.json"}), "odd/[1]/rank*.json ");
    EXPECT_EQ(found({"odd/[1]/*1.json"}), "odd/[1]/rank1.json ");
}

TEST_F(PatternsInFolders, SurviveLinksInCircles)
{
    write("loop/rank0.json");
    std::error_code failed;
    fs::create_directory_symlink(m_folder.file("loop"), m_folder.file("loop/again"), failed);
    if (failed)
        GTEST_SKIP() << "The system makes no links: " << failed.message();
    EXPECT_EQ(found({"loop/**/*.json"}), "loop/rank0.json ");
    // Links that the pattern names are followed, and their files were found before.
    EXPECT_EQ(found({"loop/*/again/*/*.json", "loop/rank0.json"}).find("loop/again/again/again/rank0.json"), 0u);
    EXPECT_EQ(found({"loop/*"}), "loop/again/rank0.json (loop/again/again) (loop/rank0.json) ");
}

TEST_F(PatternsInFolders, LookAtFoldersOnceForEachPart)
{
    // Five entries are below the folder: three folders and two files.
    write("deep/a/b/c/rank0.json");
    write("deep/a/rank1.json");
    const auto entries = [&](const std::string &pattern) {
        const PatternMatches matches = matchesOf(m_folder.file(pattern), 1000, {});
        EXPECT_EQ(matches.paths,
                  (std::vector{m_folder.file("deep/a/b/c/rank0.json"), m_folder.file("deep/a/rank1.json")}))
            << pattern;
        return matches.entries;
    };
    // "**" reads the four folders, and the part behind it reads them again.
    EXPECT_EQ(entries("deep/**/*.json"), 10u);
    EXPECT_EQ(entries("deep/**/**/**/**/*.json"), 10u);
    // "**/*" matches all five entries. Of these, "**" reads the three folders, once, and so does the part behind it.
    EXPECT_EQ(entries("deep/**/*/**/*.json"), 10u + 4u + 4u);
}

TEST_F(PatternsInFolders, ShareTheLimitOfEntries)
{
    for (int at = 0; at < 10; ++at)
        write("run/rank" + std::to_string(at) + ".json");
    EXPECT_EQ(found({"run/rank0*", "run/rank1*"}, 20), "run/rank0.json run/rank1.json ");
    EXPECT_EQ(found({"run/rank0*", "run/rank1*"}, 10), "run/rank0.json (run/rank1* lost) (run/rank1* lost) ");
    // A folder behind them is not looked at any more.
    write("other/rank5.json");
    EXPECT_EQ(found({"run/rank0*", "run/rank1*", "other"}, 20),
              "run/rank0.json run/rank1.json (other lost) (other lost) ");
}

} // namespace
} // namespace riffle
