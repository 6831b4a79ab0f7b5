// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/trace/import_report.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <set>

namespace riffle {
namespace {

constexpr auto kKinds = static_cast<size_t>(Trouble::Count);

TEST(ImportReportTest, EveryKindHasANameOfItsOwn)
{
    std::set<std::string> names;
    for (size_t kind = 0; kind < kKinds; ++kind) {
        const std::string name = ImportReport::name(static_cast<Trouble>(kind));
        EXPECT_TRUE(names.insert(name).second) << name;
        EXPECT_EQ(name.find_first_not_of("abcdefghijklmnopqrstuvwxyz_0123456789"), std::string::npos) << name;
        EXPECT_GT(std::string_view(ImportReport::sentence(static_cast<Trouble>(kind))).size(), 10u) << name;
    }
    // The order of the table is that of the kinds.
    EXPECT_STREQ(ImportReport::name(Trouble::BrokenEvent), "broken_event");
    EXPECT_STREQ(ImportReport::name(Trouble::UnmatchedEnd), "unmatched_end");
    EXPECT_STREQ(ImportReport::name(Trouble::BareWord), "bare_word");
    EXPECT_STREQ(ImportReport::name(Trouble::UnboundFlow), "unbound_flow");
    EXPECT_STREQ(ImportReport::name(Trouble::LimitReached), "limit_reached");
    EXPECT_STREQ(severityName(Severity::Repaired), "repaired");
}

/// One entry that is added to a report, to be counted by a walk.
struct Added {
    Trouble kind;
    uint64_t offset;
    uint64_t count;
};

void expectCounts(const ImportReport &report, const std::vector<Added> &all)
{
    std::map<Severity, uint64_t> totals;
    for (size_t index = 0; index < kKinds; ++index) {
        const auto kind = static_cast<Trouble>(index);
        uint64_t count = 0;
        std::vector<uint64_t> offsets;
        for (const Added &added : all)
            if (added.kind == kind) {
                count += added.count;
                offsets.push_back(added.offset);
            }
        totals[ImportReport::severity(kind)] += count;
        std::sort(offsets.begin(), offsets.end());
        offsets.resize(std::min(offsets.size(), ImportReport::kExamples));
        EXPECT_EQ(report.of(kind).count, count);
        ASSERT_EQ(report.of(kind).examples.size(), offsets.size());
        for (size_t at = 0; at < offsets.size(); ++at) {
            EXPECT_EQ(report.of(kind).examples[at].offset, offsets[at]);
            EXPECT_EQ(report.of(kind).examples[at].text, "text " + std::to_string(offsets[at]));
        }
    }
    for (const auto severity : {Severity::Note, Severity::Repaired, Severity::Lost})
        EXPECT_EQ(report.total(severity), totals[severity]);
    EXPECT_EQ(report.empty(), all.empty());
}

TEST(ImportReportTest, PartsInAnyOrderMakeTheSameWhole)
{
    std::mt19937 random(8);
    for (int round = 0; round < 200; ++round) {
        std::vector<Added> all;
        std::vector<ImportReport> parts(1 + random() % 5);
        for (size_t left = random() % 60; left > 0; --left) {
            const Added added{static_cast<Trouble>(random() % (round % 2 ? 3 : kKinds)), random() % 40,
                              1 + random() % 3};
            parts[random() % parts.size()].add(added.kind, added.offset, "text " + std::to_string(added.offset),
                                               added.count);
            all.push_back(added);
        }
        ImportReport whole;
        std::shuffle(parts.begin(), parts.end(), random);
        for (const ImportReport &part : parts)
            whole.merge(part);
        expectCounts(whole, all);
        whole.clear();
        expectCounts(whole, {});
    }
}

TEST(ImportReportTest, ExamplesAreCut)
{
    ImportReport report;
    report.add(Trouble::BrokenEvent, 3, std::string(10'000, 'x'));
    report.add(Trouble::BrokenEvent, 4, {});
    EXPECT_EQ(report.of(Trouble::BrokenEvent).examples[0].text, std::string(ImportReport::kExampleBytes, 'x'));
    EXPECT_EQ(report.of(Trouble::BrokenEvent).examples[1].text, "");
}

} // namespace
} // namespace riffle
