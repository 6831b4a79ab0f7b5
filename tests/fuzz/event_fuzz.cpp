// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/chrome_json/event_repair.h"
#include "tests/fuzz/require.h"
#include "tests/support/event_difference.h"

#include <string_view>

using namespace riffle;
using test::require;

/// Passes events that are separated by line breaks to one pair of readers, so that layouts learned from one event are
/// tried on the next.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const std::string_view input(reinterpret_cast<const char *>(data), size);
    test::ReaderPair readers;
    StrictReader strict;
    EventRecord record;
    size_t at = 0;
    for (int events = 0; at < size && events < 32; ++events) {
        at = input.find('{', at);
        if (at == std::string_view::npos)
            break;
        // The text after the event stays readable, as in a trace.
        const test::ReaderPair::Answer answer = readers.read(input.substr(at));
        require(answer.difference.empty(), answer.difference.c_str(), input.substr(at));

        const size_t line = std::min(input.find('\n', at), size);
        const std::string_view text = input.substr(at, line - at);
        record.clear();
        const bool valid = strict.read(text, record);
        const RepairedEvent mended = repairEvent(text);
        require(mended.text.size() <= 6 * text.size() + 64, "the repair made the text too long", text);
        record.clear();
        const bool mendedIsValid = strict.read(mended.text, record);
        require(!valid || mendedIsValid, "the repair broke a valid event", text);
        at = answer.fast ? at + answer.length : line;
    }
    return 0;
}
