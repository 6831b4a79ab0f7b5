// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/trace/run/name_words.h"
#include "model/trace/run/placed_file.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <unordered_map>

namespace riffle {

namespace {

constexpr size_t kDeepest = 256; ///< levels of folders that are looked at

/// A kind of file of a rank, which is in a run only once.
uint64_t keyOf(const PlacedFile &one) { return uint64_t(one.identity) * kRunFileKinds + size_t(one.file->kind); }
bool hasKey(const PlacedFile &one) { return one.identity != PlacedFile::kUnplaced && one.isOnePerRank(); }

/// Returns the folder at a level of a path; nothing if that is where the file is.
std::string_view folderAt(std::string_view path, size_t level)
{
    for (; level > 0; --level)
        path.remove_prefix(path.find_first_of("/\\") + 1);
    const size_t slash = path.find_first_of("/\\");
    return slash == path.npos ? std::string_view() : path.substr(0, slash);
}

size_t folderCount(std::string_view path)
{
    return static_cast<size_t>(std::ranges::count_if(path, [](char c) { return c == '/' || c == '\\'; }));
}

/// "iteration_10": the recordings of one job at different times.
bool isSpanFolder(std::string_view folder) { return placeInName(std::string(folder) + "/x").isSpanOfFolder; }

struct Group {
    std::string_view folder;
    PlacedFiles files;
    std::set<int64_t> worldSizes; ///< that its files recorded
    bool isApart = false;
};

/// Marks the groups that have the same ranks as others.
void markRepeats(std::vector<Group> &groups)
{
    std::unordered_map<uint64_t, std::pair<size_t, size_t>> owners; // the first group, and the first that is no span's
    constexpr size_t kNone = SIZE_MAX;
    for (size_t at = 0; at < groups.size(); ++at) {
        const bool isSpan = isSpanFolder(groups[at].folder);
        for (const PlacedFile *one : groups[at].files) {
            if (!hasKey(*one))
                continue;
            auto &[first, firstOther] = owners.try_emplace(keyOf(*one), at, kNone).first->second;
            const size_t other = first != at && !(isSpan && isSpanFolder(groups[first].folder)) ? first
                                 : firstOther != at                                             ? firstOther
                                                                                                : kNone;
            if (other != kNone)
                groups[at].isApart = groups[other].isApart = true;
            if (!isSpan && firstOther == kNone)
                firstOther = at;
        }
    }
}

/// Marks the groups whose world size is not that of the first one. The folders of ranks are parts of a run in any case.
void markWorldSizes(std::vector<Group> &groups)
{
    const Group *first = nullptr;
    for (Group &group : groups) {
        if (group.worldSizes.empty() || group.folder.empty() || placeInName(group.folder).rank)
            continue;
        if (!first)
            first = &group;
        group.isApart |= group.worldSizes != first->worldSizes;
    }
}

std::vector<Group> groupsAt(const PlacedFiles &files, size_t level)
{
    std::map<std::string_view, Group> byFolder;
    for (const PlacedFile *one : files) {
        const std::string_view folder = level < folderCount(one->name) ? folderAt(one->name, level) : "";
        Group &group = byFolder[folder];
        group.folder = folder;
        group.files.push_back(one);
        if (one->file->recorded.worldSize)
            group.worldSizes.insert(*one->file->recorded.worldSize);
    }
    std::vector<Group> groups;
    for (auto &[folder, group] : byFolder)
        groups.push_back(std::move(group));
    return groups;
}

/// Divides files by the outermost folders that repeat ranks. Folders that share no rank, such as those of hosts, of
/// ranks and of kinds of files, are passed through: what is in them is compared at the next level.
void divide(PlacedFiles files, size_t level, std::vector<RunFiles> &runs)
{
    size_t deepest = 0;
    for (const PlacedFile *one : files)
        deepest = std::max(deepest, folderCount(one->name));
    for (deepest = std::min(deepest, kDeepest); level < deepest; ++level) {
        std::vector<Group> groups = groupsAt(files, level);
        if (groups.size() < 2)
            continue;
        markRepeats(groups);
        markWorldSizes(groups);
        if (std::ranges::none_of(groups, &Group::isApart))
            continue;
        PlacedFiles others;
        for (Group &group : groups) {
            if (group.isApart)
                divide(std::move(group.files), level + 1, runs);
            else
                others.insert(others.end(), group.files.begin(), group.files.end());
        }
        files = std::move(others);
    }
    if (!files.empty())
        runs.push_back({std::move(files), {}});
}

/// Where files of one start time are: the job's folder and the time.
std::string startOf(const PlacedFile &one)
{
    if (one.place.startTime.empty())
        return {};
    const size_t end = one.place.startTimeEnd ? one.place.startTimeEnd : one.name.find_last_of("/\\") + 1;
    return one.name.substr(0, end) + '\n' + one.place.startTime;
}

bool isAboutTime(const PlacedFile *one)
{
    return one->file->kind == RunFileKind::Trace || one->file->kind == RunFileKind::Log;
}

bool isBefore(const PlacedFile *a, const PlacedFile *b) { return a < b; }

} // namespace

std::vector<RunFiles> dividedIntoRuns(const PlacedFiles &files)
{
    std::map<std::string, PlacedFiles> byStart;
    PlacedFiles others;
    for (const PlacedFile *one : files) {
        const std::string start = startOf(*one);
        (start.empty() ? others : byStart[start]).push_back(one);
    }
    // A job may write memory logs and dumps beside the folders of its start times. With one start time, they are of it.
    if (byStart.size() == 1 && std::ranges::none_of(others, isAboutTime)) {
        PlacedFiles &known = byStart.begin()->second;
        known.insert(known.end(), others.begin(), others.end());
        others.clear();
    }
    std::vector<RunFiles> runs;
    const auto add = [&](PlacedFiles of, const std::string &family) {
        const size_t before = runs.size();
        divide(std::move(of), 0, runs);
        for (size_t at = before; at < runs.size(); ++at) {
            runs[at].family = family;
            std::ranges::sort(runs[at].files, isBefore); // back in natural order: all are elements of one list
        }
    };
    for (auto &[start, of] : byStart) {
        const PlaceInName &place = of.front()->place;
        const size_t end = place.startTimeEnd ? of.front()->name.find_last_of("/\\", place.startTimeEnd - 1) + 1
                                              : of.front()->name.find_last_of("/\\") + 1;
        const std::string family = of.front()->name.substr(0, end) + '\n';
        add(std::move(of), family);
    }
    add(std::move(others), {});
    return runs;
}

} // namespace riffle
