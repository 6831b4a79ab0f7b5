// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/ingest/flight_recorder/dump_fields.h"

#include <algorithm>
#include <charconv>

namespace riffle {

/// Reads a dump as a whole from a Source (see FieldReader), which also has
///     bool forPairs(Value, call(key, value)), which is false for a value that is no dict,
///     and bool readEntries(Value), which is false for a value that is no list.
/// Returns false if the value is no dump.
template <typename Source, typename Value = typename Source::Value>
bool readDumpRoot(Source &source, const Value &root, FlightRows &rows, FlightDump &dump)
{
    FieldReader<Source> reader(source, rows);
    bool hasEntries = false, hasGroups = false;
    const auto words = [&](std::string_view key) {
        const auto found = std::ranges::find(kFlightWords, key);
        return static_cast<FlightWord>(found - std::begin(kFlightWords));
    };
    const bool isDict = source.forPairs(root, [&](std::string_view key, const Value &value) {
        switch (words(key)) {
        case FlightWord::Version: dump.version = rows.textOf(reader.name(value)); break;
        case FlightWord::Library: dump.library = rows.textOf(reader.name(value)); break;
        case FlightWord::Entries: hasEntries = source.readEntries(value) || hasEntries; break;
        case FlightWord::Communicators:
            source.forPairs(value, [&](std::string_view, const Value &) { ++dump.communicators; });
            break;
        case FlightWord::Config:
            hasGroups = source.forPairs(value, [&](std::string_view name, const Value &group) {
                std::string_view own = name, description;
                std::string ranks;
                source.forPairs(group, [&](std::string_view field, const Value &item) {
                    const FlightWord word = words(field);
                    if (word == FlightWord::Name)
                        own = rows.textOf(reader.name(item));
                    else if (word == FlightWord::Description)
                        description = rows.textOf(reader.name(item));
                    else if (word != FlightWord::Ranks)
                        return;
                    else if (const auto text = source.text(item))
                        ranks = *text;
                    else
                        source.forItems(item, [&](const Value &rank) {
                            const auto number = source.integer(rank);
                            ranks.append(ranks.empty() ? "" : ",");
                            ranks.append(number ? std::to_string(*number) : "?");
                        });
                });
                rows.list(own, description, ranks);
            }) || hasGroups;
            break;
        case FlightWord::Status:
            source.forPairs(value, [&](std::string_view name, const Value &group) {
                int64_t id = 0;
                int64_t last[3] = {FlightEntry::kNone, FlightEntry::kNone, FlightEntry::kNone};
                if (std::from_chars(name.data(), name.data() + name.size(), id).ec != std::errc())
                    return;
                source.forPairs(group, [&](std::string_view field, const Value &item) {
                    const FlightWord word = words(field);
                    if (word == FlightWord::LastEnqueued)
                        reader.integer(item, last[0]);
                    else if (word == FlightWord::LastStarted)
                        reader.integer(item, last[1]);
                    else if (word == FlightWord::LastCompleted)
                        reader.integer(item, last[2]);
                });
                rows.status(id, last[0], last[1], last[2]);
            });
            break;
        default: break;
        }
    });
    return isDict && (hasEntries || hasGroups);
}

} // namespace riffle
