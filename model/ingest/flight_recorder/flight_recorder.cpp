// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/flight_recorder/flight_recorder.h"

#include "model/base/mapped_file.h"
#include "model/ingest/archive_text.h"
#include "model/ingest/flight_marks.h"
#include "model/ingest/flight_recorder/dump_json.h"
#include "model/ingest/flight_recorder/dump_pickle.h"
#include "model/ingest/plain_source.h"
#include "model/ingest/resume_index.h"

#include <algorithm>
#include <cctype>
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

} // namespace

bool isFlightDump(const SniffedFile &file)
{
    return !file.isFolder() && file.isThere() && looksLikeFlightDump(file.head());
}

RankOfName rankOfDumpName(const std::string &path)
{
    std::string name = path.substr(path.find_last_of("/\\") + 1);
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    for (bool cut = true; cut;) {
        cut = false;
        for (const std::string_view ending : {".gz", ".zst", ".json", ".pickle", ".pkl", ".txt", ".dump"})
            if (name.ends_with(ending) && name.size() > ending.size()) {
                name.resize(name.size() - ending.size());
                cut = true;
            }
    }
    const auto isDigit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
    const auto numberAt = [&](size_t from) -> std::optional<int64_t> {
        int64_t number = 0;
        const auto read = std::from_chars(name.data() + from, name.data() + name.size(), number);
        constexpr int64_t kMostRanks = 1 << 20;
        return read.ec == std::errc() && number >= 0 && number < kMostRanks ? std::optional(number) : std::nullopt;
    };
    for (size_t at = name.rfind("rank"); at != name.npos; at = at == 0 ? name.npos : name.rfind("rank", at - 1)) {
        size_t from = at + 4;
        if (from < name.size() && "_-="sv.find(name[from]) != std::string_view::npos)
            ++from;
        if (from < name.size() && isDigit(name[from]))
            if (const auto number = numberAt(from))
                return {number, false};
    }
    size_t from = name.size();
    while (from > 0 && isDigit(name[from - 1]))
        --from;
    const auto number = from < name.size() ? numberAt(from) : std::nullopt;
    return {number, number.has_value()};
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
    const auto file = MappedFile::open(path);
    if (!file)
        return file.error();
    const std::string_view bytes(reinterpret_cast<const char *>((*file)->data()), static_cast<size_t>((*file)->size()));
    if (bytes.empty())
        return Error{"The file is empty.", path, std::nullopt};
    if (task.progress)
        task.progress->bytesTotal = bytes.size();
    std::unique_ptr<ByteSource> source;
    std::string head(bytes.substr(0, SniffedFile::kHead));
    if (isArchive(bytes)) {
        head = headOfArchive(path, SniffedFile::kHead);
        if (head.empty())
            return whyNoText(path);
        ByteSourceOptions sourceOptions;
        sourceOptions.inflateLimit = options.inflateLimit;
        sourceOptions.spillFolder = options.spillFolder;
        auto opened = ByteSource::open(path, sourceOptions);
        if (!opened)
            return opened.error();
        source = std::move(*opened);
    } else {
        (*file)->adviseSequential();
        source = std::make_unique<PlainSource>(*file);
    }
    // A checkpoint or a snapshot of many gigabytes is told apart by its begin alone.
    if (!looksLikeFlightDump(head))
        return Error{whyNoDump(head), path, std::nullopt};
    auto read = readFlightDumpText(*source, head, path, task);
    if ((*file)->lost())
        return sourceChanged(path);
    return read;
}

} // namespace riffle
