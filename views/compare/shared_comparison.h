// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/compare/compare.h"
#include "model/analysis/compare/difference_bands.h"

#include <array>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

namespace riffle {

/// One side of a comparison, as the user chose it.
struct SideChoice {
    TraceId trace;
    SideRequest request;
    bool operator==(const SideChoice &) const = default;
};

/// The median step of a trace whose steps have this mark (SideRequest::stepMark).
inline SideChoice medianStepOf(TraceId trace, std::string stepMark)
{
    SideChoice choice;
    choice.trace = trace;
    choice.request.stepMark = std::move(stepMark);
    return choice;
}

/// The parts that are compared, found from the choice.
struct ComparedParts {
    std::array<ComparedSide, 2> sides; ///< A, B
    std::array<TimeSpan, 2> spans;     ///< what they cover, in the traces' own times
};

/// The part of a comparison that the lanes show, and which slices are partners.
struct ComparedLanes {
    DifferenceBands bands;
    PartnerSlices partners;
    DeviceComparison::Counts counts;
};

/// A comparison of two parts of loaded traces that several jobs ask. Each answer is computed by the job that asks for
/// it first; the others wait for their turn, unless they are stopped. The questions return nothing if the job was
/// stopped.
class SharedComparison {
public:
    SharedComparison(std::shared_ptr<const SetFacts> facts, std::array<SideChoice, 2> choices);

    /// The members, whose traces stay in memory as long as the comparison.
    const TraceSet &set() const { return m_facts->set(); }
    using Parts = Result<ComparedParts>;
    /// An Error says which steps or times a trace does not have.
    std::optional<Parts> parts(const std::stop_token &stop);
    /// The table of a view. Without parts, it says why there are none.
    std::optional<ResultTable> table(const CompareView &view, const std::stop_token &stop);
    std::optional<ComparedLanes> lanes(const std::stop_token &stop);

private:
    /// Waits until nobody else computes; false if the job is stopped.
    template <typename Answer>
    std::optional<Answer> inTurn(const std::stop_token &stop, const std::function<Answer()> &compute);
    void findParts();

    const std::shared_ptr<const SetFacts> m_facts;
    const std::array<SideChoice, 2> m_choices;
    std::mutex m_lock;
    std::condition_variable_any m_free;
    bool m_isBusy = false;
    std::optional<Parts> m_parts;
    std::optional<Comparison> m_comparison; ///< of m_parts, if there are any
};

} // namespace riffle
