// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/flight_recorder/dump_json.h"

#include "model/ingest/flight_recorder/dump_fields.h"
#include "model/ingest/flight_recorder/dump_root.h"

#include <simdjson.h>

#include <charconv>

namespace riffle {

namespace {

using simdjson::dom::element;

/// The values of a JSON text, for FieldReader. Numbers may be texts, as those of `pg_status` are.
class DumpJsonSource {
public:
    using Value = element;
    DumpJsonSource(FlightRows &rows, const Task &task) : m_rows(rows), m_task(task) {}

    std::optional<int64_t> integer(const element &value) const
    {
        int64_t number = 0;
        if (value.get(number) == simdjson::SUCCESS)
            return number;
        const auto digits = text(value);
        if (!digits || digits->empty())
            return std::nullopt;
        const auto read = std::from_chars(digits->data(), digits->data() + digits->size(), number);
        return read.ec == std::errc() && read.ptr == digits->data() + digits->size() ? std::optional(number)
                                                                                     : std::nullopt;
    }
    std::optional<double> number(const element &value) const
    {
        double number = 0;
        return value.get(number) == simdjson::SUCCESS ? std::optional(number) : std::nullopt;
    }
    std::optional<bool> boolean(const element &value) const
    {
        bool flag = false;
        return value.get(flag) == simdjson::SUCCESS ? std::optional(flag) : std::nullopt;
    }
    std::optional<std::string_view> text(const element &value) const
    {
        std::string_view text;
        return value.get(text) == simdjson::SUCCESS ? std::optional(text) : std::nullopt;
    }
    bool isNone(const element &value) const { return value.is_null(); }
    std::optional<uint32_t> stack(const element &value)
    {
        m_frames.clear();
        const bool isList = forItems(value, [&](const element &item) {
            FlightFrame frame;
            forPairs(item, [&](std::string_view key, const element &field) {
                if (key == "name" || key == "filename")
                    (key == "name" ? frame.name : frame.file) = m_rows.name(text(field).value_or(""));
                else if (key == "line")
                    frame.line = integer(field).value_or(0);
            });
            m_frames.push_back(m_rows.frame(frame));
        });
        if (!isList)
            return std::nullopt;
        return m_rows.stack(m_frames.data(), static_cast<uint32_t>(m_frames.size()));
    }
    template <typename Call>
    bool forItems(const element &value, Call call) const
    {
        simdjson::dom::array items;
        if (value.get(items) != simdjson::SUCCESS)
            return false;
        for (const element item : items)
            call(item);
        return true;
    }
    template <typename Call>
    bool forPairs(const element &value, Call call) const
    {
        simdjson::dom::object fields;
        if (value.get(fields) != simdjson::SUCCESS)
            return false;
        for (const auto field : fields)
            call(field.key, field.value);
        return true;
    }
    bool readEntries(const element &value)
    {
        FieldReader<DumpJsonSource> reader(*this, m_rows);
        return forItems(value, [&](const element &item) {
            if (m_task.stopped())
                return;
            EntryFields fields;
            const bool isEntry = forPairs(item, [&](std::string_view key, const element &field) {
                const auto word = std::ranges::find(kFlightWords, key);
                reader.read(static_cast<FlightWord>(word - std::begin(kFlightWords)), field, fields);
            });
            if (isEntry) {
                reader.add(fields);
            } else {
                ++m_rows.unreadable;
                ++m_rows.lostEntries;
            }
        });
    }

private:
    FlightRows &m_rows;
    const Task &m_task;
    std::vector<uint32_t> m_frames; ///< scratch
};

/// Reads the inflated text of an archive into memory.
Result<std::string> wholeText(ByteSource &source, const FlightDump &dump, const Task &task)
{
    std::string text;
    for (size_t filled = 0;;) {
        if (task.stopped())
            return Error{"Reading was stopped.", dump.path, std::nullopt, ErrorKind::Cancelled};
        text.resize(std::max<size_t>(1 << 20, filled * 2));
        const auto got = source.read({text.data() + filled, text.size() - filled});
        if (!got)
            return got.error();
        filled += *got;
        if (*got == 0 || filled > kMostDumpText) {
            text.resize(filled);
            return text;
        }
    }
}

} // namespace

Result<void> readDumpJson(ByteSource &source, FlightDump &dump, const Task &task)
{
    std::string inflated;
    std::string_view text;
    if (const auto mapped = source.mapped()) {
        text = {mapped->data(), mapped->size()};
    } else {
        auto read = wholeText(source, dump, task);
        if (!read)
            return read.error();
        if (const auto damage = source.damage())
            return damage->in(dump.path);
        inflated = std::move(*read);
        text = inflated;
    }
    if (text.size() > kMostDumpText)
        return Error{"The dump has more than 512 MiB of JSON, which no ring of the Flight Recorder fills.", dump.path,
                     std::nullopt, ErrorKind::Limit};
    if (text.starts_with("\xEF\xBB\xBF"))
        text.remove_prefix(3);
    MemoryBudget budget{(64ull << 20) + 6 * text.size()};
    try {
        simdjson::dom::parser parser;
        element root;
        if (const auto failed = parser.parse(text.data(), text.size(), true).get(root)) {
            if (failed == simdjson::MEMALLOC)
                throw std::bad_alloc();
            // Bytes behind the object, braces in the wrong place and a text that is cut off look alike to the parser.
            return Error{"The dump is cut off, so that it ends early, or is not valid JSON: " +
                             std::string(simdjson::error_message(failed)),
                         dump.path, std::nullopt};
        }
        FlightRows rows(budget);
        DumpJsonSource values(rows, task);
        if (!readDumpRoot(values, root, rows, dump))
            return Error{"This JSON is not a dump of the Flight Recorder: it has neither entries nor a list of groups "
                         "(pg_config).",
                         dump.path, std::nullopt};
        if (task.stopped())
            return Error{"Reading was stopped.", dump.path, std::nullopt, ErrorKind::Cancelled};
        rows.seal(dump);
    } catch (const std::bad_alloc &) {
        return Error{"There is not enough memory for the dump.", dump.path, std::nullopt, ErrorKind::Limit};
    }
    return {};
}

} // namespace riffle
