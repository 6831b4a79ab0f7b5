// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/flight_recorder/dump_pickle.h"

#include "model/ingest/flight_recorder/dump_fields.h"
#include "model/ingest/flight_recorder/dump_root.h"
#include "model/ingest/pickle_machine.h"

#include <algorithm>
#include <array>
#include <span>

namespace riffle {

namespace {

/// The bytes of memory that reading may take: entries need about as many as they have in the pickle.
uint64_t dumpBudget(uint64_t pickleBytes)
{
    return (64ull << 20) + 6 * std::min<uint64_t>(pickleBytes, UINT64_MAX / 8);
}

/// The values of a pickle, for FieldReader.
class PickleSource {
public:
    using Value = PickleValue;
    PickleSource(const PickleMachine &machine, const FlightRows &rows) : m_machine(machine), m_rows(rows) {}

    std::optional<int64_t> integer(const PickleValue &value) const
    {
        return value.kind == ValueKind::Int ? std::optional(value.integer) : std::nullopt;
    }
    std::optional<double> number(const PickleValue &value) const
    {
        if (value.kind == ValueKind::Float)
            return value.number;
        return value.kind == ValueKind::Int ? std::optional(static_cast<double>(value.integer)) : std::nullopt;
    }
    std::optional<bool> boolean(const PickleValue &value) const
    {
        if (value.kind != ValueKind::True && value.kind != ValueKind::False)
            return std::nullopt;
        return value.kind == ValueKind::True;
    }
    std::optional<std::string_view> text(const PickleValue &value) const
    {
        return value.kind == ValueKind::Text ? std::optional(m_rows.textOf(value.id())) : std::nullopt;
    }
    std::optional<uint32_t> stack(const PickleValue &value) const
    {
        if (value.kind == ValueKind::EmptyList)
            return 0;
        return value.kind == ValueKind::Stack ? std::optional(value.id()) : std::nullopt;
    }
    bool isNone(const PickleValue &value) const { return value.kind == ValueKind::None; }
    template <typename Call>
    bool forItems(const PickleValue &value, Call call) const
    {
        if (value.kind == ValueKind::List) {
            m_machine.forItems(value, call);
            return true;
        }
        if (value.kind == ValueKind::Pair) { // a tuple of two integers
            for (const int64_t number : pairs[value.id()])
                call(PickleValue::ofInteger(number));
            return true;
        }
        return value.kind == ValueKind::EmptyList;
    }
    template <typename Call>
    bool forPairs(const PickleValue &value, Call call) const
    {
        if (value.kind != ValueKind::Dict)
            return value.kind == ValueKind::EmptyDict;
        PickleValue key;
        bool isKey = true;
        m_machine.forItems(value, [&](const PickleValue &item) {
            if (!isKey)
                call(text(key).value_or(std::string_view()), item);
            key = item;
            isKey = !isKey;
        });
        return true;
    }
    /// Entries became rows while the pickle was run.
    bool readEntries(const PickleValue &value)
    {
        if (value.kind == ValueKind::EventList)
            return true;
        uint64_t strange = 0;
        const bool isList = forItems(value, [&](const PickleValue &) { ++strange; });
        otherEntries += strange;
        return isList;
    }

    uint64_t otherEntries = 0;
    std::span<const std::array<int64_t, 2>> pairs;

private:
    const PickleMachine &m_machine;
    const FlightRows &m_rows;
};

/// Makes the dicts of a dump rows: frames and entries.
class DumpShapes : public PickleShapes {
public:
    DumpShapes(FlightRows &rows, MemoryBudget &budget) : m_rows(rows), m_budget(budget) {}

