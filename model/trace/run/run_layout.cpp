// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/trace/run/run_layout.h"

#include "model/base/natural_order.h"
#include "model/trace/run/placed_file.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace riffle {

namespace {

std::string folderOf(const std::string &path)
{
    const size_t slash = path.find_last_of("/\\");
    return slash == path.npos ? std::string() : path.substr(0, slash);
}

std::vector<PlacedFile> placedFiles(std::span<const RunFile> files)
{
    std::vector<PlacedFile> placed;
    const auto add = [&](const RunFile &file, uint32_t part) {
        PlacedFile &one = placed.emplace_back();
        one.ref = {static_cast<uint32_t>(&file - files.data()), part};
        one.file = &file;
        one.name = part == FileRef::kWhole ? file.name : file.name + '/' + file.parts[part];
        // A part is a folder, which outweighs a file's name.
        one.place = placeInName(part == FileRef::kWhole ? one.name : one.name + '/');
    };
    for (const RunFile &file : files) {
        if (!file.why.empty())
            continue;
        if (file.parts.empty())
            add(file, FileRef::kWhole);
        for (uint32_t part = 0; part < file.parts.size(); ++part)
            add(file, part);
    }
    std::ranges::sort(placed, [](const PlacedFile &a, const PlacedFile &b) {
        return a.name == b.name ? std::tie(a.ref.file, a.ref.part) < std::tie(b.ref.file, b.ref.part)
                                : naturallyBefore(a.name, b.name);
    });
    return placed;
}

bool isRank(int64_t number) { return number >= 0 && number < RecordedPlace::kMostRanks; }

std::optional<int64_t> recordedRank(const PlacedFile &one)
{
    const auto rank = one.file->recorded.rank;
    return rank && isRank(*rank) ? rank : std::nullopt;
}

/// Forgets the rank of a folder's name if the files in it are of several ranks: "rank5" may be a user's folder.
void forgetFoldersOfManyRanks(std::vector<PlacedFile> &files)
{
    constexpr int64_t kSeveral = -1;
    std::unordered_map<std::string, int64_t> rankInside;
    const auto folder = [](const PlacedFile &one) { return one.name.substr(0, one.place.rankFolderEnd); };
    for (const PlacedFile &one : files) {
        const auto rank = recordedRank(one) ? recordedRank(one) : one.place.rankOfFile;
        if (!one.place.rankFolderEnd || !rank)
            continue;
        const auto [known, isNew] = rankInside.try_emplace(folder(one), *rank);
        if (!isNew && known->second != *rank)
            known->second = kSeveral;
    }
    for (PlacedFile &one : files) {
        if (!one.place.rankFolderEnd)
            continue;
        const auto found = rankInside.find(folder(one));
        if (found == rankInside.end() || found->second != kSeveral)
            continue;
        PlaceInName own = placeInName(std::string_view(one.name).substr(folderOf(one.name).size()));
        own.rankFolderEnd = one.place.rankFolderEnd; // so that a remark can name the folder
        own.startTime = one.place.startTime;
        own.startTimeEnd = one.place.startTimeEnd;
        own.span = one.place.span;
        own.isSpanOfFolder = one.place.isSpanOfFolder;
        one.place = std::move(own);
    }
}

/// Takes "tp1_pp0" for coordinates if each axis begins with 0 somewhere, because no axis has the size 0.
void settleIndices(std::vector<PlacedFile> &files)
{
    const auto axesOf = [](const PlacedFile &one) {
        std::string axes;
        for (const ParallelCoordinate &coordinate : one.place.indicesOrSizes)
            axes += coordinate.axis + ' ';
        return axes;
    };
    std::unordered_map<std::string, std::vector<uint32_t>> smallest;
    for (const PlacedFile &one : files) {
        std::vector<uint32_t> &least = smallest[axesOf(one)];
        least.resize(one.place.indicesOrSizes.size(), UINT32_MAX);
        for (size_t axis = 0; axis < least.size(); ++axis)
            least[axis] = std::min(least[axis], one.place.indicesOrSizes[axis].index);
    }
    for (PlacedFile &one : files)
        if (!one.place.indicesOrSizes.empty() &&
            std::ranges::all_of(smallest[axesOf(one)], [](uint32_t least) { return least == 0; }))
            one.place.coordinates = std::exchange(one.place.indicesOrSizes, {});
}

/// Decides the rank of each file. The order of the evidence is that of RankEvidence.
void decideRanks(std::vector<PlacedFile> &files)
{
    constexpr std::array kFromName = {RankEvidence::None, RankEvidence::FileName, RankEvidence::WorkerName,
                                      RankEvidence::FolderName};
    for (PlacedFile &one : files) {
        one.coordinates = one.recorded().coordinates.empty() ? one.place.coordinates : one.recorded().coordinates;
        if ((one.rank = recordedRank(one)))
            one.rankFrom = RankEvidence::Recorded;
        else if ((one.rank = one.place.rank))
            one.rankFrom = kFromName[static_cast<size_t>(one.place.rankFrom)];
        else if (one.coordinates.empty() && one.file->guessedRank && isRank(*one.file->guessedRank)) {
            one.rank = one.file->guessedRank;
            one.rankFrom = RankEvidence::Guess;
        }
    }
}

/// The coordinates as text, in which the order of the axes does not matter.
std::string coordinatesKey(std::vector<ParallelCoordinate> coordinates)
{
    std::ranges::sort(coordinates, {}, &ParallelCoordinate::axis);
    return coordinatesText(coordinates);
}

/// Gives equal numbers to files of equal rank, or of equal coordinates if they have no rank.
void identify(std::vector<PlacedFile> &files)
{
    std::unordered_map<std::string, uint32_t> identities;
    for (PlacedFile &one : files) {
        if (!one.rank && one.coordinates.empty())
            continue;
        const std::string text = one.rank ? std::to_string(*one.rank) : coordinatesKey(one.coordinates);
        one.identity = identities.try_emplace(text, static_cast<uint32_t>(identities.size())).first->second;
    }
}

/// Files of a run that tell coordinates alone belong to the rank that has the same ones in another file of the run.
void adoptRanks(const RunFiles &run, std::vector<PlacedFile> &placed)
{
    std::unordered_map<std::string, const PlacedFile *> owners; // null if several ranks have the same coordinates
    for (const PlacedFile *one : run.files) {
        if (!one->rank || one->coordinates.empty())
            continue;
        const auto [owner, isNew] = owners.try_emplace(coordinatesKey(one->coordinates), one);
        if (!isNew && owner->second && owner->second->rank != one->rank)
            owner->second = nullptr;
    }
    for (const PlacedFile *file : run.files) {
        if (file->rank || file->coordinates.empty())
            continue;
        const auto owner = owners.find(coordinatesKey(file->coordinates));
        if (owner == owners.end() || !owner->second)
            continue;
        PlacedFile &one = placed[static_cast<size_t>(file - placed.data())];
        one.rank = owner->second->rank;
        one.rankFrom = RankEvidence::Guess;
        one.identity = owner->second->identity;
    }
}

/// Adds pairs of neighbours among the files of a rank, where these are no spans.
void addDuplicates(const Run &run, uint32_t at, std::vector<ComparedPair> &pairs)
{
    for (uint32_t cell = 0; cell < run.cells.size(); ++cell)
        for (size_t kind = 0; kind < kRunFileKinds; ++kind) {
            const std::vector<FileRef> &files = run.cells[cell].files[kind];
            for (size_t i = 1; run.cells[cell].areDuplicates[kind] && i < files.size(); ++i)
                pairs.push_back({{at, cell, files[i - 1]}, {at, cell, files[i]}});
        }
}

bool haveRankInCommon(const RunFiles &a, const RunFiles &b)
{
    std::vector<uint32_t> left, right, both;
    for (const auto &[from, to] : {std::pair(&a, &left), std::pair(&b, &right)}) {
        for (const PlacedFile *one : from->files)
            if (one->identity != PlacedFile::kUnplaced)
                to->push_back(one->identity);
        std::ranges::sort(*to);
    }
    std::ranges::set_intersection(left, right, std::back_inserter(both));
    return !both.empty();
}

} // namespace

