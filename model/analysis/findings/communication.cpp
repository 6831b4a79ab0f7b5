// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0

// Rules about communication: calls that take far longer than others of the same kernel, size and group, and calls that
// are slow for their size.

#include "model/analysis/facts/kernel_names.h"
#include "model/analysis/facts/message_size.h"
#include "model/analysis/facts/slice_reader.h"
#include "model/analysis/findings/device_memory.h"
#include "model/analysis/findings/rules.h"
#include "model/base/format.h"
#include "model/base/rounding.h"
#include "model/base/stopping.h"
#include "model/trace/details.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace riffle {

namespace {

constexpr size_t kFewest = 4;        ///< the fewest calls for a median
constexpr double kOfStep = 0.01;     ///< the share of a mean step by which a call must exceed the median to matter
constexpr double kNearlyFull = 0.90; ///< the share of full device memory that is mentioned next to a long call
constexpr int64_t kLarge = 1 << 20;  ///< bytes; the time of smaller messages is mostly start-up, not transfer
constexpr double kOfTime = 0.01;     ///< the share of the window that calls must take together to matter
constexpr size_t kMostFindings = 5;  ///< the maximum number of kinds of calls to report, worst first

/// The row of the collective table for a communication kernel: its own row, or that of an operator around its launch.
DetailRow<CollectiveTable> collectiveOf(const TraceFacts &facts, uint32_t work)
{
    const auto detailOf = [&](uint32_t slice) { return facts.trace().detailOf(&Segment::collectives, SliceId(slice)); };
    DetailRow<CollectiveTable> detail = detailOf(facts.work().slice[work]);
    const CallTree &calls = facts.calls();
    for (uint32_t call = facts.work().operation[work]; !detail && call != CallTree::kNone;
         call = calls.operatorAround(call))
        detail = detailOf(calls.slice[call]);
    return detail;
}

/// Identifies calls that should take equally long.
struct Kind {
    int32_t device;
    uint32_t kernel, operation, dataType, group; ///< StringIds
    int64_t in, out;                             ///< elements
    auto operator<=>(const Kind &) const = default;
};

struct Calls {
    Kind kind;
    std::vector<uint32_t> work; ///< the longest first
    bool hasSize = false;
    Ns median = 0, lost = 0; ///< lost: the time of the long calls beyond the median
    size_t longOnes = 0;
};

std::map<Kind, std::vector<uint32_t>> callsByKind(const FindingInput &input)
{
    const DeviceWork &work = input.facts.work();
    const bool anyCollectives = hasDetails(input.trace, &Segment::collectives);
    std::map<Kind, std::vector<uint32_t>> kinds;
    for (const DeviceWork::Device &device : work.devices)
        for (uint32_t at = device.first; at < device.last; ++at) {
            throwIfStoppedAt(at);
            if (work.role[at] != Role::Communication || !input.scope.begins(at))
                continue;
            Kind kind{device.number, work.name[at], StringId::kNone, StringId::kNone, StringId::kNone, kNoInt, kNoInt};
            if (const auto detail = anyCollectives ? collectiveOf(input.facts, at) : DetailRow<CollectiveTable>()) {
                kind.operation = detail[&CollectiveTable::operation];
                kind.dataType = detail[&CollectiveTable::dataType];
                kind.group = detail[&CollectiveTable::group];
                kind.in = detail[&CollectiveTable::inElements];
                kind.out = detail[&CollectiveTable::outElements];
            }
            kinds[kind].push_back(at);
        }
    return kinds;
}

Calls callsOf(const FindingInput &input, const Kind &kind, std::vector<uint32_t> members)
{
    const DeviceWork &work = input.facts.work();
    std::stable_sort(members.begin(), members.end(),
                     [&](uint32_t a, uint32_t b) { return work.duration(a) > work.duration(b); });
    return {kind, std::move(members), kind.in != kNoInt || kind.out != kNoInt};
}

/// A sentence about how full the device's memory was when a call started; empty unless it was nearly full.
std::string memoryText(const FindingInput &input, const Calls &calls)
{
    const DeviceMemory *memory = memoryOf(input.memories, calls.kind.device, input.overview.devices.size());
    if (!memory || memory->total == kNoInt)
        return {};
    const auto row = memory->rowAt(input.trace.memory, input.facts.work().start[calls.work.front()]);
    if (!row)
        return {};
    const int64_t held = heldBytes(input.trace.memory, *row);
    const double share = static_cast<double>(held) / static_cast<double>(memory->total);
    if (share <= kNearlyFull)
        return {};
    return " Device memory was " + formatShare(share) + " full at that time (" + formatBytes(held) + " of " +
           formatBytes(memory->total) + "), which may have made communication buffers small; try a smaller batch.";
}

/// Sentences about the circumstances of a call that takes long.
std::string circumstances(const FindingInput &input, const Calls &calls)
{
    return memoryText(input, calls) + (input.scope.ranksInView() > 1
                                           ? " Compare when each rank started it: the last one made the others wait."
                                           : " With one rank in view, waiting for other ranks cannot be distinguished "
                                             "from transfer; open their traces next to this one.");
}

std::string textOf(const FindingInput &input, const Calls &calls, const FindingRule &rule)
{
    const DeviceWork &work = input.facts.work();
    const Ns longest = work.duration(calls.work.front());
    Ns total = 0;
    for (const uint32_t one : calls.work)
        total += work.duration(one);
    std::string text = shortKernelName(input.trace.string(calls.kind.kernel)) + ": one of " +
                       formatCount(static_cast<int64_t>(calls.work.size())) + " calls takes " +
                       formatDuration(longest) + " of " + formatDuration(total) + "; the median is " +
                       formatDuration(calls.median) + ".";
    if (calls.longOnes > 1)
        text += std::string(" ") + formatCount(static_cast<int64_t>(calls.longOnes)) + " calls take more than " +
                formatMeasured(rule.threshold, rule.unit) + " the median.";
    if (calls.hasSize)
        text += " All of them move " + formatCount(std::max(calls.kind.in, calls.kind.out)) + " elements.";
    else
        text += " Sizes were not recorded, so long calls may just move more data.";
    return text + circumstances(input, calls);
}

} // namespace

