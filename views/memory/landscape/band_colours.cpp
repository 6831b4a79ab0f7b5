// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/memory/landscape/band_colours.h"

#include "model/analysis/memory/alive/group_keys.h"
#include "model/analysis/memory/allocation_stack.h"
#include "model/analysis/memory/categories/memory_categories.h"
#include "model/base/format.h"
#include "views/common/look/qt_text.h"

#include <QMap>

#include <algorithm>
#include <bit>
#include <optional>
#include <unordered_map>

namespace riffle {

namespace {

constexpr qsizetype kMostInLegend = 8;

uint64_t mixed(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * 0x9E3779B97F4A7C15ull;
    return hash ^ hash >> 29;
}

uint64_t mixed(uint64_t hash, std::string_view text)
{
    for (const char c : text)
        hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ull;
    return mixed(hash, text.size());
}

/// Numbers for stacks that depend only on the text of their frames, so that two snapshots of one program agree. Frames
/// are shared by many stacks, so each frame is read only once.
class StackNumbers {
public:
    explicit StackNumbers(const MemorySnapshot &snapshot) : m_snapshot(snapshot), m_frames(snapshot.frames.size()) {}

    uint64_t of(uint32_t stack)
    {
        uint64_t hash = kBegin;
        for (const uint32_t frame : m_snapshot.stacks.at(stack)) {
            std::optional<uint64_t> &known = m_frames[frame];
            if (!known) {
                const MemoryFrame &place = m_snapshot.frames[frame];
                known = mixed(mixed(mixed(kBegin, m_snapshot.string(place.name)), m_snapshot.string(place.file)),
                              static_cast<uint64_t>(place.line));
            }
            hash = mixed(hash, *known);
        }
        return hash;
    }

private:
    static constexpr uint64_t kBegin = 1469598103934665603ull;
    const MemorySnapshot &m_snapshot;
    std::vector<std::optional<uint64_t>> m_frames;
};

/// The colour of a size, from small to large: one step per power of two, from 512 B to 1 GiB.
QRgb sizeColour(int64_t size, const Palette &palette)
{
    const int power = std::bit_width(static_cast<uint64_t>(std::max<int64_t>(1, size)));
    const double share = std::clamp((power - 10) / 20.0, 0.0, 1.0);
    return Palette::mixed(Palette::mixed(palette.canvas, palette.busy, 0.35), palette.mark, share);
}

} // namespace

BandColours::BandColours(const Landscape &landscape, const SnapshotFacts &facts, uint32_t device,
                         MemorySession::Colour wanted, const MemoryCategories *categories, const Palette &edition)
    : by(wanted)
    , palette(&edition)
{
    using Colour = MemorySession::Colour;
    std::vector<uint32_t> keys;
    std::vector<QString> names;
    const auto keyed = [&](auto &&keyOf) {
        keys.reserve(landscape.bands());
        for (uint32_t band = 0; band < landscape.bands(); ++band)
            keys.push_back(keyOf(landscape.row(band)));
    };
    switch (by) {
    case Colour::Size: bySize(landscape); return;
    case Colour::Stack: byStack(landscape, facts.snapshot(), facts.replay().devices[device].allocations); return;
    case Colour::Category:
        keyed([&](uint32_t row) { return categories->verdict(device, row); });
        for (const MemoryCategories::Verdict &verdict : categories->verdicts())
            names.push_back(toQString(verdict.category));
        break;
    case Colour::Pool:
    case Colour::Stream: {
        const GroupKeys groups(facts, by == Colour::Pool ? MemoryGrouping::Pool : MemoryGrouping::Stream);
        keyed([&](uint32_t row) { return groups.of(device, row); });
        for (uint32_t key = 0; key < groups.count(); ++key)
            names.push_back(toQString(groups.name(key)));
        break;
    }
    }
    byName(landscape, keys, names);
}

void BandColours::bySize(const Landscape &landscape)
{
    colours.reserve(landscape.bands());
    for (uint32_t band = 0; band < landscape.bands(); ++band)
        colours.push_back(sizeColour(landscape.size(band), *palette));
    for (const int64_t size :
         {int64_t(1) << 10, int64_t(1) << 15, int64_t(1) << 20, int64_t(1) << 25, int64_t(1) << 30})
        legend.append({toQString(formatBytes(size)), sizeColour(size, *palette)});
}

void BandColours::byStack(const Landscape &landscape, const MemorySnapshot &snapshot, const MemoryAllocations &all)
{
    StackNumbers numbers(snapshot);
    std::unordered_map<uint32_t, QRgb> ofStack;
    const auto &slices = palette->sliceColours();
    colours.reserve(landscape.bands());
    for (uint32_t band = 0; band < landscape.bands(); ++band) {
        const AllocationStack stack = allocationStack(snapshot, all, landscape.row(band));
        const auto [known, isNew] = ofStack.try_emplace(stack.key(snapshot), 0);
        if (isNew) {
            // The memory freed at a place and the memory allocated there get different colours.
            const uint64_t number = stack.isOfAllocation()
                                        ? numbers.of(stack.stack)
                                        : mixed(numbers.of(stack.stack), static_cast<uint64_t>(stack.of));
            known->second = Palette::mixed(slices[number % slices.size()], palette->canvas,
                                           0.1 * static_cast<double>(number / slices.size() % 4));
        }
        colours.push_back(known->second);
    }
}

void BandColours::byName(const Landscape &landscape, const std::vector<uint32_t> &keys,
                         const std::vector<QString> &names)
{
    std::vector<double> areas(names.size(), -1); // in bytes times slots; negative for names without bands
    for (uint32_t band = 0; band < landscape.bands(); ++band) {
        const double width = static_cast<double>(landscape.end(band)) - static_cast<double>(landscape.begin(band));
        areas[keys[band]] = std::max(0.0, areas[keys[band]]) + static_cast<double>(landscape.size(band)) * width;
    }
    QMap<QString, std::pair<QRgb, double>> ofName; // colour, area
    for (size_t key = 0; key < names.size(); ++key)
        if (areas[key] >= 0)
            ofName[names[key]].second += areas[key];
    const auto &slices = palette->sliceColours();
    size_t next = 0;
    for (auto &entry : ofName)
        entry.first = slices[next++ % slices.size()];
    std::vector<QRgb> ofKey(names.size());
    for (size_t key = 0; key < names.size(); ++key)
        ofKey[key] = ofName.value(names[key]).first;
    colours.reserve(keys.size());
    for (const uint32_t key : keys)
        colours.push_back(ofKey[key]);
    QList<QString> order = ofName.keys();
    std::stable_sort(order.begin(), order.end(),
                     [&](const QString &a, const QString &b) { return ofName[a].second > ofName[b].second; });
    for (const QString &name : order.first(std::min(kMostInLegend, order.size())))
        legend.append({name, ofName[name].first});
}

} // namespace riffle
