// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/ranks/ranks_answer.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

namespace riffle {

namespace {

/// The smallest and the largest of some values.
class Scale {
public:
    void add(int64_t value)
    {
        if (value == kNoInt)
            return;
        m_low = std::min(m_low.value_or(value), value);
        m_high = std::max(m_high.value_or(value), value);
    }
    bool empty() const { return !m_low; }
    std::optional<int64_t> high() const { return m_high; }
    /// Differences contain 0; other values that are nearly equal look so.
    std::pair<int64_t, int64_t> ends(bool isDifference) const
    {
        if (empty())
            return {0, 0};
        if (isDifference)
            return {std::min<int64_t>(*m_low, 0), std::max<int64_t>(*m_high, 0)};
        return {*m_low, std::max(*m_high, saturatedSum(*m_low, *m_low / 10))};
    }

private:
    std::optional<int64_t> m_low, m_high;
};

} // namespace

RankFigures rankFigures(const StepGrid &grid, const StepFigure &figure, bool isDifference)
{
    std::vector<int64_t> values = grid.values(figure);
    if (isDifference) {
        const std::vector<int64_t> medians = medianOfSteps(grid, values);
        for (size_t at = 0; at < values.size(); ++at)
            if (values[at] != kNoInt)
                values[at] -= medians[at % grid.steps()];
    }
    RankFigures answer;
    answer.ofRanks = medianOfRanks(grid, values);
    Scale typical, all, ranks;
    for (size_t rank = 0; rank < grid.ranks(); ++rank) {
        ranks.add(answer.ofRanks[rank]);
        for (size_t column = 0; column < grid.steps(); ++column) {
            const int64_t value = values[rank * grid.steps() + column];
            all.add(value);
            if (isTypical(grid.flags(rank, column)))
                typical.add(value);
        }
    }
    answer.isAnyKnown = !all.empty();
    std::tie(answer.low, answer.high) = (typical.empty() ? all : typical).ends(isDifference);
    answer.isBeyond = answer.isAnyKnown && *all.high() > answer.high;
    std::tie(answer.rankLow, answer.rankHigh) = ranks.ends(isDifference);
    answer.values = std::make_shared<const std::vector<int64_t>>(std::move(values));
    return answer;
}

} // namespace riffle