RunLayout layoutOf(std::span<const RunFile> files)
{
    RunLayout layout;
    for (uint32_t at = 0; at < files.size(); ++at)
        if (!files[at].why.empty())
            layout.notRead.push_back(at);
    std::ranges::sort(layout.notRead, [&](uint32_t a, uint32_t b) {
        return files[a].name == files[b].name ? a < b : naturallyBefore(files[a].name, files[b].name);
    });
    std::vector<PlacedFile> placed = placedFiles(files);
    forgetFoldersOfManyRanks(placed);
    settleIndices(placed);
    decideRanks(placed);
    identify(placed);
    PlacedFiles all;
    for (const PlacedFile &one : placed)
        all.push_back(&one);
    std::vector<RunFiles> divided = dividedIntoRuns(all);
    std::ranges::stable_sort(divided, [](const RunFiles &a, const RunFiles &b) {
        return naturallyBefore(a.files.front()->name, b.files.front()->name);
    });
    std::map<std::string, uint32_t> lastOfFamily;
    int64_t room = RunLayout::kMostMissing;
    for (uint32_t at = 0; at < divided.size(); ++at) {
        adoptRanks(divided[at], placed);
        layout.runs.push_back(runOf(divided[at].files, room));
        addDuplicates(layout.runs.back(), at, layout.pairs);
        const auto [last, isFirst] = lastOfFamily.try_emplace(divided[at].family, at);
        if (!isFirst && haveRankInCommon(divided[last->second], divided[at]))
            layout.pairs.push_back({{last->second, {}, {}}, {at, {}, {}}});
        last->second = at;
    }
    return layout;
}

} // namespace riffle
