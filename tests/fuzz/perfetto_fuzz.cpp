// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/perfetto/importer.h"
#include "model/ingest/perfetto/trace_converter.h"
#include "tests/fuzz/effort.h"
#include "tests/fuzz/require.h"
#include "tests/support/chunked_source.h"
#include "tests/support/import_text.h"

#include <string>
#include <string_view>

using namespace riffle;
using test::require;

namespace {

constexpr uint64_t kMemory = 64 << 20;

/// The whole text; nothing if the trace exceeds the limit.
std::optional<std::string> convert(std::string_view bytes, size_t chunk, ImportReport &report)
{
    TraceConverter converter("fuzz", test::ChunkedSource::opener(bytes, chunk), kMemory, {});
    if (!converter.scan())
        return std::nullopt;
    std::string text;
    while (true) {
        const Result<bool> more = converter.convert(text);
        if (!more)
            return std::nullopt;
        if (!*more)
            break;
    }
    report = converter.report();
    return text;
}

} // namespace

/// Converts a trace in memory and the same one in pieces, which must give the same text. The text is a whole document
/// in which every event can be read.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    const test::Effort effort(size, {.bytes = 512 << 20, .bytesPerByte = 4096, .seconds = 10});
    const std::string_view bytes(reinterpret_cast<const char *>(data), size - 1);
    looksLikePerfetto(bytes);
    ImportReport wholeReport, piecesReport;
    const auto whole = convert(bytes, 0, wholeReport), pieces = convert(bytes, 1 + data[size - 1] % 61, piecesReport);
    require(whole.has_value() == pieces.has_value(), "only one of the two could be read");
    if (!whole)
        return 0;
    require(*whole == *pieces, "the texts differ");
    for (const Severity severity : {Severity::Note, Severity::Repaired, Severity::Lost})
        require(wholeReport.total(severity) == piecesReport.total(severity), "the reports differ");
    const auto trace = test::importText(*whole);
    require(static_cast<bool>(trace), "the text is no trace");
    for (const Trouble trouble : {Trouble::BrokenEvent, Trouble::SkippedText, Trouble::TruncatedText,
                                  Trouble::CutDocument, Trouble::UnreadText, Trouble::BadEscape, Trouble::BareWord})
        require((*trace)->report.of(trouble).count == 0, "the text is no JSON", *whole);
    return 0;
}