const char *findLongCollectives(const FindingInput &input, const FindingRule &rule, std::vector<Finding> &found)
{
    const DeviceWork &work = input.facts.work();
    const Ns worthwhile = static_cast<Ns>(kOfStep * static_cast<double>(input.step()));
    std::vector<Calls> all;
    for (auto &[kind, members] : callsByKind(input)) {
        if (members.size() < kFewest)
            continue;
        Calls calls = callsOf(input, kind, std::move(members));
        std::vector<Ns> times;
        for (auto one = calls.work.rbegin(); one != calls.work.rend(); ++one)
            times.push_back(work.duration(*one));
        calls.median = medianOfSorted(times);
        for (const uint32_t one : calls.work) {
            const Ns beyond = work.duration(one) - calls.median;
            if (!rule.holds(static_cast<double>(work.duration(one)) /
                            static_cast<double>(std::max<Ns>(1, calls.median))) ||
                beyond <= worthwhile)
                break;
            ++calls.longOnes;
            calls.lost += beyond;
        }
        if (calls.longOnes)
            all.push_back(std::move(calls));
    }
    std::stable_sort(all.begin(), all.end(), [](const Calls &a, const Calls &b) { return a.lost > b.lost; });
    if (all.size() > kMostFindings)
        all.resize(kMostFindings);
    for (const Calls &calls : all) {
        Finding finding;
        finding.measured =
            static_cast<double>(work.duration(calls.work.front())) / static_cast<double>(std::max<Ns>(1, calls.median));
        finding.text = textOf(input, calls, rule);
        for (size_t at = 0; at < calls.longOnes; ++at)
            finding.evidence.push_back(input.ref(work.slice[calls.work[at]]));
        finding.device = calls.kind.device;
        found.push_back(std::move(finding));
    }
    return nullptr;
}

const char *findSlowCollectives(const FindingInput &input, const FindingRule &rule, std::vector<Finding> &found)
{
    const DeviceWork &work = input.facts.work();
    const auto text = [&](uint32_t string) {
        return string == StringId::kNone ? std::string_view() : input.trace.string(string);
    };
    struct Slow {
        Calls calls;
        int64_t bytes;
        Ns total;
        double rate;
    };
    std::vector<Slow> all;
    for (auto &[kind, members] : callsByKind(input)) {
        const auto bytes = messageBytes(text(kind.operation), kind.in, kind.out, text(kind.dataType));
        if (!bytes || *bytes < kLarge)
            continue;
        Slow slow{callsOf(input, kind, std::move(members)), *bytes, 0, 0};
        for (const uint32_t one : slow.calls.work)
            slow.total += work.duration(one);
        const Ns shortest = work.duration(slow.calls.work.back());
        slow.rate =
            static_cast<double>(slow.bytes) / static_cast<double>(std::max<Ns>(1, shortest)); // bytes per ns are GB/s
        const bool matters =
            static_cast<double>(slow.total) > kOfTime * static_cast<double>(input.scope.window().length());
        if (matters && rule.holds(slow.rate))
            all.push_back(std::move(slow));
    }
    std::stable_sort(all.begin(), all.end(), [](const Slow &a, const Slow &b) { return a.total > b.total; });
    if (all.size() > kMostFindings)
        all.resize(kMostFindings);
    for (const Slow &slow : all) {
        Finding finding;
        finding.measured = slow.rate;
        finding.text = shortKernelName(input.trace.string(slow.calls.kind.kernel)) + ": the shortest of " +
                       formatCount(static_cast<int64_t>(slow.calls.work.size())) + " calls takes " +
                       formatDuration(work.duration(slow.calls.work.back())) + " for " + formatBytes(slow.bytes) +
                       "; together they take " + formatDuration(slow.total) + "." + circumstances(input, slow.calls);
        for (const uint32_t one : slow.calls.work)
            finding.evidence.push_back(input.ref(work.slice[one]));
        finding.device = slow.calls.kind.device;
        found.push_back(std::move(finding));
    }
    return nullptr;
}

} // namespace riffle
