// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/ranks/flight_calls.h"
#include "model/analysis/ranks/hang.h"
#include "model/ingest/flight_marks.h"
#include "model/ingest/flight_recorder/flight_recorder.h"
#include "tests/fuzz/effort.h"
#include "tests/fuzz/require.h"
#include "tests/support/chunked_source.h"

#include <string_view>

using namespace riffle;
using test::require;

/// Reads a pickle or JSON at once and in pieces, checks that all ids are valid, and compares the dump with itself as
/// that of other ranks.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    const test::Effort effort(size, {.bytes = uint64_t(1) << 30, .bytesPerByte = 1000});
    const std::string_view text(reinterpret_cast<const char *>(data), size - 1);
    looksLikeFlightDump(text);
    looksLikeInspectorLog(text);
    test::ChunkedSource whole(text), pieces(text, 1 + data[size - 1] % 61);
    const auto mapped = readFlightDumpText(whole, text.substr(0, 4096), "rank_0", {}),
               streamed = readFlightDumpText(pieces, text.substr(0, 4096), "rank_0", {});
    if (!mapped || !streamed) {
        // The limit for an archive is higher than that for a plain file.
        const auto isLimit = [](const auto &one) { return !one && one.error().kind == ErrorKind::Limit; };
        require(bool(mapped) == bool(streamed) || isLimit(mapped) || isLimit(streamed), "only one could be read");
        return 0;
    }
    const FlightDump &dump = **mapped, &other = **streamed;
    require(dump.entries.size() == other.entries.size() && dump.groups.size() == other.groups.size(), "counts differ");
    require(dump.unreadable == other.unreadable && bool(dump.damage) == bool(other.damage), "problems differ");
    require(dump.discovered.size() == dump.entries.size(), "a column is too short");
    for (const FlightEntry &entry : dump.entries) {
        require(entry.group < dump.groups.size() && entry.stack + 1 < dump.stackBegin.size(), "an id is too large");
        for (const uint32_t id :
             {entry.name, entry.inputs.sizes, entry.inputs.dtypes, entry.outputs.sizes, entry.outputs.dtypes})
            require(id < dump.texts.size(), "a text is missing");
        for (const uint32_t frame : dump.stack(entry.stack))
            require(frame < dump.frames.size() && dump.frames[frame].name < dump.texts.size() &&
                        dump.frames[frame].file < dump.texts.size(),
                    "a frame is missing");
    }
    // Half of the calls as another rank, so that something is missing.
    const auto second = std::make_shared<FlightDump>(dump);
    second->rank = 1;
    second->entries.resize(second->entries.size() / 2);
    second->discovered.resize(second->entries.size());
    // A high rank must cost neither time nor memory.
    for (const int64_t rank : {int64_t(1), int64_t(1 << 20) - 1}) {
        second->rank = rank;
        const std::vector<std::shared_ptr<const FlightDump>> both = {*mapped, second};
        const HangReport report = hangOf(both, {});
        for (const Divergence &found : report.found)
            for (const HangMember &member : found.members)
                require(!member.entry || *member.entry < report.dumps[static_cast<size_t>(member.dump)]->entries.size(),
                        "a member has no such entry");
    }
    return 0;
}
