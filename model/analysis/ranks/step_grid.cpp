// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/ranks/step_grid.h"

#include "model/base/parallel.h"
#include "model/base/stopping.h"

#include <algorithm>
#include <cassert>
#include <map>
#include <utility>

namespace riffle {

namespace {

template <Column<int64_t> StepFigureTable::*Field>
int64_t figureIn(const StepFigureTable &steps, size_t row)
{
    return (steps.*Field)[row];
}

constexpr StepFigure kStepFigures[] = {
    {"duration_ns", "Length", "Duration of the step's mark.", CellKind::Time, figureIn<&StepFigureTable::duration>},
    {"own_work_ns", "Own work, at least",
     "Length less exposed communication and less the time that was not recorded. Waiting for other ranks is in the "
     "exposed communication.",
     CellKind::Time, ownWorkOf},
    {"busy_ns", "Busy", "Time in which any kernel, copy or memset ran on the device.", CellKind::Time,
     figureIn<&StepFigureTable::busy>},
    {"kernel_ns", "Kernels", "Time in which any kernel ran on the device, those of communication included.",
     CellKind::Time, figureIn<&StepFigureTable::kernelTime>},
    {"communication_ns", "Communication",
     "Time in which a collective or a transfer between ranks ran, waiting for other ranks included.", CellKind::Time,
     figureIn<&StepFigureTable::communication>},
    {"exposed_communication_ns", "Exposed communication",
     "Communication during which no other kernel ran on the device.", CellKind::Time,
     figureIn<&StepFigureTable::exposed>},
    {"host_wait_ns", "Wait for the device",
     "Time in which the step's thread was in calls that return when the device is done.", CellKind::Time,
     figureIn<&StepFigureTable::hostWait>},
    {"idle_ns", "Idle", "Time in which nothing ran on the device, although it was recorded.", CellKind::Time,
     figureIn<&StepFigureTable::idle>},
    {"not_recorded_ns", "Not recorded", "Time in which device work was not recorded.", CellKind::Time,
     figureIn<&StepFigureTable::missing>},
    {"memory_peak_bytes", "Memory peak", "The most bytes in use on the device, of the allocations that were recorded.",
     CellKind::Bytes, figureIn<&StepFigureTable::memoryPeak>},
};

using StepKey = std::pair<int64_t, uint32_t>; ///< the number of a step, 0 by place, and its occurrence

/// True if a row is about another device in the step of the row before.
bool isFurtherDevice(const StepFigureTable &steps, size_t row)
{
    return row > 0 && steps.start[row] == steps.start[row - 1] && steps.device[row] != steps.device[row - 1] &&
           steps.number[row] == steps.number[row - 1];
}

struct RankSteps {
    std::vector<StepKey> keys;
    std::vector<uint32_t> rows; ///< the first row of each
};

RankSteps stepsOfTable(const RankFacts &facts, bool isByPlace)
{
    const StepFigureTable &steps = facts.steps;
    RankSteps found;
    std::map<int64_t, uint32_t> seen;
    bool isAscending = true;
    for (size_t row = 0; row < steps.start.size(); ++row) {
        throwIfStoppedAt(row);
        if (isFurtherDevice(steps, row))
            continue;
        const int64_t number = isByPlace ? 0 : steps.number[row];
        isAscending = isAscending && !isByPlace && (found.keys.empty() || found.keys.back().first < number);
        uint32_t occurrence = isByPlace ? static_cast<uint32_t>(found.keys.size()) : 0;
        if (!isAscending && !isByPlace) {
            if (seen.empty())
                for (const StepKey &earlier : found.keys)
                    seen[earlier.first] = earlier.second + 1;
            occurrence = seen[number]++;
        }
        found.keys.emplace_back(number, occurrence);
        found.rows.push_back(static_cast<uint32_t>(row));
    }
    return found;
}

/// The lower median; the order of the values changes.
int64_t lowerMedian(std::vector<int64_t> &values)
{
    if (values.empty())
        return kNoInt;
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

} // namespace

std::span<const StepFigure> stepFigures() { return kStepFigures; }

const StepFigure *findStepFigure(std::string_view key)
{
    const auto *const found = std::ranges::find(kStepFigures, key, &StepFigure::key);
    return found == std::end(kStepFigures) ? nullptr : found;
}

int64_t ownWorkOf(const StepFigureTable &steps, size_t row)
{
    if (steps.duration[row] == kNoInt || steps.exposed[row] == kNoInt || steps.missing[row] == kNoInt)
        return kNoInt;
    return steps.duration[row] - steps.exposed[row] - steps.missing[row];
}

std::string GridStep::name() const
{
    if (!number)
        return "#" + std::to_string(occurrence + 1);
    return std::to_string(*number) + (occurrence ? " (" + std::to_string(occurrence + 1) + ")" : "");
}

StepGrid::StepGrid(std::vector<std::shared_ptr<const RankFacts>> ranks) : m_ranks(std::move(ranks))
{
    for (const auto &facts : m_ranks)
        if (facts)
            for (size_t row = 0; row < facts->steps.start.size(); ++row) {
                m_isByPlace |= facts->steps.number[row] == kNoInt;
                m_isMarked |= !(facts->steps.flags[row] & step_flag::Unmarked);
            }
    std::vector<RankSteps> own(m_ranks.size());
    parallelFor(m_ranks.size(), [&](size_t rank) {
        if (m_ranks[rank])
            own[rank] = stepsOfTable(*m_ranks[rank], m_isByPlace);
    });
    // Most ranks have the same steps as the one before.
    std::map<StepKey, uint32_t> columns;
    const std::vector<StepKey> *known = nullptr;
    for (const RankSteps &rank : own) {
        if (!known || rank.keys != *known)
            for (const StepKey &key : rank.keys)
                columns.try_emplace(key, 0);
        known = &rank.keys;
    }
    for (auto &[key, column] : columns) {
        column = static_cast<uint32_t>(m_steps.size());
        m_steps.push_back({m_isByPlace ? std::nullopt : std::optional(key.first), key.second});
    }
    m_rows.assign(m_ranks.size() * m_steps.size(), kNone);
    for (size_t rank = 0; rank < m_ranks.size(); ++rank) {
        throwIfStopped();
        auto next = columns.begin();
        for (size_t at = 0; at < own[rank].keys.size(); ++at) {
            if (next == columns.end() || next->first != own[rank].keys[at])
                next = columns.find(own[rank].keys[at]);
            m_rows[rank * m_steps.size() + next->second] = own[rank].rows[at];
            ++next;
        }
    }
}

uint32_t StepGrid::endRow(size_t rank, size_t column) const
{
    const uint32_t first = firstRow(rank, column);
    if (first == kNone)
        return kNone;
    const StepFigureTable &steps = m_ranks[rank]->steps;
    uint32_t end = first + 1;
    while (end < steps.start.size() && isFurtherDevice(steps, end))
        ++end;
    return end;
}

int64_t StepGrid::value(size_t rank, size_t column, const StepFigure &figure) const
{
    static_assert(kNoInt == INT64_MIN, "an unknown figure is less than any other");
    int64_t largest = kNoInt;
    for (uint32_t row = firstRow(rank, column), end = endRow(rank, column); row != end; ++row)
        largest = std::max(largest, figure.of(m_ranks[rank]->steps, row));
    return largest;
}

std::vector<int64_t> StepGrid::values(const StepFigure &figure) const
{
    std::vector<int64_t> all(m_rows.size(), kNoInt);
    parallelFor(m_ranks.size(), [&](size_t rank) {
        for (size_t column = 0; column < m_steps.size(); ++column)
            all[rank * m_steps.size() + column] = value(rank, column, figure);
    });
    return all;
}

uint8_t StepGrid::flags(size_t rank, size_t column) const
{
    const uint32_t row = firstRow(rank, column);
    return row == kNone ? uint8_t{0} : m_ranks[rank]->steps.flags[row];
}

uint32_t StepGrid::columnAt(size_t rank, Ns time) const
{
    uint32_t best = kNone;
    Ns nearest = 0;
    for (uint32_t column = 0; column < m_steps.size(); ++column) {
        const uint32_t row = firstRow(rank, column);
        if (row == kNone)
            continue;
        const Ns begin = m_ranks[rank]->steps.start[row];
        const Ns end = saturatedSum(begin, m_ranks[rank]->steps.duration[row]);
        const Ns away = time < begin ? begin - time : time < end ? 0 : time - end + 1;
        if (best == kNone || away <= nearest) {
            best = column;
            nearest = away;
        }
    }
    return best;
}

bool isTypical(uint8_t flags) { return !(flags & (step_flag::Unfinished | step_flag::Cut | step_flag::FarLonger)); }

std::vector<int64_t> medianOfRanks(const StepGrid &grid, std::span<const int64_t> values)
{
    assert(values.size() == grid.ranks() * grid.steps());
    std::vector<int64_t> medians;
    for (size_t rank = 0; rank < grid.ranks(); ++rank) {
        throwIfStopped();
        std::vector<int64_t> typical, all;
        for (size_t column = 0; column < grid.steps(); ++column) {
            const int64_t value = values[rank * grid.steps() + column];
            if (value == kNoInt)
                continue;
            all.push_back(value);
            if (isTypical(grid.flags(rank, column)))
                typical.push_back(value);
        }
        medians.push_back(lowerMedian(typical.empty() ? all : typical));
    }
    return medians;
}

std::vector<int64_t> medianOfSteps(const StepGrid &grid, std::span<const int64_t> values)
{
    assert(values.size() == grid.ranks() * grid.steps());
    std::vector<int64_t> medians;
    for (size_t column = 0; column < grid.steps(); ++column) {
        throwIfStopped();
        std::vector<int64_t> known;
        for (size_t rank = 0; rank < grid.ranks(); ++rank)
            if (const int64_t value = values[rank * grid.steps() + column]; value != kNoInt)
                known.push_back(value);
        medians.push_back(lowerMedian(known));
    }
    return medians;
}

} // namespace riffle
