// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/memory/replaced_memory.h"

#include "model/base/ids.h"
#include "model/base/seeded_hash.h"

#include <algorithm>

namespace riffle {

namespace {

struct Call {
    uint32_t first = 0, last = 0; ///< events
    /// Per size, the numbers freed and kept.
    SeededMap<int64_t, std::pair<uint64_t, uint64_t>> ofSize;
    double givenBack = 0, kept = 0; ///< bytes; not integers, because damaged files can contain any number
};

std::vector<Call> callsOf(const MemorySnapshot &snapshot, const DeviceReplay &device,
                          const std::function<bool(uint32_t stack)> &isOfCall)
{
    std::vector<Call> calls;
    bool open = false;
    for (uint32_t event = device.firstEvent; event < device.firstEvent + device.events; ++event) {
        const uint32_t stack = snapshot.events.stack[event];
        if (stack == 0)
            continue;
        const bool is = isOfCall(stack);
        if (is && !open)
            calls.push_back({event, event, {}, 0, 0});
        if (is)
            calls.back().last = event;
        open = is;
    }
    return calls;
}

Call *callAt(std::vector<Call> &calls, uint32_t event)
{
    if (event == kNoRow)
        return nullptr;
    const auto behind =
        std::partition_point(calls.begin(), calls.end(), [&](const Call &call) { return call.first <= event; });
    return behind == calls.begin() || (behind - 1)->last < event ? nullptr : &*(behind - 1);
}

} // namespace

BigVector<uint8_t> replacedMemory(const MemorySnapshot &snapshot, const DeviceReplay &device,
                                  const std::function<bool(uint32_t stack)> &isOfCall)
{
    const MemoryAllocations &all = device.allocations;
    std::vector<Call> calls = callsOf(snapshot, device, isOfCall);
    BigVector<uint8_t> replaced(all.count(), 0);
    if (calls.empty())
        return replaced;
    std::vector<uint32_t> fromBefore;
    for (uint32_t row = 0; row < all.count(); ++row) {
        const int64_t size = all.size(snapshot, row);
        Call *const gave = callAt(calls, all.freed[row] != kNoRow ? all.freed[row] : all.end[row]);
        if (all.begin[row] == kNoRow) {
            if (!gave)
                continue;
            ++gave->ofSize[size].first;
            gave->givenBack += static_cast<double>(size);
            fromBefore.push_back(row);
        } else if (Call *const made = callAt(calls, all.begin[row]);
                   made && made != gave && snapshot.events.action[all.begin[row]] == MemoryAction::Alloc) {
            ++made->ofSize[size].second;
            made->kept += static_cast<double>(size);
        }
    }
    for (const uint32_t row : fromBefore) {
        Call &call = *callAt(calls, all.freed[row] != kNoRow ? all.freed[row] : all.end[row]);
        const auto &[given, kept] = call.ofSize[all.size(snapshot, row)];
        replaced[row] = kept >= given && call.kept < 2 * call.givenBack;
    }
    return replaced;
}

} // namespace riffle
