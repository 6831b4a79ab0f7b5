// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/trace/growth/launches_growth.h"

#include "model/trace/growth/column_pack.h"

#include <numeric>
#include <tuple>
#include <utility>

namespace riffle {

void LaunchesGrowth::Members::add(const Member &member)
{
    if (empty())
        first = member;
    else
        others.push_back(member);
}

SliceId LaunchesGrowth::Entry::launch() const
{
    Member earliest = calls.first;
    const auto order = [](const Member &call) { return std::tuple(call.start, call.lane, call.offset); };
    for (const Member &call : calls.others)
        if (order(call) < order(earliest))
            earliest = call;
    return earliest.slice;
}

LaunchesGrowth::Entry &LaunchesGrowth::entry(int64_t correlation, Ns start)
{
    const auto [found, isNew] = m_waiting.try_emplace(correlation);
    if (isNew) {
        if (m_groups.empty() || m_groups.back().entries.size() >= kGroupEntries)
            m_groups.emplace_back().entries.reserve(kGroupEntries);
        found->second = {m_firstGroup + m_groups.size() - 1, static_cast<uint32_t>(m_groups.back().entries.size())};
        m_groups.back().entries.emplace_back().correlation = correlation;
    }
    Group &group = m_groups[found->second.group - m_firstGroup];
    Entry &entry = group.entries[found->second.entry];
    group.made.reset();
    group.lastStart = std::max(group.lastStart, start);
    return entry;
}

void LaunchesGrowth::addCall(int64_t correlation, const Member &call)
{
    entry(correlation, call.start).calls.add(call);
}

void LaunchesGrowth::addWork(int64_t correlation, const Member &work)
{
    entry(correlation, work.start).works.add(work);
}

void LaunchesGrowth::leave()
{
    while (m_waiting.size() > kMostWaiting) {
        const Group group = std::move(m_groups.front());
        m_groups.pop_front();
        ++m_firstGroup;
        for (const Entry &entry : group.entries) {
            m_waiting.erase(entry.correlation);
            if (entry.calls.empty())
                entry.works.visit(
                    [&](const Member &work) { m_report.add(Trouble::LaunchlessKernel, work.offset, {}); });
        }
        m_final.push_back({group.made ? group.made : made(group), group.lastStart, 0});
    }
}

std::shared_ptr<const LaunchLinks::Run> LaunchesGrowth::made(const Group &group) const
{
    std::vector<Link> links;
    for (const Entry &entry : group.entries)
        if (const SliceId launch = entry.works.empty() ? SliceId() : entry.launch(); launch.valid())
            entry.works.visit([&](const Member &work) { links.push_back({work.slice.value, launch.value}); });
    return ordered(std::move(links), nullptr);
}

std::shared_ptr<const LaunchLinks::Run> LaunchesGrowth::ordered(std::vector<Link> links, GrowthMemory *memory)
{
    std::ranges::sort(links, {}, &Link::work);
    ColumnPack pack(memory);
    for (int column = 0; column < 3; ++column)
        pack.reserve<uint32_t>(links.size());
    if (!pack.allocate())
        return nullptr;
    auto run = std::make_shared<Run>();
    run->work = pack.filled<uint32_t>(links.size(), [&](size_t row) { return links[row].work; });
    run->launch = pack.filled<uint32_t>(links.size(), [&](size_t row) { return links[row].launch; });
    const std::span<uint32_t> byLaunch = pack.take<uint32_t>(links.size());
    std::iota(byLaunch.begin(), byLaunch.end(), 0u);
    std::ranges::sort(byLaunch, {}, [&](uint32_t row) { return std::pair(links[row].launch, row); });
    run->byLaunch = pack.column(byLaunch);
    return run;
}

LaunchLinks LaunchesGrowth::links()
{
    leave();
    takeMerged();
    mergeFinal();
    std::vector<std::shared_ptr<const Run>> runs;
    for (const FinalRun &one : m_final)
        runs.push_back(one.run);
    for (Group &group : m_groups) {
        if (!group.made)
            group.made = made(group);
        runs.push_back(group.made);
    }
    std::erase_if(runs, [](const auto &run) { return run->size() == 0; });
    return LaunchLinks(std::move(runs));
}

void LaunchesGrowth::mergeFinal()
{
    constexpr size_t kMerged = 16;
    constexpr uint32_t kLevels = 3;
    for (size_t end = m_final.size(); end >= kMerged && !m_merge;) {
        size_t first = end;
        while (first > 0 && m_final[first - 1].level == m_final[end - 1].level)
            --first;
        if (end - first >= kMerged && m_final[first].level < kLevels) {
            size_t size = 0;
            for (size_t at = first; at < first + kMerged; ++at) {
                m_merging.push_back(m_final[at].run);
                size += m_final[at].run->size();
            }
            m_merge = m_merger.start<Run>(size, [runs = m_merging, &memory = m_memory] {
                std::vector<Link> links;
                for (const auto &run : runs)
                    for (size_t row = 0; row < run->work.size(); ++row)
                        links.push_back({run->work[row], run->launch[row]});
                return ordered(std::move(links), &memory);
            });
            takeMerged();
            return;
        }
        end = first;
    }
}

void LaunchesGrowth::takeMerged()
{
    if (!m_merge || !m_merge->isDone())
        return;
    const auto merge = std::exchange(m_merge, nullptr);
    const auto from = std::exchange(m_merging, {});
    const auto first = std::ranges::search(m_final, from, {}, &FinalRun::run).begin();
    const std::shared_ptr<const Run> result = merge->result();
    if (!result || first == m_final.end())
        return;
    const auto last = first + static_cast<std::ptrdiff_t>(from.size());
    Ns lastStart = INT64_MIN;
    for (auto one = first; one != last; ++one)
        lastStart = std::max(lastStart, one->lastStart);
    *first = {result, lastStart, first->level + 1};
    m_final.erase(first + 1, last);
}

void LaunchesGrowth::leaveBefore(Ns time)
{
    std::erase_if(m_final, [&](const FinalRun &one) { return one.lastStart < time; });
}

void LaunchesGrowth::report(ImportReport &report, bool all) const
{
    report.merge(m_report);
    if (!all)
        return;
    for (const Group &group : m_groups)
        for (const Entry &entry : group.entries)
            if (entry.calls.empty())
                entry.works.visit([&](const Member &work) { report.add(Trouble::LaunchlessKernel, work.offset, {}); });
}

} // namespace riffle
