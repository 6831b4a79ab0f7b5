// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/compare/difference_bands.h"

#include "model/analysis/table/change.h"
#include "model/analysis/table/table_text.h"
#include "model/base/format.h"
#include "model/base/stopping.h"

#include <algorithm>
#include <functional>
#include <unordered_map>

namespace riffle {

namespace {

/// The change of one piece of work, or of several that overlap.
struct ChangedWork {
    TimeSpan span;
    Ns delta = 0;
    Ns largest = 0; ///< the size of the largest single change
    SliceId slice;  ///< of that change
    bool isAlone = true;
    ChangeState state = ChangeState::Changed;
};

Ns sizeOf(Ns delta) { return delta < 0 ? saturatedSum(0, -std::max(delta, -kLatestTime)) : delta; }

std::string bandText(const ChangedWork &change)
{
    const std::string text = changeText(formatDuration(change.delta), static_cast<double>(change.delta));
    const bool isOneSided = change.state == ChangeState::New || change.state == ChangeState::Gone;
    return change.isAlone && isOneSided ? std::string(textOf(change.state)) + " " + text : text;
}

/// Sorted by start, those that overlap as one.
BigVector<ChangedWork> joined(BigVector<ChangedWork> all)
{
    std::sort(all.begin(), all.end(), [](const ChangedWork &one, const ChangedWork &other) {
        return std::pair(one.span.begin, one.slice.value) < std::pair(other.span.begin, other.slice.value);
    });
    BigVector<ChangedWork> apart;
    for (const ChangedWork &change : all) {
        throwIfStoppedAt(apart.size());
        if (apart.empty() || change.span.begin >= apart.back().span.end) {
            apart.push_back(change);
            continue;
        }
        ChangedWork &last = apart.back();
        last.span.end = std::max(last.span.end, change.span.end);
        last.delta = saturatedSum(last.delta, change.delta);
        last.isAlone = false;
        if (change.largest > last.largest) {
            last.largest = change.largest;
            last.slice = change.slice;
        }
    }
    return apart;
}

std::shared_ptr<const BandTrack> trackOf(BigVector<ChangedWork> all, bool isLonger, int32_t device)
{
    BandTrack track;
    track.key = isLonger ? "longer" : "shorter";
    track.title = isLonger ? "Longer in B" : "Shorter in B";
    track.note = isLonger ? "or new" : "or gone";
    track.hatched = isLonger;
    track.tone = isLonger ? BandTrack::Tone::Longer : BandTrack::Tone::Shorter;
    track.device = device;
    if (all.size() > DifferenceBands::kMostBands) {
        const auto last = all.begin() + static_cast<std::ptrdiff_t>(DifferenceBands::kMostBands);
        std::nth_element(all.begin(), last, all.end(), [](const ChangedWork &one, const ChangedWork &other) {
            return std::pair(other.largest, one.span.begin) < std::pair(one.largest, other.span.begin);
        });
        track.note += "; without the " + formatCount(static_cast<int64_t>(all.end() - last)) + " smallest";
        all.resize(DifferenceBands::kMostBands);
    }
    std::unordered_map<std::string, uint32_t> known;
    BigVector<Band> bands;
    for (const ChangedWork &change : joined(std::move(all))) {
        throwIfStoppedAt(bands.size());
        const auto [name, isNew] = known.try_emplace(bandText(change), static_cast<uint32_t>(track.names.size()));
        if (isNew)
            track.names.push_back(name->first);
        bands.push_back({change.span, name->second, change.slice});
    }
    return bandTrack(std::move(track), std::move(bands));
}

/// The tracks of one side, from its changes by the index of the device.
std::vector<std::shared_ptr<const BandTrack>> tracksOf(const DeviceWork &work, const CallShapes &tree,
                                                       const std::function<ChangedWork(uint32_t)> &changeOf)
{
    std::vector<std::array<BigVector<ChangedWork>, 2>> changes(work.devices.size());
    for (uint32_t node = 0; node < tree.size(); ++node) {
        throwIfStoppedAt(node);
        if (!tree.isWork(node))
            continue;
        ChangedWork change = changeOf(node);
        if (change.delta == 0)
            continue;
        const uint32_t number = tree.work[node];
        change.span = work.span(number);
        change.slice = SliceId(tree.slice[node]);
        change.largest = sizeOf(change.delta);
        const auto device = std::ranges::find_if(
            work.devices, [&](const DeviceWork::Device &one) { return number >= one.first && number < one.last; });
        changes[static_cast<size_t>(device - work.devices.begin())][change.delta < 0].push_back(change);
    }
    std::vector<std::shared_ptr<const BandTrack>> tracks;
    for (size_t device = 0; device < changes.size(); ++device)
        for (const bool isLonger : {true, false})
            if (!changes[device][!isLonger].empty())
                tracks.push_back(trackOf(std::move(changes[device][!isLonger]), isLonger, work.devices[device].number));
    return tracks;
}

} // namespace

DifferenceBands differenceBands(const DeviceComparison &comparison)
{
    const CallShapes &a = comparison.a(), &b = comparison.b();
    const TreePairing &pairing = comparison.pairing();
    DifferenceBands bands;
    bands.sides[0] = tracksOf(comparison.scopeA().facts().work(), a, [&](uint32_t node) {
        ChangedWork change;
        const uint32_t partner = pairing.ofA[node];
        const bool isGone = partner == TreePairing::kNone;
        change.delta = Change{a.total(node), isGone ? kNoInt : b.total(partner)}.delta();
        change.state = isGone ? ChangeState::Gone : ChangeState::Changed;
        return change;
    });
    bands.sides[1] = tracksOf(comparison.scopeB().facts().work(), b, [&](uint32_t node) {
        ChangedWork change;
        const uint32_t partner = pairing.ofB[node];
        const bool isNew = partner == TreePairing::kNone;
        change.delta = Change{isNew ? kNoInt : a.total(partner), b.total(node)}.delta();
        change.state = isNew ? ChangeState::New : ChangeState::Changed;
        return change;
    });
    return bands;
}

PartnerSlices::PartnerSlices(const DeviceComparison &comparison)
{
    const CallShapes &a = comparison.a(), &b = comparison.b();
    for (uint32_t node = 0; node < a.size(); ++node) {
        throwIfStoppedAt(node);
        const uint32_t partner = comparison.pairing().ofA[node];
        if (partner == TreePairing::kNone || a.slice[node] == CallShapes::kNone ||
            b.slice[partner] == CallShapes::kNone)
            continue;
        m_pairs[0].emplace_back(a.slice[node], b.slice[partner]);
        m_pairs[1].emplace_back(b.slice[partner], a.slice[node]);
    }
    for (auto &pairs : m_pairs)
        std::sort(pairs.begin(), pairs.end());
}

SliceId PartnerSlices::of(size_t side, SliceId slice) const
{
    const auto &pairs = m_pairs[side];
    const auto found = std::lower_bound(pairs.begin(), pairs.end(), std::pair(slice.value, 0u));
    return found != pairs.end() && found->first == slice.value ? SliceId(found->second) : SliceId();
}

} // namespace riffle
