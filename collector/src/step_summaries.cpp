// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/src/step_summaries.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <iterator>
#include <string>

namespace riffle::collector {

bool StepSummaries::isWait(std::string_view call)
{
    const bool copies = call.starts_with("cudaMemcpy") || call.starts_with("cuMemcpy");
    return call.find("Synchronize") != call.npos || (copies && call.find("Async") == call.npos);
}

bool StepSummaries::communicates(std::string_view kernel)
{
    std::string lower(kernel);
    std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
    constexpr std::array kLibraries{"nccl", "rccl", "hccl", "oneccl", "mccl"};
    return std::any_of(kLibraries.begin(), kLibraries.end(),
                       [&](const char *name) { return lower.find(name) != lower.npos; });
}

bool StepSummaries::isWanted(int64_t end) const
{
    return std::any_of(m_ended.begin(), m_ended.end(), [&](const Step &step) { return end > step.start; }) ||
           std::any_of(m_open.begin(), m_open.end(), [&](const auto &open) { return end > open.second; });
}

void StepSummaries::merge(Spans &spans)
{
    std::sort(spans.begin(), spans.end());
    size_t count = 0;
    for (const Span &span : spans) {
        if (count > 0 && span.start <= spans[count - 1].end)
            spans[count - 1].end = std::max(spans[count - 1].end, span.end);
        else
            spans[count++] = span;
    }
    spans.resize(count);
}

void StepSummaries::add(Spans &spans, Span span)
{
    if (spans.size() >= kMost) {
        merge(spans);
        if (spans.size() > kMost / 2) { // too many even so: the steps until now are without these figures
            m_incomplete = std::max(m_incomplete, span.end);
            spans.clear();
        }
    }
    spans.push_back(span);
}

void StepSummaries::operatorEnds(uint32_t thread, int64_t start, int64_t end)
{
    m_hasOperators = true;
    const auto open = m_open.find(thread);
    if (open == m_open.end() || end <= open->second || m_threads.size() >= kMostThreads)
        return;
    // Operators that are inside this one ended before it.
    Spans &operators = m_threads[thread].operators;
    while (!operators.empty() && operators.back().start >= start)
        operators.pop_back();
    add(operators, {start, end});
}

void StepSummaries::waits(uint32_t thread, int64_t start, int64_t end)
{
    if (isWanted(end) && m_threads.size() < kMostThreads)
        add(m_threads[thread].waits, {start, end});
}

void StepSummaries::works(int64_t device, Work work, int64_t start, int64_t end)
{
    m_hasCuda = true;
    if (m_devices.size() >= kMostThreads)
        return;
    Device &of = m_devices[device];
    if (isWanted(end))
        add(work == Work::Compute         ? of.compute
            : work == Work::Communication ? of.communication
                                          : of.copies,
            {start, end});
}

void StepSummaries::allocates(int64_t device, int64_t time, int64_t bytesInUse)
{
    m_hasCuda = true;
    if (m_devices.size() >= kMostThreads)
        return;
    std::vector<Use> &memory = m_devices[device].memory;
    // Outside of steps only the latest value counts, for the start of the next step.
    if (!isWanted(time))
        memory.clear();
    if (memory.size() >= kMost) {
        m_incomplete = std::max(m_incomplete, time);
        memory.clear();
    }
    memory.push_back({time, bytesInUse});
}

void StepSummaries::gapBegins(int64_t time)
{
    constexpr size_t kMostGaps = 4096;
    if (m_gaps.size() >= kMostGaps)
        m_gaps.erase(m_gaps.begin());
    if (m_gaps.empty() || m_gaps.back().end != INT64_MAX)
        m_gaps.push_back({time, INT64_MAX});
}

void StepSummaries::gapEnds(int64_t time)
{
    if (!m_gaps.empty() && m_gaps.back().end == INT64_MAX)
        m_gaps.back().end = std::max(time, m_gaps.back().start);
}

void StepSummaries::stepEnds(uint32_t thread, std::string_view name, int64_t start, int64_t end)
{
    constexpr size_t kMostSteps = 4096;
    m_open.erase(thread);
    int64_t number = wire::kAbsent;
    if (const size_t at = name.rfind('#'); at != name.npos)
        std::from_chars(name.data() + at + 1, name.data() + name.size(), number);
    if (m_ended.size() < kMostSteps)
        m_ended.push_back({thread, number, start, end});
}

int64_t StepSummaries::length(const Spans &spans, const Step &step)
{
    Spans inside;
    for (const Span &span : spans)
        if (const Span cut{std::max(span.start, step.start), std::min(span.end, step.end)}; cut.start < cut.end)
            inside.push_back(cut);
    merge(inside);
    int64_t sum = 0;
    for (const Span &span : inside)
        sum += span.duration();
    return sum;
}

void StepSummaries::addRow(const Step &step, ChunkBuilder &rows)
{
    const int64_t none = wire::kAbsent;
    const bool whole = step.start >= m_incomplete;
    const Thread &thread = m_threads[step.thread];
    const int64_t operators = m_hasOperators && whole ? length(thread.operators, step) : none;
    const int64_t waits = m_hasCuda && whole ? length(thread.waits, step) : none;
    const auto row = [&](int64_t device, int64_t kernels, int64_t busy, int64_t exposed, int64_t idle, int64_t missing,
                         int64_t peak, int64_t communication) {
        rows.row(step.start, step.end, step.number, step.thread, step.start, step.end - step.start, operators, waits,
                 device, kernels, busy, exposed, idle, missing, peak, communication);
    };
    if (m_devices.empty())
        return row(none, none, none, none, none, none, none, none);
    const int64_t missing = length(m_gaps, step);
    for (const auto &[number, device] : m_devices) {
        // Work may reach into a gap, whose time counts as not recorded alone.
        const auto recorded = [&](std::initializer_list<const Spans *> lists) {
            Spans all = m_gaps;
            for (const Spans *list : lists)
                all.insert(all.end(), list->begin(), list->end());
            return length(all, step) - missing;
        };
        const int64_t kernels = recorded({&device.compute, &device.communication});
        const int64_t busy = recorded({&device.compute, &device.communication, &device.copies});
        const int64_t idle = step.end - step.start - busy - missing;
        int64_t peak = none;
        for (const Use &use : device.memory) {
            if (use.time < step.start)
                peak = use.bytes; // the value at the start of the step
            else if (use.time < step.end)
                peak = std::max(peak, use.bytes);
        }
        if (whole)
            row(number, kernels, busy, kernels - recorded({&device.compute}), idle, missing, peak,
                recorded({&device.communication}));
        else
            row(number, none, none, none, none, missing, none, none);
    }
}

/// Drops what no open or waiting step needs.
void StepSummaries::forget()
{
    int64_t needed = INT64_MAX;
    for (const Step &step : m_ended)
        needed = std::min(needed, step.start);
    for (const auto &[thread, start] : m_open)
        needed = std::min(needed, start);
    const auto drop = [&](Spans &spans) { std::erase_if(spans, [&](const Span &span) { return span.end <= needed; }); };
    for (auto &[number, device] : m_devices) {
        for (Spans *spans : {&device.compute, &device.communication, &device.copies})
            drop(*spans);
        const auto later = std::find_if(device.memory.begin(), device.memory.end(),
                                        [&](const Use &use) { return use.time >= needed; });
        if (later - device.memory.begin() > 1) // the last value before is that at the start of the next step
            device.memory.erase(device.memory.begin(), later - 1);
    }
    for (auto at = m_threads.begin(); at != m_threads.end();) {
        drop(at->second.operators);
        drop(at->second.waits);
        at = at->second.operators.empty() && at->second.waits.empty() ? m_threads.erase(at) : std::next(at);
    }
    std::erase_if(m_gaps, [&](const Span &gap) { return gap.end <= needed && gap.end != INT64_MAX; });
}

void StepSummaries::addRows(int64_t settled, ChunkBuilder &rows)
{
    const auto ended =
        std::stable_partition(m_ended.begin(), m_ended.end(), [&](const Step &step) { return step.end <= settled; });
    if (ended == m_ended.begin())
        return;
    for (auto step = m_ended.begin(); step != ended; ++step)
        addRow(*step, rows);
    m_ended.erase(m_ended.begin(), ended);
    forget();
}

} // namespace riffle::collector
