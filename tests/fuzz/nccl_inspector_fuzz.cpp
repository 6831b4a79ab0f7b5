// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/nccl_inspector/nccl_inspector.h"
#include "tests/fuzz/effort.h"
#include "tests/fuzz/require.h"
#include "tests/support/chunked_source.h"

#include <string_view>

using namespace riffle;
using test::require;

/// Reads a log at once and in pieces, and checks that both are the same and all ids are valid.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    const test::Effort effort(size, {.bytes = uint64_t(256) << 20, .bytesPerByte = 1000});
    const std::string_view text(reinterpret_cast<const char *>(data), size - 1);
    constexpr uint64_t kMost = 16 << 20;
    test::ChunkedSource whole(text), pieces(text, 1 + data[size - 1] % 61);
    const auto mapped = readInspectorText(whole, "fuzz", kMost, {}),
               streamed = readInspectorText(pieces, "fuzz", kMost, {});
    require(bool(mapped) == bool(streamed), "only one of the two could be read");
    if (!mapped) {
        require(mapped.error().text() == streamed.error().text(), "errors differ");
        return 0;
    }
    const NcclInspectorLog &log = **mapped, &other = **streamed;
    require(log.calls.size() == other.calls.size() && log.communicators.size() == other.communicators.size() &&
                log.promised == other.promised && log.dropped() == other.dropped() &&
                log.troubles.size() == other.troubles.size() && bool(log.damage) == bool(other.damage),
            "reading in pieces gives another log");
    for (const InspectorCall &call : log.calls) {
        require(call.communicator < log.communicators.size(), "a communicator is missing");
        for (const uint32_t id : {call.name, call.algorithm, call.protocol, call.timing})
            require(id < log.texts.size(), "a text is missing");
    }
    return 0;
}
