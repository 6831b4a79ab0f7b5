// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/ranks/step_grid.h"

#include "model/analysis/ranks/first_stragglers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

namespace riffle {
namespace {

StepFigures figuresOf(int64_t number, Ns start, Ns duration, Ns exposed, int32_t device = 0)
{
    StepFigures row = unknownStepFigures();
    row.number = number;
    row.start = start;
    row.duration = duration;
    row.exposed = exposed;
    row.missing = 0;
    row.device = device;
    row.mark = static_cast<uint32_t>(start);
    return row;
}

std::shared_ptr<const RankFacts> factsWith(const std::vector<StepFigures> &rows)
{
    auto facts = std::make_shared<RankFacts>();
    facts->steps = stepFigureTable(rows);
    return facts;
}

std::vector<std::string> namesOf(const StepGrid &grid)
{
    std::vector<std::string> names;
    for (size_t column = 0; column < grid.steps(); ++column)
        names.push_back(grid.step(column).name());
    return names;
}

int64_t ownWork(const StepGrid &grid, size_t rank, size_t column)
{
    return grid.value(rank, column, *findStepFigure("own_work_ns"));
}

TEST(StepGrid, StepsMeetByTheirNumbers)
{
    const StepGrid grid({factsWith({figuresOf(3, 0, 10, 1), figuresOf(4, 10, 20, 2)}), nullptr,
                         factsWith({figuresOf(4, 500, 30, 4), figuresOf(5, 530, 40, 5)})});
    EXPECT_EQ(namesOf(grid), (std::vector<std::string>{"3", "4", "5"}));
    EXPECT_FALSE(grid.isByPlace());
    EXPECT_EQ(grid.firstRow(0, 2), StepGrid::kNone);
    EXPECT_EQ(grid.firstRow(1, 1), StepGrid::kNone) << "a rank that is not known";
    EXPECT_EQ(ownWork(grid, 0, 1), 18);
    EXPECT_EQ(ownWork(grid, 2, 1), 26);
    EXPECT_EQ(ownWork(grid, 2, 0), kNoInt);
    EXPECT_EQ(grid.columnAt(0, 15), 1u);
    EXPECT_EQ(grid.columnAt(0, 10'000), 1u) << "the nearest one";
    EXPECT_EQ(grid.columnAt(1, 0), StepGrid::kNone);
}

TEST(StepGrid, AStepWithoutANumberMakesPlacesCount)
{
    const StepGrid grid({factsWith({figuresOf(7, 0, 10, 0), figuresOf(8, 10, 10, 0)}),
                         factsWith({figuresOf(kNoInt, 0, 5, 0), figuresOf(9, 10, 6, 0), figuresOf(10, 20, 7, 0)})});
    EXPECT_TRUE(grid.isByPlace());
    EXPECT_EQ(namesOf(grid), (std::vector<std::string>{"#1", "#2", "#3"}));
    EXPECT_EQ(ownWork(grid, 0, 1), 10);
    EXPECT_EQ(ownWork(grid, 1, 1), 6);
    EXPECT_EQ(ownWork(grid, 0, 2), kNoInt);
}

TEST(StepGrid, ANumberThatComesAgainIsAnotherStep)
{
    const StepGrid grid({factsWith({figuresOf(2, 0, 1, 0), figuresOf(1, 10, 2, 0), figuresOf(2, 20, 3, 0)}),
                         factsWith({figuresOf(1, 0, 4, 0), figuresOf(2, 10, 5, 0)})});
    EXPECT_EQ(namesOf(grid), (std::vector<std::string>{"1", "2", "2 (2)"}));
    EXPECT_EQ(ownWork(grid, 0, 0), 2);
    EXPECT_EQ(ownWork(grid, 0, 1), 1);
    EXPECT_EQ(ownWork(grid, 0, 2), 3);
    EXPECT_EQ(ownWork(grid, 1, 2), kNoInt);
}

/// Compares the grid with maps from steps to figures, for ranks with any steps and devices.
TEST(StepGrid, ValuesAndMediansAreThoseOfANaiveComputation)
{
    std::mt19937 random(5);
    for (int round = 0; round < 60; ++round) {
        std::vector<std::shared_ptr<const RankFacts>> ranks;
        std::vector<std::map<int64_t, int64_t>> expected; // by number: the most own work of the devices
        std::map<int64_t, std::vector<int64_t>> byStep;
        const size_t count = 1 + random() % 9;
        for (size_t rank = 0; rank < count; ++rank) {
            std::vector<StepFigures> rows;
            auto &own = expected.emplace_back();
            Ns start = 0;
            for (int64_t number = 0; number < 12; ++number) {
                if (random() % 4 == 0)
                    continue;
                const Ns duration = 100 + static_cast<Ns>(random() % 100);
                for (int32_t device = 0; device <= static_cast<int32_t>(random() % 3); ++device) {
                    StepFigures row = figuresOf(number, start, duration, static_cast<Ns>(random() % 50), device);
                    if (random() % 6 == 0)
                        row.exposed = kNoInt;
                    rows.push_back(row);
                    const int64_t value = row.exposed == kNoInt ? kNoInt : duration - row.exposed;
                    own[number] = own.contains(number) ? std::max(own[number], value) : value;
                }
                if (own[number] != kNoInt)
                    byStep[number].push_back(own[number]);
                start += duration;
            }
            ranks.push_back(factsWith(rows));
        }
        const StepGrid grid(ranks);
        const std::vector<int64_t> values = grid.values(*findStepFigure("own_work_ns"));
        const std::vector<int64_t> medians = medianOfSteps(grid, values), ofRanks = medianOfRanks(grid, values);
        for (size_t column = 0; column < grid.steps(); ++column) {
            const int64_t number = grid.step(column).number.value();
            for (size_t rank = 0; rank < count; ++rank) {
                const auto found = expected[rank].find(number);
                ASSERT_EQ(values[rank * grid.steps() + column], found == expected[rank].end() ? kNoInt : found->second);
            }
            std::vector<int64_t> &known = byStep[number];
            std::ranges::sort(known);
            ASSERT_EQ(medians[column], known.empty() ? kNoInt : known[(known.size() - 1) / 2]);
        }
        for (size_t rank = 0; rank < count; ++rank) {
            std::vector<int64_t> known;
            for (const auto &[number, value] : expected[rank])
                if (value != kNoInt)
                    known.push_back(value);
            std::ranges::sort(known);
            ASSERT_EQ(ofRanks[rank], known.empty() ? kNoInt : known[(known.size() - 1) / 2]);
        }
    }
}

TEST(StepGrid, AFirstStepThatIsFarLongerIsNoMeasureOfItsRank)
{
    StepFigures first = figuresOf(0, 0, 900, 0);
    first.flags = step_flag::FarLonger;
    const StepGrid grid({factsWith({first, figuresOf(1, 900, 10, 0)}), factsWith({first})});
    const StepFigure &length = stepFigures().front();
    EXPECT_EQ(medianOfRanks(grid, grid.values(length)), (std::vector<int64_t>{10, 900})) << "unless it has no other";
}

TEST(FirstStragglers, NamesTheRankWithTheMostOwnWork)
{
    const StepGrid grid({factsWith({figuresOf(1, 0, 100, 40), figuresOf(2, 100, 100, 30)}),
                         factsWith({figuresOf(1, 5, 100, 10), figuresOf(2, 105, 100, 35)}),
                         factsWith({figuresOf(1, 7, 100, 50), figuresOf(2, 107, 100, 60), figuresOf(3, 207, 9, 0)})});
    const std::vector<TraceId> members{TraceId(4), TraceId(2), TraceId(9)};
    const std::vector<std::string> titles{"Rank 0", "Rank 1", "Rank 2"};
    const ResultTable table = firstStragglers(grid, members, titles);
    ASSERT_TRUE(table.isRectangular());
    ASSERT_EQ(table.rows(), 2u) << "one rank alone has step 3";
    EXPECT_EQ(table.column("step")->texts, (std::vector<std::string>{"1", "2"}));
    EXPECT_EQ(table.column("rank")->texts, (std::vector<std::string>{"Rank 1", "Rank 0"}));
    EXPECT_EQ(table.column("own_work_ns")->integers, (std::vector<int64_t>{90, 70}));
    EXPECT_EQ(table.column("median_ns")->integers, (std::vector<int64_t>{60, 65}));
    EXPECT_EQ(table.column("more_ns")->integers, (std::vector<int64_t>{30, 5}));
    EXPECT_DOUBLE_EQ(table.column("share")->numbers[0], 0.3);
    EXPECT_EQ(table.evidence[0], (SliceRef{TraceId(2), SliceId(5)})) << "the mark of the step";
    EXPECT_EQ(table.notes[0],
              "Rank 0 has the most own work, and 2 % of the step or more above the median, in 1 of 2 steps.");
    const StepGrid equal({factsWith({figuresOf(1, 0, 100, 40)}), factsWith({figuresOf(1, 5, 100, 40)})});
    EXPECT_TRUE(firstStragglers(equal, std::span(members).first(2), std::span(titles).first(2))
                    .notes[0]
                    .starts_with("In no step has a rank more own work"));
    EXPECT_FALSE(firstStragglers(StepGrid({nullptr}), std::vector{TraceId(0)}, std::vector<std::string>{"Rank 0"})
                     .absence.empty());
}

} // namespace
} // namespace riffle