    uint32_t text(std::string_view text) override { return m_rows.text(text); }
    uint32_t pair(int64_t first, int64_t second) override
    {
        m_budget.take(2 * sizeof first);
        pairs.push_back({first, second});
        return static_cast<uint32_t>(pairs.size() - 1);
    }
    bool becomesRow(const PickleMachine &machine, const PickleValue *items, size_t count, PickleValue &row) override
    {
        bool isEntry = false, hasName = false, hasFile = false;
        for (size_t at = 0; at < count; at += 2) {
            const FlightWord word = wordOf(items[at]);
            isEntry = isEntry || word == FlightWord::ProfilingName || word == FlightWord::Sequence;
            hasName = hasName || word == FlightWord::Name;
            hasFile = hasFile || word == FlightWord::FileName;
        }
        if (isEntry)
            row = PickleValue::of(ValueKind::Events, entryOf(machine, items, count));
        else if (hasName && hasFile)
            row = PickleValue::of(ValueKind::Frame, frameOf(items, count));
        return isEntry || (hasName && hasFile);
    }
    uint32_t stack(const uint32_t *frames, uint32_t count) override { return m_rows.stack(frames, count); }
    std::span<const uint32_t> framesOf(uint32_t stack) const override { return m_rows.framesOf(stack); }
    void strangeItem() override
    {
        ++m_rows.unreadable;
        ++m_rows.lostEntries;
    }
    void repeatedRows(uint32_t count) override { m_rows.unreadable += count; }

    std::vector<std::array<int64_t, 2>> pairs;

private:
    FlightWord wordOf(const PickleValue &key) const
    {
        return key.kind == ValueKind::Text ? m_rows.word(key.id()) : FlightWord::Count;
    }
    uint32_t entryOf(const PickleMachine &machine, const PickleValue *items, size_t count)
    {
        PickleSource source(machine, m_rows);
        source.pairs = pairs;
        FieldReader reader(source, m_rows);
        EntryFields fields;
        for (size_t at = 0; at < count; at += 2)
            reader.read(wordOf(items[at]), items[at + 1], fields);
        return reader.add(fields);
    }
    uint32_t frameOf(const PickleValue *items, size_t count)
    {
        FlightFrame frame;
        for (size_t at = 0; at < count; at += 2) {
            const PickleValue &value = items[at + 1];
            const FlightWord word = wordOf(items[at]);
            if (word == FlightWord::Line && value.kind == ValueKind::Int)
                frame.line = value.integer;
            else if ((word == FlightWord::Name || word == FlightWord::FileName) && value.kind == ValueKind::Text)
                (word == FlightWord::Name ? frame.name : frame.file) = m_rows.name(m_rows.textOf(value.id()));
        }
        return m_rows.frame(frame);
    }

    FlightRows &m_rows;
    MemoryBudget &m_budget;
};

} // namespace

Result<void> readDumpPickle(ByteSource &source, uint64_t mostBytes, FlightDump &dump, const Task &task)
{
    MemoryBudget budget{dumpBudget(mostBytes)};
    const auto error = [&](const PickleFault &fault) {
        return Error{fault.message, dump.path, fault.offset, fault.kind};
    };
    try {
        const auto mapped = source.mapped();
        PickleInput input = mapped ? PickleInput(*mapped) : PickleInput(source);
        FlightRows rows(budget);
        DumpShapes shapes(rows, budget);
        PickleMachine machine(input, shapes, budget, task);
        PickleValue root;
        try {
            root = machine.run();
        } catch (const PickleFault &fault) {
            if (fault.kind != ErrorKind::Unreadable)
                return error(fault);
            dump.damage = error(fault);
            root = machine.salvage();
        }
        PickleSource values(machine, rows);
        values.pairs = shapes.pairs;
        if (!readDumpRoot(values, root, rows, dump))
            return dump.damage ? *dump.damage
                               : Error{"This pickle is not a dump of the Flight Recorder: it has neither entries nor "
                                       "a list of groups (pg_config).",
                                       dump.path, std::nullopt};
        rows.unreadable += values.otherEntries;
        rows.lostEntries += values.otherEntries;
        rows.seal(dump);
    } catch (const PickleFault &fault) {
        return dump.damage ? *dump.damage : error(fault);
    } catch (const std::bad_alloc &) {
        return Error{budget.exceeded ? "The pickle's contents would need more than six times its size in memory: no "
                                       "program writes such a dump."
                                     : "There is not enough memory for the dump.",
                     dump.path, std::nullopt, ErrorKind::Limit};
    }
    return {};
}

} // namespace riffle
