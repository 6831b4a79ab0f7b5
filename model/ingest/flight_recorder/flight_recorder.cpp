// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/flight_recorder/flight_recorder.h"

#include "model/ingest/archive_text.h"
#include "model/ingest/flight_marks.h"
#include "model/ingest/flight_recorder/dump_json.h"
#include "model/ingest/flight_recorder/dump_pickle.h"
#include "model/ingest/resume_index.h"
#include "model/trace/run/place_in_name.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace riffle {

namespace {

using namespace std::string_view_literals;

/// Says what a file is that is no dump.
std::string whyNoDump(std::string_view head)
{
    if (head.empty())
        return "The file is empty.";
    if (head.starts_with("PK\x03\x04"))
        return "This is a zip archive, as torch.save() writes it for checkpoints. A dump of the Flight Recorder is a "
               "plain pickle or JSON.";
    if (head.starts_with("\x80\x02\x8a\nl\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19"sv))
        return "This is a checkpoint of torch.save(), not a dump of the Flight Recorder.";
    const auto holds = [&](std::string_view word) { return head.find(word) != head.npos; };
    if (startsLikePickle(head))
        return holds("segments") || holds("device_traces")
                   ? "This is a memory snapshot, not a dump of the Flight Recorder."
                   : "This pickle does not start like a dump of the Flight Recorder, which names its groups "
                     "(pg_config) or an entry first.";
    if (withoutBlanks(head).starts_with('{') || withoutBlanks(head).starts_with('['))
        return holds("traceEvents") || holds("\"ph\"") || holds("schemaVersion")
                   ? "This is a trace, not a dump of the Flight Recorder."
                   : "This JSON does not start like a dump of the Flight Recorder.";
    return "This is neither a pickle nor JSON, so it is no dump of the Flight Recorder.";
}

/// The name without the endings that dumps have; other dots belong to the name.
std::string_view withoutEndings(std::string_view name)
{
    constexpr std::array kEndings = {".json"sv, ".pickle"sv, ".pkl"sv, ".gz"sv, ".zst"sv, ".txt"sv, ".dump"sv};
    for (bool isAny = true; isAny;) {
        isAny = false;
        for (const std::string_view ending : kEndings)
            if (name.ends_with(ending)) {
                name.remove_suffix(ending.size());
                isAny = true;
            }
    }
    return name;
}

} // namespace

bool isFlightDump(const SniffedFile &file)
{
    return !file.isFolder() && file.isThere() && looksLikeFlightDump(file.head());
}

RankOfName rankOfDumpName(const std::string &path)
{
    constexpr uint32_t kMostRanks = 1 << 20; // as in the lists of ranks of a dump
    const PlaceInName place = placeInName(path);
    if (const auto rank = place.rankOfFile ? place.rankOfFile : place.rank)
        return *rank < kMostRanks ? RankOfName{rank, false} : RankOfName{};
    std::string_view name = withoutEndings(std::string_view(path).substr(path.find_last_of("/\\") + 1));
    const size_t from = name.find_last_not_of("0123456789") + 1;
    uint32_t number = 0;
    const auto end = std::from_chars(name.data() + from, name.data() + name.size(), number);
    if (from == 0 || end.ec != std::errc() || number >= kMostRanks)
        return {};
    return {number, true};
}

void peekFlightDump(const SniffedFile &sniffed, RunFile &file)
{
    if (const RankOfName told = rankOfDumpName(sniffed.path()); told.isGuessed)
        file.guessedRank = told.rank;
}

Result<std::shared_ptr<const FlightDump>> readFlightDumpText(ByteSource &source, std::string_view head,
                                                             const std::string &path, const Task &task)
{
    const auto dump = std::make_shared<FlightDump>();
    dump->path = path;
    dump->fileBytes = source.fileBytes();
    const RankOfName rank = rankOfDumpName(path);
    dump->rank = rank.rank;
    dump->isRankGuessed = rank.isGuessed;
    const bool isPickle = startsLikePickle(head);
    if (!isPickle && !withoutBlanks(head).starts_with('{'))
        return Error{whyNoDump(head), path, std::nullopt};
    const auto mapped = source.mapped();
    dump->container = isPickle ? "pickle" : "JSON";
    if (!mapped)
        dump->container += std::string(" in ") + source.container();
    // Text that compresses better than this is not that of a dump.
    constexpr uint64_t kMostPacked = 100;
    const auto read =
        isPickle ? readDumpPickle(source, mapped ? mapped->size() : source.fileBytes() * kMostPacked, *dump, task)
                 : readDumpJson(source, *dump, task);
    if (!read)
        return read.error().offset || looksLikeFlightDump(head) || read.error().kind != ErrorKind::Unreadable
                   ? read.error()
                   : Error{whyNoDump(head), path, std::nullopt};
    return std::shared_ptr<const FlightDump>(dump);
}

Result<std::shared_ptr<const FlightDump>> readFlightDump(const std::string &path, const ImportOptions &options,
                                                         Task task)
{
    const auto opened = openText(path, options, task);
    if (!opened)
        return opened.error();
    const std::string head(opened->isPacked ? headOfArchive(path, SniffedFile::kHead)
                                            : std::string(reinterpret_cast<const char *>(opened->file->data()),
                                                          std::min<size_t>(opened->file->size(), SniffedFile::kHead)));
    if (head.empty())
        return whyNoText(path);
    // A checkpoint or a snapshot of many gigabytes is told apart by its begin alone.
    if (!looksLikeFlightDump(head))
        return Error{whyNoDump(head), path, std::nullopt};
    auto read = readFlightDumpText(*opened->source, head, path, task);
    if (opened->file->lost())
        return sourceChanged(path);
    return read;
}

} // namespace riffle
