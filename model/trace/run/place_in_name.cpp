// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/trace/run/place_in_name.h"

#include "model/base/ascii.h"
#include "model/trace/run/name_words.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <span>
#include <utility>

namespace riffle {

namespace {

/// Data, tensor, pipeline, expert, context and sequence parallel; tensor and data parallel of experts; context parallel
/// of decoding; weight parallel of InternEvo, and its data parallel of weights.
constexpr std::array<std::string_view, 11> kAxes{"dp", "tp", "pp", "ep", "cp", "sp", "etp", "edp", "dcp", "wp", "wdp"};
constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kFullAxes{
    {{"data", "dp"}, {"tensor", "tp"}, {"pipeline", "pp"}, {"expert", "ep"}, {"context", "cp"}, {"sequence", "sp"}}};
/// Words in front of "rank" that make it another number than that of the rank: of a part of the job, or of a matrix.
constexpr std::array<std::string_view, 10> kOtherRanks{"local",  "node", "group",   "intra", "inter",
                                                       "server", "host", "machine", "lora",  "low"};
constexpr std::array<std::string_view, 3> kSpanFolders{"iteration", "iter", "step"};
constexpr std::array<std::string_view, 4> kHostFolders{"node", "host", "server", "machine"};
constexpr std::array<std::string_view, 2> kAscend{"_ascend_pt", "_ascend_ms"};
constexpr std::string_view kTensorBoard = ".pt.trace.json";
constexpr std::string_view kDigits = "0123456789";

bool isOneOf(std::string_view word, std::span<const std::string_view> words)
{
    return std::ranges::find(words, word) != words.end();
}

/// Adds a coordinate, or notes that an axis has two numbers.
void addCoordinate(std::vector<ParallelCoordinate> &to, std::vector<std::string> &unclear, std::string_view axis,
                   uint32_t index)
{
    const auto known = std::ranges::find(to, axis, &ParallelCoordinate::axis);
    if (known == to.end())
        to.push_back({std::string(axis), index});
    else if (known->index != index)
        unclear.emplace_back(axis);
}

/// The numbers that one name tells.
struct ToldByName {
    std::optional<int64_t> rank, worker; ///< "worker3"
    std::vector<ParallelCoordinate> coordinates;
    bool areApart = true;     ///< the axes from their numbers
    bool areAlone = true;     ///< the name has no other words
    bool hasFullAxes = false; ///< "data-0-pipeline-2-tensor-1"
};

ToldByName toldBy(std::string_view name)
{
    ToldByName told;
    std::vector<std::string> unclear;
    std::vector<ParallelCoordinate> full;
    const std::vector<NameWord> words = wordsOf(name);
    for (size_t at = 0; at < words.size(); ++at) {
        const NameWord &word = words[at];
        const std::string_view before = word.follows ? std::string_view(words[at - 1].text) : std::string_view();
        const bool isRank = word.text == "rank" || word.text == "globalrank";
        if (isRank && word.number && isOneOf(before, kAxes)) {
            addCoordinate(told.coordinates, unclear, before, *word.number);
        } else if (isRank && word.number && !word.isPart && !isOneOf(before, kOtherRanks)) {
            told.rank = *word.number;
        } else if (isOneOf(word.text, kAxes) && word.number && !word.isPart) {
            told.areApart &= word.isApart;
            addCoordinate(told.coordinates, unclear, word.text, *word.number);
        } else {
            told.areAlone = false;
            if (word.text == "worker" && word.number && !word.isPart && !before.starts_with("data") &&
                !before.starts_with("load"))
                told.worker = *word.number;
            for (const auto &[text, axis] : kFullAxes)
                if (word.text == text && word.number && word.isApart)
                    addCoordinate(full, unclear, axis, *word.number);
        }
    }
    if (told.coordinates.empty() && full.size() > 1) {
        told.coordinates = std::move(full);
        told.hasFullAxes = true;
    }
    std::erase_if(told.coordinates, [&](const ParallelCoordinate &coordinate) {
        return std::ranges::find(unclear, coordinate.axis) != unclear.end();
    });
    return told;
}

/// Takes the digits at the end of a text behind `separator`; nothing if there are none, or too many for a number.
std::optional<int64_t> takeNumber(std::string_view &text, char separator)
{
    const size_t last = text.find_last_not_of(kDigits);
    if (last == text.npos || last == 0 || text[last] != separator || last + 1 == text.size())
        return std::nullopt;
    int64_t number = 0;
    const auto read = std::from_chars(text.data() + last + 1, text.data() + text.size(), number);
    text = text.substr(0, last);
    return read.ec == std::errc() ? std::optional(number) : std::nullopt;
}

/// Splits "<host>_<pid>". A worker that is named after its rank or step has no host. "gpt-worker-0_301" has one,
/// because clusters name their machines in this way, while "worker3_step_12" is a rank.
void readHostAndProcess(std::string_view worker, PlaceInName &place)
{
    const auto pid = takeNumber(worker, '_');
    const ToldByName told = toldBy(worker);
    const bool isRankOfUser = told.worker && asciiLower(worker).starts_with("worker");
    if (!pid || *pid > UINT32_MAX || told.rank || isRankOfUser || !told.coordinates.empty() ||
        asciiLower(worker).ends_with("rank"))
        return;
    place.host = worker;
    place.pid = pid;
}

/// Reads "<worker>[.<digits>].pt.trace.json[.gz]" and "host_<host>pid_<pid>_time_…"; true if the name is a worker's.
bool readWorker(std::string_view file, PlaceInName &place)
{
    for (const std::string_view ending : {".gz", ".zst"})
        if (file.ends_with(ending))
            file.remove_suffix(ending.size());
    if (const size_t pid = file.find("pid_"); file.starts_with("host_") && pid != file.npos) { // Paddle
        const std::string_view digits = file.substr(pid + 4, file.find_first_not_of(kDigits, pid + 4) - pid - 4);
        int64_t number = 0;
        if (std::from_chars(digits.data(), digits.data() + digits.size(), number).ec == std::errc()) {
            place.host = file.substr(5, pid - 5);
            place.pid = number;
            place.worker = place.host + "_" + std::string(digits);
        }
        return false;
    }
    if (!file.ends_with(kTensorBoard) || file.size() == kTensorBoard.size())
        return false;
    file.remove_suffix(kTensorBoard.size());
    place.span = takeNumber(file, '.');
    place.worker = file;
    readHostAndProcess(file, place);
    return true;
}

/// The recorder names a log "<host>_rank<R>_<pid>.rifflelog", or "<host>_<pid>.rifflelog" without a rank.
void readLog(std::string_view file, PlaceInName &place)
{
    constexpr std::string_view kEnding = ".rifflelog";
    if (!file.ends_with(kEnding))
        return;
    file.remove_suffix(kEnding.size());
    place.worker = file;
    place.pid = takeNumber(file, '_');
    const size_t rank = file.rfind("_rank");
    if (rank != file.npos && file.find_first_not_of(kDigits, rank + 5) == file.npos)
        file = file.substr(0, rank);
    if (place.pid)
        place.host = file;
}

/// SGLang names a file "<seconds>-TP-0[-DP-1].trace.json.gz"; all files of one recording have the same number.
void readSglang(std::string_view file, PlaceInName &place)
{
    const size_t end = file.find_first_not_of("0123456789.");
    if (end >= 8 && end != file.npos && file[end] == '-' && asciiDigit(file[0]) && asciiDigit(file[end - 1]))
        place.startTime = file.substr(0, end);
}

/// Reads what else folders tell: the host, the worker of Ascend's profiler, one of several recordings.
void readFolder(std::string_view folder, PlaceInName &place)
{
    for (const std::string_view ending : kAscend)
        if (place.worker.empty() && folder.ends_with(ending)) {
            std::string_view worker = folder.substr(0, folder.size() - ending.size());
            place.span = takeNumber(worker, '_'); // the time of the recording, not of the job
            place.worker = worker;
            readHostAndProcess(worker, place);
        }
    const std::vector<NameWord> words = wordsOf(folder.substr(0, 64));
    if (words.size() != 1 || !words[0].number || words[0].isPart || !asciiDigit(folder.back()))
        return;
    if (place.host.empty() && isOneOf(words[0].text, kHostFolders))
        place.host = folder;
    if (!place.span && isOneOf(words[0].text, kSpanFolders)) {
        place.span = *words[0].number;
        place.isSpanOfFolder = true;
    }
}

/// Reads when the job started. A folder of a time inside that of a rank is not the job's.
void readStartTime(std::string_view path, std::string_view folder, size_t folderEnd, PlaceInName &place)
{
    if (std::ranges::any_of(kAscend, [&](std::string_view ending) { return folder.ends_with(ending); }))
        return;
    if (const auto time = timeInName(folder)) {
        place.startTime = folder.substr(time->begin, time->end - time->begin);
        if (place.host.empty() && time->end + 1 < folder.size())
            place.host = folder.substr(time->end + 1); // as TensorBoard's SummaryWriter names folders
    } else if (isTimeOfDayAlone(folder) && folderEnd > folder.size() + 1) {
        const std::string_view above = path.substr(0, folderEnd - folder.size() - 1);
        const std::string_view date = above.substr(above.find_last_of("/\\") + 1);
        if (!isDateAlone(date))
            return;
        place.startTime = std::string(date) + "_" + std::string(folder);
    } else {
        return;
    }
    place.startTimeEnd = folderEnd;
}

} // namespace

PlaceInName placeInName(std::string_view path)
{
    PlaceInName place;
    const size_t fileAt = path.find_last_of("/\\") + 1; // 0 if there is no folder
    const std::string_view file = path.substr(fileAt);
    readLog(file, place);
    const NameEvidence own = readWorker(file, place) ? NameEvidence::Worker : NameEvidence::File;
    ToldByName told = toldBy(file.substr(0, file.find(kTensorBoard)));
    place.rank = told.rank || !place.host.empty() ? told.rank : told.worker;
    place.rankFrom = place.rank ? own : NameEvidence::None;
    if (told.rank || told.areApart || told.hasFullAxes)
        place.coordinates = std::move(told.coordinates);
    else
        place.indicesOrSizes = toldBy(file.substr(0, file.find('.'))).areAlone ? std::move(told.coordinates)
                                                                               : std::vector<ParallelCoordinate>();
    if (!place.coordinates.empty() && !place.rank)
        readSglang(file, place);
    for (size_t end = fileAt; end > 0;) {
        const size_t begin = path.substr(0, end - 1).find_last_of("/\\") + 1;
        const std::string_view folder = path.substr(begin, end - 1 - begin);
        const size_t folderEnd = end - 1;
        end = begin;
        if (folder.empty())
            continue;
        readFolder(folder, place);
        if (place.startTimeEnd == 0 && (place.startTime.empty() || place.rankFolderEnd))
            readStartTime(path, folder, folderEnd, place);
        if (place.rankFolderEnd)
            continue;
        ToldByName above = toldBy(folder);
        if (!above.rank) {
            if (place.coordinates.empty() && place.indicesOrSizes.empty() && above.areAlone)
                place.indicesOrSizes = std::move(above.coordinates);
            continue;
        }
        place.rankFolderEnd = folderEnd;
        place.startTime.clear();
        place.startTimeEnd = 0;
        place.rankOfFile = std::exchange(place.rank, above.rank);
        place.rankFrom = NameEvidence::Folder;
        for (ParallelCoordinate &one : place.coordinates)
            if (std::ranges::find(above.coordinates, one.axis, &ParallelCoordinate::axis) == above.coordinates.end())
                above.coordinates.push_back(std::move(one));
        place.coordinates = std::move(above.coordinates);
    }
    if (place.rankFrom == NameEvidence::Folder || !place.coordinates.empty())
        place.indicesOrSizes.clear();
    return place;
}

std::string coordinatesText(const std::vector<ParallelCoordinate> &coordinates)
{
    std::string text;
    for (const ParallelCoordinate &coordinate : coordinates)
        text += (text.empty() ? "" : ", ") + coordinate.axis + " " + std::to_string(coordinate.index);
    return text;
}

} // namespace riffle
