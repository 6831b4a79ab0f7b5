// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/perfetto/importer.h"

#include "model/ingest/chrome_json/importer.h"
#include "model/ingest/perfetto/fields.h"
#include "model/ingest/perfetto/perfetto_source.h"
#include "model/ingest/perfetto/wire_reader.h"

#include <algorithm>
#include <array>
#include <utility>

namespace riffle {

using namespace perfetto;

namespace {

/// Fields that the first packet of a trace has, with their types: other texts that start with a line break do not.
constexpr std::array kVarints = {packet::kTimestamp, packet::kSequence, packet::kSequenceFlags, packet::kClockId, 3u};
constexpr std::array kMessages = {packet::kClockSnapshot,
                                  packet::kTrackEvent,
                                  packet::kInternedData,
                                  packet::kTrackDescriptor,
                                  packet::kRenderStage,
                                  packet::kDefaults,
                                  packet::kGpuCounter,
                                  33u,
                                  36u,
                                  45u,
                                  89u};

/// True if a packet has one of these fields and none with a wrong type. It may be cut off.
bool isPacket(std::string_view bytes, bool isCut)
{
    bool known = false;
    WireReader reader(bytes);
    while (const auto field = reader.next()) {
        const bool isVarint = std::find(kVarints.begin(), kVarints.end(), field->number) != kVarints.end();
        const bool isMessage = std::find(kMessages.begin(), kMessages.end(), field->number) != kMessages.end();
        if ((isVarint && !field->isVarint()) || (isMessage && !field->isBytes()))
            return false;
        known |= isVarint || isMessage;
    }
    return isCut ? known : known && !reader.broken();
}

/// True if a packet that is cut off starts with a long message, such as interned data.
bool startsWithMessage(std::string_view bytes, uint64_t packetBytes)
{
    const auto tag = takeVarint(bytes);
    const auto length = tag ? takeVarint(bytes) : std::nullopt;
    return length && (*tag & 7) == 2 && *length <= packetBytes &&
           std::find(kMessages.begin(), kMessages.end(), *tag >> 3) != kMessages.end();
}

} // namespace

bool looksLikePerfetto(std::string_view head)
{
    constexpr std::string_view kTag = "\x0A";
    size_t packets = 0;
    while (head.starts_with(kTag)) {
        head.remove_prefix(1);
        const auto length = takeVarint(head);
        if (!length)
            break;
        const bool isCut = *length > head.size();
        const std::string_view bytes = head.substr(0, isCut ? head.size() : static_cast<size_t>(*length));
        // Only the first packets are judged: later ones may be of any kind.
        if (packets == 0 && !isPacket(bytes, isCut) && !(isCut && startsWithMessage(bytes, *length)))
            return false;
        ++packets;
        if (isCut)
            return true;
        head.remove_prefix(bytes.size());
    }
    return packets > 0 && head.size() < 2;
}

bool isPerfetto(const SniffedFile &file) { return looksLikePerfetto(file.head()); }

Result<std::shared_ptr<const Trace>> importPerfetto(const std::string &path, const ImportOptions &options, Task task)
{
    const auto report = std::make_shared<ImportReport>();
    const auto open = [&] {
        report->clear();
        return PerfettoSource::open(path, byteSourceOptions(options), options.memoryLimit / 2, task, report);
    };
    const auto read = importChromeJson(path, open, options, task);
    if (!read)
        return read.error();
    const auto trace = std::make_shared<Trace>(**read);
    trace->info.format = "Perfetto";
    trace->report.merge(*report);
    return std::shared_ptr<const Trace>(trace);
}

} // namespace riffle
