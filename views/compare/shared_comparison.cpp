// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/compare/shared_comparison.h"

#include "model/base/stopping.h"

#include <utility>

namespace riffle {

SharedComparison::SharedComparison(std::shared_ptr<const SetFacts> facts, std::array<SideChoice, 2> choices)
    : m_facts(std::move(facts))
    , m_choices(std::move(choices))
{
}

template <typename Answer>
std::optional<Answer> SharedComparison::inTurn(const std::stop_token &stop, const std::function<Answer()> &compute)
{
    {
        std::unique_lock lock(m_lock);
        if (!m_free.wait(lock, stop, [this] { return !m_isBusy; }))
            return std::nullopt;
        m_isBusy = true;
    }
    struct Release { // also if the work throws
        SharedComparison *owner;
        ~Release()
        {
            {
                const std::scoped_lock lock(owner->m_lock);
                owner->m_isBusy = false;
            }
            owner->m_free.notify_one();
        }
    } const release{this};
    return untilStopped(stop, compute);
}

void SharedComparison::findParts()
{
    if (m_parts)
        return;
    ComparedParts parts;
    for (const size_t side : {size_t{0}, size_t{1}}) {
        const SideChoice &choice = m_choices[side];
        if (!m_facts->set().find(choice.trace)) {
            const TraceMember *member = m_facts->set().member(choice.trace);
            const bool hasFailed = member && member->state == MemberState::Failed;
            const std::string why = hasFailed ? " could not be read. " + member->why : " is not loaded.";
            m_parts = Error{(side ? "B" : "A") + why, {}, std::nullopt, ErrorKind::Question};
            return;
        }
        auto found = comparedSide(*m_facts, choice.trace, choice.request, side ? "B" : "A");
        if (!found) {
            m_parts = found.error();
            return;
        }
        parts.sides[side] = std::move(*found);
    }
    for (ComparedSide &side : parts.sides) // each side is a run of one rank, as for riffle-cli diff
        side.ranks.push_back({m_facts->set().member(side.trace)->rank.value_or(0), side.median});
    m_comparison.emplace(*m_facts, parts.sides[0], parts.sides[1]);
    for (const size_t side : {size_t{0}, size_t{1}})
        parts.spans[side] = m_comparison->spanOf(side);
    m_parts = std::move(parts);
}

std::optional<SharedComparison::Parts> SharedComparison::parts(const std::stop_token &stop)
{
    return inTurn<Parts>(stop, [this] {
        findParts();
        return *m_parts;
    });
}

std::optional<ResultTable> SharedComparison::table(const CompareView &view, const std::stop_token &stop)
{
    return inTurn<ResultTable>(stop, [&] {
        findParts();
        ResultTable nothing;
        if (!*m_parts) {
            nothing.absence = m_parts->error().text();
            return nothing;
        }
        auto table = m_comparison->table(view, Task{stop, nullptr});
        throwIfStopped();
        if (table)
            return std::move(*table);
        nothing.absence = table.error().text();
        return nothing;
    });
}

std::optional<ComparedLanes> SharedComparison::lanes(const std::stop_token &stop)
{
    return inTurn<ComparedLanes>(stop, [this] {
        findParts();
        if (!*m_parts)
            return ComparedLanes();
        const DeviceComparison &work = m_comparison->work();
        return ComparedLanes{differenceBands(work), PartnerSlices(work), work.counts()};
    });
}

} // namespace riffle
