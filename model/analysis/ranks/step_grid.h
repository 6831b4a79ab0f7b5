// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/table/result_table.h"
#include "model/trace/run/rank_facts.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace riffle {

/// A figure of a step by which ranks are compared.
struct StepFigure {
    const char *key; ///< the same as in the view run-steps
    const char *title;
    const char *meaning;                                     ///< a sentence
    CellKind unit;                                           ///< Time or Bytes
    int64_t (*of)(const StepFigureTable &steps, size_t row); ///< reads as few columns as possible
};
/// The first one is the length.
std::span<const StepFigure> stepFigures();
const StepFigure *findStepFigure(std::string_view key); ///< null if there is none

/// The length less exposed communication and less the time that was not recorded: what a rank did itself, at least.
/// Waiting for other ranks is in the exposed communication. kNoInt if one of them is not known.
int64_t ownWorkOf(const StepFigureTable &steps, size_t row);

/// A step of a run, as several ranks recorded it. Steps of ranks are the same if they have the same number and are the
/// n-th ones of their rank with it; if steps of any rank have no number, the n-th steps of all ranks are the same.
struct GridStep {
    std::optional<int64_t> number;
    uint32_t occurrence = 0; ///< of the number, or of a step at all
    /// "12"; "12 (2)" if it is not the first one with its number; "#3" without a number.
    std::string name() const;
    bool operator==(const GridStep &) const = default;
};

/// The steps of some ranks, each in its column, and the rows that they have in the ranks' tables.
class StepGrid {
public:
    static constexpr uint32_t kNone = UINT32_MAX;

    StepGrid() = default;
    /// A rank that is not known has null for its facts, and no steps.
    explicit StepGrid(std::vector<std::shared_ptr<const RankFacts>> ranks);

    size_t ranks() const { return m_ranks.size(); }
    size_t steps() const { return m_steps.size(); }
    const GridStep &step(size_t column) const { return m_steps[column]; }
    /// True if steps are compared by their place, because some have no number.
    bool isByPlace() const { return m_isByPlace; }
    /// False if no rank marks steps, so that each has one about everything.
    bool isMarked() const { return m_isMarked; }
    const RankFacts *facts(size_t rank) const { return m_ranks[rank].get(); }
    /// kNone if the rank lacks the step.
    uint32_t firstRow(size_t rank, size_t column) const { return m_rows[rank * m_steps.size() + column]; }
    /// The rows of a step are [firstRow, endRow), one per device.
    uint32_t endRow(size_t rank, size_t column) const;
    /// The largest figure of the devices of a rank in a step; kNoInt if none is known.
    int64_t value(size_t rank, size_t column, const StepFigure &figure) const;
    /// The values of all ranks in all steps, rank by rank.
    std::vector<int64_t> values(const StepFigure &figure) const;
    /// The flags (step_flag) of the first device of a step; 0 if the rank lacks it.
    uint8_t flags(size_t rank, size_t column) const;
    /// The column of the step that a rank was in at a time of its own clock, or that is nearest; kNone without steps.
    uint32_t columnAt(size_t rank, Ns time) const;

private:
    std::vector<std::shared_ptr<const RankFacts>> m_ranks;
    std::vector<GridStep> m_steps;
    std::vector<uint32_t> m_rows;
    bool m_isByPlace = false, m_isMarked = false;
};

/// True if a step with these flags counts in medians and scales: it has an end, is whole and no far longer first one.
bool isTypical(uint8_t flags);

/// For each rank, the median of its typical steps, or of all steps if none is typical; kNoInt if no value is known.
std::vector<int64_t> medianOfRanks(const StepGrid &grid, std::span<const int64_t> values);
/// For each column, the median of the values that are known; kNoInt without any. Of an even number, it is the lower of
/// the two in the middle.
std::vector<int64_t> medianOfSteps(const StepGrid &grid, std::span<const int64_t> values);

} // namespace riffle
