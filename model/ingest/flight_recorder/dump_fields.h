// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/ingest/flight_recorder/flight_rows.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace riffle {

/// The fields of an entry that are read one by one and belong together at its end.
struct EntryFields {
    FlightEntry entry;
    DiscoveredTimes discovered;
    int64_t groupId = FlightEntry::kNone;
    std::string groupName, groupDescription;
};

inline constexpr size_t kLongestSizes = 1000; ///< bytes of the text of sizes; the rest is left out

/// Reads fields of a dump from a Source, which is a pickle or JSON. A Source tells what a Value is:
///     std::optional<int64_t> integer(Value), std::optional<double> number(Value), std::optional<bool> boolean(Value),
///     std::optional<std::string_view> text(Value), std::optional<uint32_t> stack(Value), bool isNone(Value)
///     and bool forItems(Value, call), which is false for a value that is no list.
/// A field of another type is counted as unreadable and left out.
template <typename Source, typename Value = typename Source::Value>
class FieldReader {
public:
    FieldReader(Source &source, FlightRows &rows) : m_source(source), m_rows(rows) {}

    void read(FlightWord word, const Value &value, EntryFields &into)
    {
        FlightEntry &entry = into.entry;
        switch (word) {
        case FlightWord::Record: integer(value, entry.record); break;
        case FlightWord::GroupId: integer(value, into.groupId); break;
        case FlightWord::Group: group(value, into); break;
        case FlightWord::Sequence: integer(value, entry.sequence); break;
        case FlightWord::P2pSequence: integer(value, entry.p2pSequence); break;
        case FlightWord::Operation: integer(value, entry.operation); break;
        case FlightWord::ProfilingName: entry.name = name(value); break;
        case FlightWord::InputSizes: sizes(value, entry.inputs); break;
        case FlightWord::InputTypes: entry.inputs.dtypes = types(value); break;
        case FlightWord::OutputSizes: sizes(value, entry.outputs); break;
        case FlightWord::OutputTypes: entry.outputs.dtypes = types(value); break;
        case FlightWord::Created: integer(value, entry.created); break;
        case FlightWord::Timeout: integer(value, entry.timeoutMs); break;
        case FlightWord::Duration:
            if (const auto number = m_source.number(value))
                entry.durationMs = *number;
            else
                m_rows.unreadable += !m_source.isNone(value);
            break;
        case FlightWord::Frames:
            if (const auto stack = m_source.stack(value))
                entry.stack = *stack;
            else
                m_rows.unreadable += !m_source.isNone(value);
            break;
        case FlightWord::State: state(value, entry); break;
        case FlightWord::Retired: boolean(value, entry.isRetired); break;
        case FlightWord::IsP2p: boolean(value, entry.isP2p); break;
        case FlightWord::DiscoveredStarted: discovered(value, into.discovered.started); break;
        case FlightWord::DiscoveredCompleted: discovered(value, into.discovered.completed); break;
        default: break; // fields that other versions record
        }
    }

    /// Adds the entry and returns its row.
    uint32_t add(EntryFields &fields)
    {
        fields.entry.group = m_rows.group(fields.groupId, fields.groupName, fields.groupDescription);
        return m_rows.add(fields.entry, fields.discovered);
    }

    uint32_t name(const Value &value)
    {
        if (const auto text = m_source.text(value))
            return m_rows.name(*text);
        m_rows.unreadable += !m_source.isNone(value);
        return 0;
    }

    /// Numbers that no job counts to are unreadable, so that the difference of two cannot overflow.
    void integer(const Value &value, int64_t &into)
    {
        constexpr int64_t kMost = int64_t(1) << 61;
        if (const auto number = m_source.integer(value); number && *number <= kMost && *number >= -kMost)
            into = *number;
        else
            m_rows.unreadable += !m_source.isNone(value);
    }

private:
    void boolean(const Value &value, bool &into)
    {
        if (const auto flag = m_source.boolean(value))
            into = *flag;
        else
            m_rows.unreadable += !m_source.isNone(value);
    }

    /// JSON has 0 for a time that was never discovered, pickles have None.
    void discovered(const Value &value, Ns &into)
    {
        int64_t time = 0;
        integer(value, time);
        into = time == 0 ? FlightEntry::kNone : time;
    }

    void state(const Value &value, FlightEntry &entry)
    {
        const auto text = m_source.text(value);
        if (!text)
            m_rows.unreadable += !m_source.isNone(value);
        else if (*text == "completed")
            entry.state = FlightState::Completed;
        else if (*text == "started")
            entry.state = FlightState::Started;
        else if (*text == "scheduled")
            entry.state = FlightState::Scheduled;
        else
            ++m_rows.unreadable;
    }

    /// A group is a pair of its name and description; early versions have the name alone.
    void group(const Value &value, EntryFields &into)
    {
        if (const auto text = m_source.text(value)) {
            into.groupName = std::string(m_rows.textOf(m_rows.name(*text)));
            return;
        }
        size_t items = 0;
        const bool isList = m_source.forItems(value, [&](const Value &item) {
            const auto text = m_source.text(item);
            if (text && items < 2)
                (items == 0 ? into.groupName : into.groupDescription) = m_rows.textOf(m_rows.name(*text));
            ++items;
        });
        m_rows.unreadable += !isList && !m_source.isNone(value);
    }

    void sizes(const Value &value, FlightTensors &into)
    {
        std::string text = "[";
        bool isCut = false, isKnown = true;
        int64_t elements = 0;
        uint32_t tensors = 0;
        const auto add = [&](const std::string &piece) {
            isCut = isCut || text.size() + piece.size() > kLongestSizes;
            text += isCut ? "" : piece;
        };
        const bool isList = m_source.forItems(value, [&](const Value &tensor) {
            add(tensors++ ? ", [" : "[");
            int64_t product = 1;
            size_t dims = 0;
            isKnown = m_source.forItems(tensor, [&](const Value &dim) {
                const auto size = m_source.integer(dim);
                isKnown = isKnown && size && *size >= 0 && !__builtin_mul_overflow(product, *size, &product);
                add(dims++ ? ", " : "");
                add(size ? std::to_string(*size) : "?");
            }) && isKnown;
            isKnown = isKnown && !__builtin_add_overflow(elements, product, &elements);
            add("]");
        });
        if (!isList) {
            m_rows.unreadable += !m_source.isNone(value);
            return;
        }
        into.sizes = m_rows.text(isCut ? text + "…" : text + "]");
        into.elements = isKnown ? elements : -1;
        into.count = tensors;
    }

    uint32_t types(const Value &value)
    {
        std::string text;
        const bool isList = m_source.forItems(value, [&](const Value &item) {
            const auto type = m_source.text(item);
            if (text.size() < kLongestSizes)
                text.append(text.empty() ? "" : ", ").append(type ? type->substr(0, kLongestSizes) : "?");
        });
        m_rows.unreadable += !isList && !m_source.isNone(value);
        return m_rows.text(text);
    }

    Source &m_source;
    FlightRows &m_rows;
};

} // namespace riffle
