// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/importers.h"

#include "model/base/column_memory.h"
#include "model/ingest/byte_source.h"
#include "model/ingest/chrome_json/importer.h"
#include "model/ingest/chrome_json/peeked_place.h"
#include "model/ingest/collector_log/collector_log.h"
#include "model/ingest/collector_log/growing_log.h"
#include "model/ingest/collector_log/importer.h"
#include "model/ingest/collector_log/log_text.h"
#include "model/ingest/cuda_snapshot/cuda_snapshot.h"
#include "model/ingest/cuda_snapshot/snapshot_files.h"
#include "model/ingest/flight_marks.h"
#include "model/ingest/flight_recorder/flight_recorder.h"
#include "model/ingest/memory_log/memory_log.h"
#include "model/ingest/memory_timeline/memory_timeline.h"
#include "model/ingest/nccl_inspector/nccl_inspector.h"
#include "model/ingest/perfetto/importer.h"

#include <algorithm>
#include <array>
#include <utility>

namespace riffle {

namespace {

Result<std::shared_ptr<const Trace>> importJson(const std::string &path, const ImportOptions &options, Task task)
{
    const auto open = [&] { return ByteSource::open(path, byteSourceOptions(options)); };
    auto read = importChromeJson(path, open, options, std::move(task));
    if (!read && read.error().kind == ErrorKind::Unreadable) {
        // A plain file was told apart before it was read; an archive is looked into only now.
        const SniffedFile file(path);
        if (looksLikeFlightDump(file.head()) || looksLikeInspectorLog(file.head()))
            return Error{foreignSentence(file.head()), path, std::nullopt};
    }
    return read;
}

/// The reader of one kind of file as a reader of any kind.
template <auto kRead>
Result<ImportedFile> openWith(const std::string &path, const ImportOptions &options, Task task)
{
    auto read = kRead(path, options, std::move(task));
    return read ? Result<ImportedFile>(std::move(*read)) : Result<ImportedFile>(read.error());
}

// The order decides about files that several rows recognise: content comes before names, so that snapshots, which may
// be recognised by their names, come after everything that is recognised by its content.
constexpr std::array kImporters = {
    Importer{.name = "log of Riffle's collector",
             .kind = FileKind::Trace,
             .runKind = RunFileKind::Log,
             .endings = "*.part",
             .recognises = CollectorLog::isLog,
             .open = openWith<importCollectorLog>,
             .openText = openLogText,
             .follow = followCollectorLog,
             .textLacksNames = true},
    Importer{.name = "memory timeline",
             .kind = FileKind::MemoryTimeline,
             .runKind = RunFileKind::MemoryTimeline,
             .endings = "*.json *.gz *.zst *.html",
             .recognises = isMemoryTimeline,
             .open = openWith<readMemoryTimeline>},
    Importer{.name = "log of InternEvo's memory profiler",
             .kind = FileKind::MemoryLog,
             .runKind = RunFileKind::MemoryLog,
             .endings = "*.log *.gz *.zst *.html",
             .recognises = isMemoryLog,
             .open = openWith<readMemoryLog>,
             .peek = peekMemoryLog},
    Importer{.name = "dump of PyTorch's Flight Recorder",
             .kind = FileKind::FlightDump,
             .runKind = RunFileKind::FlightDump,
             .endings = "*.pickle *.pkl *.json *.gz *.zst",
             .recognises = isFlightDump,
             .open = openWith<readFlightDump>,
             .peek = peekFlightDump},
    Importer{.name = "log of NCCL Inspector",
             .kind = FileKind::InspectorLog,
             .runKind = RunFileKind::InspectorLog,
             .endings = "*.log *.json *.gz *.zst",
             .recognises = isInspectorLog,
             .open = openWith<readInspectorLog>,
             .peek = peekInspectorLog},
    Importer{.name = "memory snapshot",
             .kind = FileKind::Snapshot,
             .runKind = RunFileKind::Snapshot,
             .endings = "*.pickle *.pkl *.gz *.zst *.html",
             .recognises = isSnapshotFile,
             .open = openWith<readMemorySnapshot>},
    Importer{.name = "Perfetto trace",
             .kind = FileKind::Trace,
             .endings = "*.pftrace *.perfetto-trace *.gz *.zst",
             .recognises = isPerfetto,
             .open = openWith<importPerfetto>},
    Importer{.name = "Chrome JSON",
             .kind = FileKind::Trace,
             .endings = "*.json *.gz *.zst",
             .recognises = [](const SniffedFile &) { return true; },
             .open = openWith<importJson>,
             .peek = peekChromeJson},
};

template <typename Wanted>
const Importer &importerFor(const SniffedFile &file, Wanted wanted)
{
    return *std::find_if(kImporters.begin(), kImporters.end() - 1,
                         [&](const Importer &one) { return wanted(one) && one.recognises(file); });
}

} // namespace

bool isAboutMemory(FileKind kind)
{
    return kind == FileKind::Snapshot || kind == FileKind::MemoryTimeline || kind == FileKind::MemoryLog;
}

const char *whyNoPage(FileKind kind)
{
    if (kind == FileKind::InspectorLog)
        return "A log of NCCL Inspector has no page in the window yet: riffle-cli info shows what it contains.";
    return nullptr;
}

std::span<const Importer> importers() { return kImporters; }

const Importer &importerOf(const std::string &path) { return importerOf(SniffedFile(path)); }

const Importer &importerOf(const SniffedFile &file)
{
    return importerFor(file, [](const Importer &) { return true; });
}

const Importer &traceImporterOf(const std::string &path)
{
    return importerFor(SniffedFile(path), [](const Importer &one) { return one.kind == FileKind::Trace; });
}

std::vector<std::string> fileEndings()
{
    std::vector<std::string> endings;
    for (const Importer &one : kImporters)
        for (std::string_view rest = one.endings; !rest.empty();) {
            const std::string ending(rest.substr(0, rest.find(' ')));
            rest.remove_prefix(std::min(rest.size(), ending.size() + 1));
            if (std::find(endings.begin(), endings.end(), ending) == endings.end())
                endings.push_back(ending);
        }
    return endings;
}

std::shared_ptr<ColumnMemory> columnMemory(const ImportOptions &options)
{
    // An eighth is left for everything outside the columns: strings, tables, lists per lane, text that is being read.
    return std::make_shared<ColumnMemory>(options.memoryLimit - options.memoryLimit / 8, options.spillFolder,
                                          options.isLimitShared ? ColumnMemory::Counts::AllInUse
                                                                : ColumnMemory::Counts::Own);
}

Result<std::shared_ptr<const Trace>> importTrace(const std::string &path, const ImportOptions &options, Task task)
{
    const Result<ImportedFile> read = traceImporterOf(path).open(path, options, std::move(task));
    if (!read)
        return read.error();
    return std::get<std::shared_ptr<const Trace>>(*read);
}

} // namespace riffle
