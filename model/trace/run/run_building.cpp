// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/base/format.h"
#include "model/base/natural_order.h"
#include "model/trace/run/name_words.h"
#include "model/trace/run/placed_file.h"

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace riffle {

namespace {

size_t kindOf(const PlacedFile &one) { return static_cast<size_t>(one.file->kind); }

/// Returns the folder that all files are in, without a slash at its end.
std::string commonFolder(const PlacedFiles &files)
{
    std::string_view common = files.front()->name;
    common = common.substr(0, common.find_last_of("/\\") + 1);
    for (const PlacedFile *one : files) {
        const std::string_view name = one->name;
        const auto [left, right] = std::ranges::mismatch(common, name);
        const size_t equal = static_cast<size_t>(left - common.begin());
        common = common.substr(0, common.substr(0, equal).find_last_of("/\\") + 1);
    }
    while (common.size() > 1 && (common.back() == '/' || common.back() == '\\'))
        common.remove_suffix(1);
    return std::string(common);
}

/// The last folder of a path.
std::string_view lastFolder(std::string_view path) { return path.substr(path.find_last_of("/\\") + 1); }

std::string_view parentOf(std::string_view path)
{
    path = path.substr(0, path.find_last_of("/\\") + 1);
    while (!path.empty() && (path.back() == '/' || path.back() == '\\'))
        path.remove_suffix(1);
    return path;
}

/// Reads which job the files are of, and when it started.
void nameJob(const PlacedFiles &files, Run &run)
{
    const auto started =
        std::ranges::find_if(files, [](const PlacedFile *one) { return !one->place.startTime.empty(); });
    if (started == files.end())
        return;
    const PlaceInName &place = (*started)->place;
    run.startTime = place.startTime;
    if (!place.startTimeEnd)
        return;
    std::string_view above = parentOf(std::string_view((*started)->name).substr(0, place.startTimeEnd));
    // The date and the time of day may be two folders.
    if (isDateAlone(lastFolder(above)))
        above = parentOf(above);
    run.job = lastFolder(above);
}

/// True if `later` continues what one worker recorded before.
bool continues(const PlacedFile &earlier, const PlacedFile &later)
{
    if (earlier.place.worker != later.place.worker || earlier.place.pid != later.place.pid)
        return false;
    const auto &before = earlier.recorded().span, &after = later.recorded().span;
    const bool areNumbered = earlier.place.span && later.place.span && *earlier.place.span != *later.place.span;
    if (before && after)
        return before->end <= after->begin && (areNumbered || !earlier.place.worker.empty());
    return areNumbered;
}

/// Sorts the files of one kind and rank by the time of their spans, and says whether they are spans.
bool sortSpans(PlacedFiles &files)
{
    const auto time = [](const PlacedFile *one) { return one->recorded().span; };
    const auto number = [](const PlacedFile *one) { return one->place.span; };
    if (std::ranges::all_of(files, [&](const PlacedFile *one) { return time(one).has_value(); }))
        std::ranges::stable_sort(files, {}, [&](const PlacedFile *one) { return time(one)->begin; });
    else if (std::ranges::all_of(files, [&](const PlacedFile *one) { return number(one).has_value(); }))
        std::ranges::stable_sort(files, {}, [&](const PlacedFile *one) { return *number(one); });
    for (size_t at = 1; at < files.size(); ++at)
        if (!continues(*files[at - 1], *files[at]))
            return false;
    return true;
}

/// Adds the coordinates of a file to those of its rank. Returns false if they contradict each other.
bool addCoordinates(const PlacedFile &one, RunCell &cell)
{
    bool agree = true;
    for (const ParallelCoordinate &coordinate : one.coordinates) {
        const auto known = std::ranges::find(cell.coordinates, coordinate.axis, &ParallelCoordinate::axis);
        if (known == cell.coordinates.end())
            cell.coordinates.push_back(coordinate);
        else
            agree &= known->index == coordinate.index;
    }
    return agree;
}

/// "2 traces", "3 snapshots"
std::string countedKind(size_t count, size_t kind)
{
    const std::string name = runFileKindName(static_cast<RunFileKind>(kind));
    return formatCounted(static_cast<int64_t>(count), name, name + "s");
}

/// Makes a run step by step.
class RunBuilding {
public:
    RunBuilding(const PlacedFiles &files, int64_t &room) : m_files(files), m_room(room) {}

    Run make()
    {
        m_run.folder = commonFolder(m_files);
        nameJob(m_files, m_run);
        makeCells();
        sizeWorld();
        addAxesAndHosts();
        for (const PlacedFile *one : m_files)
            addRemarks(*one);
        if (!m_run.unplaced.empty())
            remark(RunRemark::Kind::Unplaced,
                   formatCounted(static_cast<int64_t>(m_run.unplaced.size()), "file", "files") +
                       (m_run.unplaced.size() == 1 ? " has" : " have") +
                       " no place in the run: nothing tells the rank.");
        std::ranges::stable_sort(m_run.remarks, {}, &RunRemark::kind);
        return std::move(m_run);
    }

private:
    void remark(RunRemark::Kind kind, std::string sentence) { m_run.remarks.push_back({kind, std::move(sentence)}); }

    void makeCells()
    {
        std::map<uint32_t, PlacedFiles> byIdentity;
        for (const PlacedFile *one : m_files) {
            if (one->identity == PlacedFile::kUnplaced)
                m_run.unplaced.push_back(one->ref);
            else
                byIdentity[one->identity].push_back(one);
        }
        for (const auto &[identity, files] : byIdentity)
            m_run.cells.push_back(cellOf(files));
        std::ranges::stable_sort(m_run.cells, [](const RunCell &a, const RunCell &b) {
            if (a.rank && b.rank)
                return *a.rank < *b.rank;
            return a.rank || b.rank ? a.rank.has_value() : naturallyBefore(a.name(), b.name());
        });
    }

    RunCell cellOf(const PlacedFiles &files)
    {
        RunCell cell;
        cell.rank = files.front()->rank;
        std::array<PlacedFiles, kRunFileKinds> byKind;
        bool agree = true;
        PlacedFiles byEvidence = files;
        std::ranges::stable_sort(byEvidence, std::greater(), [](const PlacedFile *one) {
            return std::pair(!one->recorded().coordinates.empty(), one->rankFrom);
        });
        for (const PlacedFile *one : byEvidence)
            agree &= addCoordinates(*one, cell);
        for (const PlacedFile *one : files) {
            cell.rankFrom = std::max(cell.rankFrom, one->rankFrom);
            if (cell.host.empty())
                cell.host = one->host();
            byKind[kindOf(*one)].push_back(one);
        }
        if (!agree)
            remark(RunRemark::Kind::OtherCoordinates,
                   "The files of " + cell.name() + " tell different coordinates; the first ones count.");
        for (size_t kind = 0; kind < kRunFileKinds; ++kind) {
            PlacedFiles &ofKind = byKind[kind];
            cell.areDuplicates[kind] = !ofKind.empty() && !sortSpans(ofKind) && ofKind.front()->isOnePerRank();
            for (const PlacedFile *one : ofKind)
                cell.files[kind].push_back(one->ref);
            if (cell.areDuplicates[kind])
                remark(RunRemark::Kind::DuplicateRank, "There are " + countedKind(ofKind.size(), kind) + " of " +
                                                           cell.name() +
                                                           ", which are not recordings of one worker one after the "
                                                           "other.");
        }
        return cell;
    }

    /// Finds the world size, and adds cells for the ranks that are missing.
    void sizeWorld()
    {
        std::map<int64_t, int64_t> sizes;
        for (const PlacedFile *one : m_files)
            if (const int64_t size = one->recorded().worldSize.value_or(0);
                size > 0 && size <= RecordedPlace::kMostRanks)
                ++sizes[size];
        const auto ranked = std::ranges::find_if(m_run.cells, [](const RunCell &cell) { return !cell.rank; });
        const int64_t found = ranked - m_run.cells.begin();
        const int64_t most = found ? *m_run.cells[static_cast<size_t>(found - 1)].rank : -1;
        if (!sizes.empty()) {
            m_run.isWorldSizeRecorded = true;
            m_run.worldSize = sizes.rbegin()->first;
        } else if (found) {
            m_run.worldSize = most + 1;
        }
        if (sizes.size() > 1) {
            std::string text;
            for (const auto &[size, count] : sizes)
                text +=
                    (text.empty() ? "" : ", ") + formatCount(size) + " (" + formatCounted(count, "file", "files") + ")";
            remark(RunRemark::Kind::MixedWorldSizes, "The files record different world sizes: " + text + ".");
        }
        if (!m_run.worldSize || !found)
            return;
        int64_t below = 0;
        for (int64_t at = 0; at < found; ++at) {
            const RunCell &cell = m_run.cells[static_cast<size_t>(at)];
            below += *cell.rank < *m_run.worldSize;
            if (*cell.rank >= *m_run.worldSize)
                remark(RunRemark::Kind::BeyondWorldSize, "There is a " + cell.name() +
                                                             ", but the recorded world size is " +
                                                             formatCount(*m_run.worldSize) + ".");
        }
        m_run.missing = *m_run.worldSize - below;
        if (*m_run.worldSize > Run::kMostDense || m_run.missing > m_room)
            return;
        m_room -= m_run.missing;
        if (m_run.missing > 0)
            addMissing(*m_run.worldSize);
    }

    void addMissing(int64_t worldSize)
    {
        std::vector<RunCell> cells;
        size_t next = 0;
        for (int64_t rank = 0; rank < worldSize; ++rank) {
            if (next < m_run.cells.size() && m_run.cells[next].rank == rank)
                cells.push_back(std::move(m_run.cells[next++]));
            else
                cells.emplace_back().rank = rank;
        }
        std::move(m_run.cells.begin() + static_cast<std::ptrdiff_t>(next), m_run.cells.end(),
                  std::back_inserter(cells));
        m_run.cells = std::move(cells);
    }

    void addAxesAndHosts()
    {
        for (const RunCell &cell : m_run.cells) {
            for (const ParallelCoordinate &coordinate : cell.coordinates) {
                auto axis = std::ranges::find(m_run.axes, coordinate.axis, &Run::Axis::name);
                if (axis == m_run.axes.end())
                    axis = m_run.axes.insert(axis, {coordinate.axis, 0});
                axis->size = std::max(axis->size, coordinate.index + 1);
            }
        }
        for (const PlacedFile *one : m_files)
            if (!one->host().empty())
                m_run.hosts.push_back(one->host());
        std::ranges::sort(m_run.hosts, naturallyBefore);
        m_run.hosts.erase(std::unique(m_run.hosts.begin(), m_run.hosts.end()), m_run.hosts.end());
    }

    void addRemarks(const PlacedFile &one)
    {
        const auto rank = [](int64_t number) { return "rank " + std::to_string(number); };
        const PlaceInName &place = one.place;
        if (one.rankFrom == RankEvidence::Recorded && place.rank && *place.rank != *one.rank)
            remark(RunRemark::Kind::OtherRankInName,
                   one.name + ": It records " + rank(*one.rank) + ", and its path tells " + rank(*place.rank) + ".");
        else if (one.rankFrom == RankEvidence::FolderName && place.rankOfFile && *place.rankOfFile != *one.rank)
            remark(RunRemark::Kind::OtherRankInName, one.name + ": Its folder tells " + rank(*one.rank) +
                                                         ", and its name " + rank(*place.rankOfFile) + ".");
        if (place.rankFolderEnd && place.rankFrom != NameEvidence::Folder) {
            std::string folder = one.name.substr(0, place.rankFolderEnd);
            if (folder != m_folderOfMany)
                remark(RunRemark::Kind::FolderOfManyRanks,
                       folder + ": The folder is named like that of one rank, and has files of several.");
            m_folderOfMany = std::move(folder);
        }
        if (one.rankFrom == RankEvidence::Guess)
            remark(RunRemark::Kind::GuessedRank,
                   one.name + ": It is " + rank(*one.rank) + " by guess, from the " +
                       (!one.coordinates.empty()                      ? "coordinates in its name."
                        : one.file->kind == RunFileKind::InspectorLog ? "rank in its first communicator."
                                                                      : "number in its name."));
    }

    const PlacedFiles &m_files;
    int64_t &m_room;
    Run m_run;
    std::string m_folderOfMany; ///< the one that was named last
};

} // namespace

Run runOf(const PlacedFiles &files, int64_t &room) { return RunBuilding(files, room).make(); }

const char *runFileKindName(RunFileKind kind)
{
    constexpr std::array kNames = {"trace",      "recorder log",         "snapshot",          "memory timeline",
                                   "memory log", "Flight Recorder dump", "NCCL Inspector log"};
    static_assert(kNames.size() == kRunFileKinds);
    return kNames[static_cast<size_t>(kind)];
}

const char *rankEvidenceName(RankEvidence evidence)
{
    constexpr std::array kNames = {"nothing", "guess", "file name", "worker name", "folder name", "recorded"};
    return kNames[static_cast<size_t>(evidence)];
}

const char *remarkName(RunRemark::Kind kind)
{
    constexpr std::array kNames = {"other_rank_in_name", "other_coordinates", "folder_of_many_ranks",
                                   "mixed_world_sizes",  "beyond_world_size", "duplicate_rank",
                                   "guessed_rank",       "unplaced"};
    return kNames[static_cast<size_t>(kind)];
}

bool RunCell::isMissing() const
{
    return std::ranges::all_of(files, [](const std::vector<FileRef> &ofKind) { return ofKind.empty(); });
}

std::string RunCell::name() const { return rank ? "rank " + std::to_string(*rank) : coordinatesText(coordinates); }

std::string Run::title() const
{
    const std::string name = job.empty() ? std::string(lastFolder(folder)) : job;
    if (startTime.empty())
        return name;
    return name.empty() ? "started " + startTime : name + ", started " + startTime;
}

} // namespace riffle
