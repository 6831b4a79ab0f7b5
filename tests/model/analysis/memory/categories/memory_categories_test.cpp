// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/memory/alive/memory_grouping.h"
#include "model/analysis/memory/categories/memory_categories.h"
#include "tests/model/analysis/memory/training_snapshot.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

using namespace riffle;
using namespace riffle::test;
using enum MemoryAction;

namespace {

/// Compares the guesses about a training job with the truth: the share of bytes guessed right among the bytes with a
/// guess, and the shares that are unknown and inferred. Prints the confusion matrix.
struct Agreement {
    double right = 0, unknown = 0, inferred = 0;
    int64_t wrong = 0; ///< number of allocations
};

/// True if a guess is right. From its size alone, a parameter cannot be told from a state of the optimizer.
bool isRight(const std::string &truth, const std::string &guess)
{
    return guess == truth || guess == truth + " (inferred)" ||
           (guess == "parameter_or_optimizer_state (inferred)" && (truth == "parameter" || truth == "optimizer_state"));
}

Agreement agreement(const char *name, const TrainingOptions &options)
{
    TrainingSnapshot training(options);
    const SnapshotFacts facts(std::make_shared<const MemorySnapshot>(training.take()));
    const MemoryCategories categories(facts, MemoryRules::builtIn());
    const MemoryAllocations &all = facts.replay().devices[0].allocations;
    EXPECT_EQ(all.count(), training.truth.size());
    std::map<std::string, std::map<std::string, std::pair<int64_t, int64_t>>>
        matrix; // true, guessed: allocations and bytes
    std::set<std::string> guesses;
    int64_t right = 0, unknown = 0, inferred = 0, total = 0;
    Agreement found;
    for (uint32_t row = 0; row < all.count(); ++row) {
        const std::string &truth = training.truth.at({all.address(facts.snapshot(), row), all.begin[row]});
        const MemoryCategories::Verdict &verdict = categories.verdicts()[categories.verdict(0, row)];
        const std::string &guess = verdict.category;
        const int64_t size = all.size(facts.snapshot(), row);
        auto &cell = matrix[truth][guess];
        ++cell.first;
        cell.second += size;
        guesses.insert(guess);
        total += size;
        right += isRight(truth, guess) ? size : 0;
        unknown += verdict.unknown ? size : 0;
        inferred += verdict.inferred ? size : 0;
        found.wrong += !isRight(truth, guess) && !verdict.unknown;
    }
    fmt::print("{}: allocations (MB) by what they are (rows) and what is guessed\n{:>16}", name, "");
    for (const std::string &guess : guesses)
        fmt::print(" {:>16}", guess);
    for (const auto &[truth, row] : matrix) {
        fmt::print("\n{:>16}", truth);
        for (const std::string &guess : guesses)
            fmt::print(" {:>16}", row.contains(guess)
                                      ? fmt::format("{} ({})", row.at(guess).first, row.at(guess).second / 1'000'000)
                                      : "");
    }
    fmt::print("\n");
    found.right = total > unknown ? static_cast<double>(right) / static_cast<double>(total - unknown) : 1;
    found.unknown = static_cast<double>(unknown) / static_cast<double>(total);
    found.inferred = static_cast<double>(inferred) / static_cast<double>(total);
    return found;
}

} // namespace

TEST(MemoryCategories, OfAWholeHistoryWithFramesOfBothKindsAllIsGuessedRight)
{
    for (const bool checkpoint : {false, true}) {
        TrainingOptions options;
        options.checkpoint = checkpoint;
        const Agreement found = agreement(checkpoint ? "checkpoints" : "whole history", options);
        EXPECT_EQ(found.wrong, 0);
        EXPECT_EQ(found.unknown, 0);
    }
    TrainingOptions kept;
    kept.keepGradients = true;
    EXPECT_EQ(agreement("gradients kept", kept).wrong, 0);
}

TEST(MemoryCategories, WhatIsFromBeforeTheHistoryIsInferredFromTheSizesOfGradients)
{
    TrainingOptions options;
    options.lateHistory = true;
    const Agreement found = agreement("history from the second step", options);
    EXPECT_EQ(found.wrong, 0);
    EXPECT_GT(found.inferred, 0.1);
    EXPECT_LT(found.unknown, 0.1);
}

TEST(MemoryCategories, WhatIsFromBeforeTheHistoryStaysUnknownIfNoGradientIsKnown)
{
    TrainingOptions options;
    options.lateHistory = true;
    options.keepGradients = true; // the gradients are from before the history, too
    const Agreement found = agreement("history from the second step, gradients kept", options);
    EXPECT_EQ(found.wrong, 0);
    EXPECT_GT(found.unknown, 0.1);
}

TEST(MemoryCategories, WithoutFramesOfCppOrAKnownOptimizerLessIsGuessedAndMostOfItRight)
{
    TrainingOptions options;
    options.cpp = false;
    Agreement found = agreement("Python frames only", options);
    EXPECT_GT(found.right, 0.95);
    EXPECT_LT(found.unknown, 0.05);
    options.cpp = true;
    options.ownOptimizer = true;
    found = agreement("an optimizer that no rule knows", options);
    EXPECT_GT(found.right, 0.9);
    EXPECT_GT(found.unknown, 0.05) << "the states of the optimizer";
}

