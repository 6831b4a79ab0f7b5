// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/memory/band_colours.h"

#include "model/analysis/memory/memory_categories.h"
#include "model/base/format.h"
#include "views/common/qt_text.h"
#include "views/memory/allocation_text.h"

#include <QCoreApplication>

#include <algorithm>
#include <bit>
#include <map>
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

/// By what a stack says, so that two snapshots of one program agree.
QRgb stackColour(const MemorySnapshot &snapshot, uint32_t stack, const Palette &palette)
{
    uint64_t hash = 1469598103934665603ull;
    for (const uint32_t frame : snapshot.stacks.at(stack)) {
        const MemoryFrame &place = snapshot.frames[frame];
        hash = mixed(mixed(mixed(hash, snapshot.string(place.name)), snapshot.string(place.file)), static_cast<uint64_t>(place.line));
    }
    const auto &colours = palette.sliceColours();
    return Palette::mixed(colours[hash % colours.size()], palette.canvas, 0.1 * static_cast<double>(hash / colours.size() % 4));
}

/// From small to large: a power of two a step, from 512 B to 1 GiB.
QRgb sizeColour(int64_t size, const Palette &palette)
{
    const int power = std::bit_width(static_cast<uint64_t>(std::max<int64_t>(1, size)));
    const double share = std::clamp((power - 10) / 20.0, 0.0, 1.0);
    return Palette::mixed(Palette::mixed(palette.canvas, palette.busy, 0.35), palette.mark, share);
}

} // namespace

BandColours::BandColours(const Landscape &landscape, const SnapshotFacts &facts, size_t at, MemorySession::Colour by, const MemoryCategories *categories,
                         const Palette &palette)
{
    const MemorySnapshot &snapshot = facts.snapshot();
    const DeviceReplay &device = facts.replay().devices[at];
    using Colour = MemorySession::Colour;
    const auto tr = [](const char *text) { return QCoreApplication::translate("riffle::BandColours", text); };
    const MemoryAllocations &all = device.allocations;
    colours.reserve(landscape.bands());
    std::unordered_map<uint32_t, QRgb> ofStack;
    std::map<QString, std::pair<QRgb, uint64_t>> ofName; // colour, bands
    std::vector<QString> names;
    for (uint32_t band = 0; band < landscape.bands(); ++band) {
        const uint32_t row = landscape.row(band);
        if (by == Colour::Size) {
            colours.push_back(sizeColour(landscape.size(band), palette));
        } else if (by == Colour::Stack) {
            const uint32_t stack = all.stack(snapshot, row);
            const auto [known, isNew] = ofStack.try_emplace(stack, 0);
            if (isNew)
                known->second = stackColour(snapshot, stack, palette);
            colours.push_back(known->second);
        } else {
            const AllocationText text(snapshot, device, row);
            QString name;
            if (by == Colour::Stream)
                name = tr("stream %1").arg(text.stream());
            else if (by == Colour::Pool)
                name = text.pool() < 0 ? tr("pool not known") : tr("pool %1").arg(poolText(snapshot, static_cast<uint32_t>(text.pool())));
            else if (categories)
                name = toQString(categories->verdicts()[categories->verdict(static_cast<uint32_t>(at), row)].category);
            if (name.isEmpty())
                name = tr("not known");
            ++ofName[name].second;
            names.push_back(name);
        }
    }
    const auto &slices = palette.sliceColours();
    size_t next = 0;
    for (auto &[name, colour] : ofName)
        colour.first = slices[next++ % slices.size()];
    for (const QString &name : names)
        colours.push_back(ofName[name].first);
    if (by == Colour::Size) {
        for (const int64_t size : {int64_t(1) << 10, int64_t(1) << 15, int64_t(1) << 20, int64_t(1) << 25, int64_t(1) << 30})
            legend.append({toQString(formatBytes(size)), sizeColour(size, palette)});
    }
    std::vector<std::pair<QString, std::pair<QRgb, uint64_t>>> byBands(ofName.begin(), ofName.end());
    std::stable_sort(byBands.begin(), byBands.end(), [](const auto &a, const auto &b) { return a.second.second > b.second.second; });
    for (const auto &[name, colour] : byBands)
        if (legend.size() < kMostInLegend)
            legend.append({name, colour.first});
}

} // namespace riffle
