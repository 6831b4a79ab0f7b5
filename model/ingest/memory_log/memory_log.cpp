// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/memory_log/memory_log.h"

#include "model/base/mapped_file.h"
#include "model/base/parallel.h"
#include "model/ingest/archive_text.h"
#include "model/ingest/memory_log/log_parser.h"
#include "model/ingest/memory_log/sunburst_page.h"
#include "model/ingest/resume_index.h"
#include "model/trace/json_entries.h"
#include "model/trace/run/place_in_name.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <filesystem>

namespace riffle {

namespace {

namespace fs = std::filesystem;
constexpr size_t kLogHead = 4096;
constexpr uint64_t kLargestPage = 64 << 20;
constexpr std::array kLogNames = {"memory.log", "memory.log.gz", "memory.log.zst"};

std::string_view textOf(const MappedFile &file)
{
    return {reinterpret_cast<const char *>(file.data()), static_cast<size_t>(file.size())};
}

bool isFolder(const fs::path &path)
{
    std::error_code error;
    return fs::is_directory(path, error);
}
bool isFile(const fs::path &path)
{
    std::error_code error;
    return fs::is_regular_file(path, error);
}

/// The entries of a folder, ordered by name; none if the folder cannot be read.
std::vector<fs::path> entriesOf(const fs::path &folder)
{
    constexpr size_t kMost = 1 << 20;
    std::error_code error;
    std::vector<fs::path> entries;
    for (fs::directory_iterator at(folder, error), end; !error && at != end && entries.size() < kMost;
         at.increment(error))
        entries.push_back(at->path());
    std::sort(entries.begin(), entries.end());
    return entries;
}

bool isPageName(const fs::path &path) { return path.filename().string().ends_with("_sunburst.html"); }

/// Returns a rank's log, compressed or not; empty if the folder has none.
fs::path logIn(const fs::path &folder)
{
    for (const char *name : kLogNames)
        if (isFile(folder / name))
            return folder / name;
    return {};
}

bool isRankFolder(const fs::path &folder)
{
    const auto entries = entriesOf(folder);
    return !logIn(folder).empty() || std::any_of(entries.begin(), entries.end(), isPageName);
}

/// The numbers that the name of a rank's folder tells: those of "rank0_dp0_wp0_tp0" are rank 0, dp 0, … None if it is
/// not named like one.
std::vector<std::pair<std::string, int64_t>> numbersOf(const fs::path &folder)
{
    const PlaceInName place = placeInName(folder.filename().string());
    std::vector<std::pair<std::string, int64_t>> numbers;
    if (place.rank)
        numbers.emplace_back("rank", *place.rank);
    for (const ParallelCoordinate &one : place.rank ? place.coordinates : place.indicesOrSizes)
        numbers.emplace_back(one.axis, one.index);
    return numbers;
}

/// The folders of the ranks inside a folder of all ranks.
std::vector<fs::path> rankFolders(const fs::path &folder)
{
    std::vector<fs::path> found;
    for (const fs::path &entry : entriesOf(folder))
        if (!numbersOf(entry).empty() && isFolder(entry))
            found.push_back(entry);
    std::stable_sort(found.begin(), found.end(),
                     [](const fs::path &a, const fs::path &b) { return numbersOf(a) < numbersOf(b); });
    return found;
}

/// True for the folder of a rank, and for a folder of all ranks. Other folders are named like those of ranks, too: a
/// job writes its traces into folders with the same names.
bool holdsLog(const fs::path &folder)
{
    const auto folders = rankFolders(folder);
    return isRankFolder(folder) || std::any_of(folders.begin(), folders.end(), isRankFolder);
}

bool hasOtherFolder(const fs::path &folder, std::string_view than)
{
    const auto entries = entriesOf(folder);
    return std::any_of(entries.begin(), entries.end(),
                       [&](const fs::path &entry) { return entry.filename() != than && isFolder(entry); });
}

void readPage(const fs::path &path, MemoryLogRank &rank)
{
    MemoryLogPage failed;
    failed.file = failed.title = path.filename().string();
    const auto file = MappedFile::open(path.string());
    if (!file) {
        failed.damage = file.error();
    } else if ((*file)->size() > kLargestPage) {
        failed.damage = Error{"The page is larger than any page that the profiler writes.", path.string(), std::nullopt,
                              ErrorKind::Limit};
    } else {
        auto page = readSunburstPage(textOf(**file), path.string());
        if (page && !(*file)->lost()) {
            rank.pages.push_back(std::move(*page));
            return;
        }
        failed.damage = (*file)->lost() ? sourceChanged(path.string()) : page.error();
    }
    rank.pages.push_back(std::move(failed));
}

/// The limits on reading the logs of all ranks, and the task that can stop it.
struct Reading {
    ByteSourceOptions source;
    std::atomic<int64_t> room; ///< bytes that inflated texts may still take
    const Task &task;
};

void parseLog(std::string_view text, MemoryLogRank &rank, const Task &task)
{
    try {
        parseMemoryLog(text, rank, task);
    } catch (const std::bad_alloc &) {
        rank.damage =
            Error{"There is not enough memory for the contents of the log.", rank.path, std::nullopt, ErrorKind::Limit};
    }
    if (rank.points.empty() && !rank.damage)
        rank.damage = Error{"The log contains no state.", rank.path, std::nullopt};
}

void readLog(const fs::path &path, MemoryLogRank &rank, Reading &reading)
{
    const auto file = MappedFile::open(path.string());
    if (!file) {
        rank.damage = file.error();
        return;
    }
    rank.path = path.string();
    rank.fileBytes = (*file)->size();
    (*file)->adviseSequential();
    if (isArchive(textOf(**file))) {
        ArchiveText archive = readArchive(rank.path, reading.source, reading.room, reading.task);
        parseLog(archive.text, rank, reading.task);
        reading.room += static_cast<int64_t>(archive.text.size());
        if (archive.damage) // this explains why the text ends inside a state
            rank.damage = std::move(archive.damage);
    } else {
        parseLog(textOf(**file), rank, reading.task);
    }
    if ((*file)->lost())
        rank.damage = sourceChanged(rank.path);
    if (reading.task.progress)
        reading.task.progress->bytesDone += rank.fileBytes;
}

void readFolder(const fs::path &folder, MemoryLogRank &rank, Reading &reading)
{
    rank.path = folder.string();
    if (const fs::path log = logIn(folder); !log.empty())
        readLog(log, rank, reading);
    for (const fs::path &entry : entriesOf(folder))
        if (isPageName(entry))
            readPage(entry, rank);
}

void nameRank(const fs::path &folder, MemoryLogRank &rank)
{
    if (auto numbers = numbersOf(folder); !numbers.empty()) {
        rank.folder = folder.filename().string();
        rank.coordinates = std::move(numbers);
    }
}

bool hasAnything(const MemoryLogRank &rank)
{
    return !rank.points.empty() ||
           std::any_of(rank.pages.begin(), rank.pages.end(), [](const MemoryLogPage &page) { return !page.damage; });
}

} // namespace

bool isMemoryLog(const SniffedFile &file)
{
    const std::string &path = file.path();
    if (file.isFolder()) // the folder of a job may have traces beside the log
        return holdsLog(path) || (holdsLog(fs::path(path) / "memory_trace") && !hasOtherFolder(path, "memory_trace"));
    if (looksLikeMemoryLog(file.head().substr(0, kLogHead)))
        return true;
    const std::string_view text = file.bytes();
    return !file.isPacked() && text.size() <= kLargestPage && text.substr(0, 64).find('<') != text.npos &&
           looksLikeSunburstPage(text);
}

void peekMemoryLog(const SniffedFile &sniffed, RunFile &file)
{
    fs::path place = sniffed.path();
    if (!sniffed.isFolder() || isRankFolder(place))
        return;
    const bool isBelow = isFolder(place / "memory_trace");
    if (isBelow)
        place /= "memory_trace";
    for (const fs::path &folder : rankFolders(place))
        file.parts.push_back((isBelow ? "memory_trace/" : "") + folder.filename().string());
}

Result<std::shared_ptr<const MemoryLog>> readMemoryLog(const std::string &path, const ImportOptions &options, Task task)
{
    const auto begin = std::chrono::steady_clock::now();
    Reading reading{{options.inflateLimit, options.spillFolder},
                    static_cast<int64_t>(std::min<uint64_t>(options.memoryLimit, INT64_MAX)),
                    task};
    auto log = std::make_shared<MemoryLog>();
    log->path = path;
    // Remove a slash at the end, so that the last component is the name of the folder or file.
    fs::path place = fs::path(path).lexically_normal();
    if (!place.has_filename())
        place = place.parent_path();
    const auto kNoLog =
        Error{"This is neither a log of InternEvo's memory profiler nor a folder with its ranks.", path, std::nullopt};
    if (isFolder(place)) {
        if (isFolder(place / "memory_trace") && !isRankFolder(place))
            place /= "memory_trace";
        std::vector<fs::path> folders = isRankFolder(place) ? std::vector<fs::path>{place} : rankFolders(place);
        log->ranks.resize(folders.size());
        parallelFor(folders.size(), [&](size_t at) {
            nameRank(folders[at], log->ranks[at]);
            readFolder(folders[at], log->ranks[at], reading);
        });
    } else {
        const auto file = MappedFile::open(path);
        if (!file)
            return file.error();
        if (textOf(**file).empty())
            return Error{"The file is empty.", path, std::nullopt};
        MemoryLogRank &rank = log->ranks.emplace_back();
        nameRank(place.parent_path(), rank);
        rank.path = path;
        if (isArchive(textOf(**file)) ? looksLikeMemoryLog(headOfArchive(path, kLogHead))
                                      : looksLikeMemoryLog(textOf(**file).substr(0, kLogHead)))
            readLog(place, rank, reading);
        else if (textOf(**file).size() <= kLargestPage && looksLikeSunburstPage(textOf(**file)))
            readPage(place, rank);
        else
            return kNoLog;
    }
    if (task.stopped())
        return Error{"Reading was stopped.", path, std::nullopt, ErrorKind::Cancelled};
    if (log->ranks.empty())
        return kNoLog;
    if (std::none_of(log->ranks.begin(), log->ranks.end(), hasAnything)) {
        const MemoryLogRank &first = log->ranks.front();
        return first.damage ? *first.damage
               : !first.pages.empty()
                   ? *first.pages.front().damage
                   : Error{"No rank's folder contains a log or a sunburst page.", path, std::nullopt};
    }
    log->loadSeconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return std::shared_ptr<const MemoryLog>(std::move(log));
}

} // namespace riffle