TEST(MemoryCategories, WhatTheSnapshotSaysComesFirstAndMetadataIsNoCategory)
{
    SmallSnapshot small;
    for (uint64_t at = 1; at < 4; ++at)
        small.add(Alloc, at << 20, 10);
    small.segment(
        0, 1 << 30,
        {SmallSnapshot::block(1 << 20, 10), SmallSnapshot::block(2 << 20, 10), SmallSnapshot::block(3 << 20, 10)});
    MemorySnapshot snapshot = small.take();
    SmallStacks stacks;
    const uint32_t forward = stacks.add({{"forward", "m.py", 1}}), mine = stacks.string("mine"),
                   word = stacks.string("kv cache");
    stacks.give(snapshot, {forward, forward, forward});
    snapshot.events.metadata = SmallStacks::column(std::vector<uint32_t>{0, word, word});
    snapshot.events.category = SmallStacks::column(std::vector<uint32_t>{0, 0, mine});
    const SnapshotFacts facts(std::make_shared<const MemorySnapshot>(std::move(snapshot)));
    const MemoryCategories categories(facts, MemoryRules::builtIn());
    const auto is = [&](uint32_t row) { return categories.verdicts()[categories.verdict(0, row)].category; };
    EXPECT_EQ(is(0), "activation");
    EXPECT_EQ(is(1), "activation") << "metadata is free text";
    EXPECT_FALSE(categories.verdicts()[categories.verdict(0, 1)].own);
    EXPECT_TRUE(categories.verdicts()[categories.verdict(0, 2)].own);
    EXPECT_EQ(is(2), "mine");
    const MemoryInstant instant = memoryInstant(facts, 0, 2);
    const MemoryTree tree = groupMemory(facts, std::span(&instant, 1), MemoryGrouping::Category, &categories);
    EXPECT_EQ(tree.size(), 4u);
    EXPECT_EQ(tree.unknownBytes(), 0);
    EXPECT_EQ(tree.totalBytes(), 30);
    const MemoryTree byMetadata = groupMemory(facts, std::span(&instant, 1), MemoryGrouping::Metadata);
    EXPECT_EQ(byMetadata.names, (std::vector<std::string>{"kv cache", "(none recorded)"}));
    EXPECT_EQ(byMetadata.bytes, (std::vector<int64_t>{20, 10}));
    EXPECT_EQ(byMetadata.unknownBytes(), 10);
}

TEST(MemoryRules, TheProgramsOwnOnesAreGoodAndFilesAreReadAlike)
{
    EXPECT_GT(MemoryRules::builtIn().rules.size(), 20u);
    const auto rules = MemoryRules::parse(
        R"({"sets": {"a": ["f*g @ */x.py", "h"]}, "rules": [{"name": "n", "category": "c", "allocated_in": ["a"], "freed": true, "at_most_events": 3}]})",
        "f");
    ASSERT_TRUE(rules);
    const FramePattern &pattern = rules->sets[0].patterns[0];
    EXPECT_TRUE(pattern.matches("fooling", "/a/x.py"));
    EXPECT_TRUE(pattern.matches("fg", "/x.py"));
    EXPECT_FALSE(pattern.matches("fo", "/a/x.py"));
    EXPECT_FALSE(pattern.matches("fg", "x.py"));
    EXPECT_TRUE(rules->sets[0].patterns[1].matches("h", "anything"));
    EXPECT_FALSE(rules->sets[0].patterns[1].matches("hh", ""));
    EXPECT_EQ(rules->rules[0].atMostEvents, 3);
    EXPECT_EQ(rules->rules[0].freed, true);
}

TEST(MemoryRules, WhatIsWrongIsSaidWithItsPlace)
{
    const auto offsetOf = [](std::string_view text) -> int64_t {
        const auto rules = MemoryRules::parse(text, "mine.json");
        EXPECT_FALSE(rules) << text;
        return rules || !rules.error().offset ? -1 : static_cast<int64_t>(*rules.error().offset);
    };
    for (const char *text :
         {"", "[]", "{", "{\"rules\": 3}", "{\"rules\": [{}]}", "{\"rules\": []} x", "{\"sets\": {}}",
          "{\"rules\": [{\"name\": \"a\", \"category\": \"b\", \"freed\": 1}]}",
          "{\"sets\": {\"a\": [\" @ x\"]}, \"rules\": []}", "{\"sets\": {\"a\": [], \"a\": []}, \"rules\": []}",
          "{\"rules\": [{\"name\": \"a\", \"category\": \"b\", \"sized_like\": \"c\", \"freed\": true}]}",
          "{\"rules\": [{\"name\": \"a\", \"category\": \"b\", \"sized_like\": \"c\", \"at_most_each\": 0}]}",
          "{\"colour\": 1}", "\"text", "{\"rules\": [{\"name\": \"\xff\"}]}"})
        EXPECT_GE(offsetOf(text), 0) << text;
    const std::string_view text =
        "{\"rules\": [{\"name\": \"a\", \"category\": \"b\", \"allocated_in\": [\"nowhere\"]}]}";
    const auto rules = MemoryRules::parse(text, "mine.json");
    ASSERT_FALSE(rules);
    EXPECT_NE(rules.error().message.find("'nowhere'"), std::string::npos);
    EXPECT_NEAR(static_cast<double>(*rules.error().offset), static_cast<double>(text.find("nowhere")), 12);
    EXPECT_FALSE(MemoryRules::read("no such file"));
    EXPECT_FALSE(MemoryRules::read("/dev")) << "a folder";
}
