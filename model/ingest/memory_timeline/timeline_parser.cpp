// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/memory_timeline/timeline_parser.h"

#include "model/base/decimal.h"
#include "model/ingest/memory_timeline/number_tokens.h"
#include "model/ingest/memory_timeline/timeline_rows.h"

#include <array>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace riffle {

namespace {

using Token = NumberTokens::Token;
constexpr size_t kEventFields = 4, kLevelFields = kTimelineCategories + 1;

/// Why reading ended before the end of the text. Thrown in this file only.
struct Stopped {
    Error error;
};

class TimelineParser {
public:
    TimelineParser(ByteSource &source, MemoryBudget &budget, MemoryTimeline &timeline, const Task &task)
        : m_source(source)
        , m_tokens(source)
        , m_rows(budget)
        , m_timeline(timeline)
        , m_task(task)
    {
    }

    void run()
    {
        // The first list is either one event or all times. Its length decides, or otherwise the token after it.
        if (m_tokens.next() != Token::Open || m_tokens.next() != Token::Open)
            throw Stopped{Error{"This is not a memory timeline: it does not start with lists of numbers.",
                                m_timeline.path, m_tokens.offset()}};
        m_timeline.form = MemoryTimeline::Form::Events;
        readList([&](const Item &item) { addOfFirst(item); });
        const bool isLevels = m_timeline.form == MemoryTimeline::Form::Levels || m_first.size() != kEventFields;
        if (!separator()) {
            isLevels ? turnToLevels() : addFirstEvent();
            return checkEnd();
        }
        if (!isList(m_tokens.next())) {
            isLevels ? turnToLevels() : addFirstEvent();
            if (isLevels)
                throw Stopped{Error{"The sizes are not a list.", m_timeline.path, m_tokens.offset()}};
        } else {
            const Token next = m_tokens.next();
            if (isLevels || next == Token::Open || next == Token::Close) {
                turnToLevels();
                readLevels(next);
                if (separator())
                    throw Stopped{
                        Error{"There is something after the times and the sizes.", m_timeline.path, m_tokens.offset()}};
                return checkEnd();
            }
            addFirstEvent();
            readEvent(next);
        }
        while (separator())
            if (isList(m_tokens.next()))
                readEvent(m_tokens.next());
        checkEnd();
    }

    void seal() { m_rows.seal(m_timeline, m_tokens.position()); }
    bool empty() const { return m_rows.empty(); }
    uint64_t position() const { return m_tokens.position(); }
    const std::optional<Error> &failure() const { return m_tokens.failure(); }

private:
    struct Item {
        std::string_view text; ///< empty if the item is not a number; valid until the next token
        uint64_t offset = 0;
    };
    struct KeptItem {
        std::string text;
        uint64_t offset = 0;
    };
    using Row = std::array<std::optional<int64_t>, kEventFields>;

    [[noreturn]] void stop(Token found)
    {
        const std::string what =
            found == Token::End ? "The file is cut off: it ends inside a list." : "The text is not JSON from here on.";
        throw Stopped{Error{what, m_timeline.path, m_tokens.offset()}};
    }
    bool isList(Token found)
    {
        if (found == Token::Open)
            return true;
        if (found != Token::Other && found != Token::Number)
            stop(found);
        m_rows.note("Rows that are not lists of numbers, left out", m_tokens.offset());
        return false;
    }
    /// Call this after a value in a list: returns true if another value follows.
    bool separator()
    {
        tick();
        const Token found = m_tokens.next();
        if (found != Token::Comma && found != Token::Close)
            stop(found);
        return found == Token::Comma;
    }
    void checkEnd()
    {
        const Token found = m_tokens.next();
        if (found != Token::End)
            throw Stopped{
                Error{"There is something after the end of the timeline.", m_timeline.path, m_tokens.offset()}};
    }
    void tick()
    {
        if ((++m_ticks & 0xFFF) != 0)
            return;
        if (m_task.stopped())
            throw Stopped{Error{"Reading was stopped.", m_timeline.path, std::nullopt, ErrorKind::Cancelled}};
        if (m_task.progress)
            m_task.progress->bytesDone = m_source.mapped() ? m_tokens.position() : m_source.fileBytesRead();
    }
    /// Reads a list whose opening bracket has been read. Calls `take` with each item; a nested list is one item that is
    /// not a number.
    template <typename Take>
    void readList(Take take)
    {
        readListFrom(m_tokens.next(), take);
    }
    template <typename Take>
    void readListFrom(Token token, Take take)
    {
        if (token == Token::Close)
            return;
        for (;; token = m_tokens.next()) {
            Item item{{}, m_tokens.offset()};
            if (token == Token::Number)
                item.text = m_tokens.text();
            else if (token == Token::Open)
                skipList();
            else if (token != Token::Other)
                stop(token);
            take(item);
            if (!separator())
                return;
        }
    }
    void skipList()
    {
        for (uint64_t depth = 1; depth > 0;) {
            const Token token = m_tokens.next();
            if (token == Token::End || token == Token::Wrong)
                stop(token);
            depth += token == Token::Open;
            depth -= token == Token::Close;
        }
    }
    void addOfFirst(const Item &item)
    {
        if (m_timeline.form == MemoryTimeline::Form::Levels) {
            addTime(item);
            return;
        }
        m_first.push_back({std::string(item.text), item.offset});
        if (m_first.size() > kEventFields)
            turnToLevels();
    }
    void turnToLevels()
    {
        m_timeline.form = MemoryTimeline::Form::Levels;
        for (const KeptItem &item : m_first)
            addTime({item.text, item.offset});
        m_first.clear();
    }
    void addTime(const Item &item)
    {
        constexpr int64_t kMicrosecond = 1000;
        auto time = whole(item);
        if (time && *time <= INT64_MAX / kMicrosecond && *time >= -INT64_MAX / kMicrosecond)
            *time *= kMicrosecond;
        else
            time = item.text.empty() ? std::nullopt : microsecondsToNs(item.text);
        const bool good = time && *time <= TimelineRows::kLastTime && *time >= -TimelineRows::kLastTime;
        m_rows.addTime(good ? *time : TimelineRows::kNoTime, item.offset);
    }
    static std::optional<int64_t> whole(const Item &item)
    {
        // Nearly all numbers have only a few digits.
        constexpr size_t kFitting = 18;
        const bool minus = item.text.starts_with('-');
        if (item.text.size() > minus && item.text.size() <= kFitting + minus) {
            int64_t value = 0;
            size_t at = minus;
            for (; at < item.text.size() && item.text[at] >= '0' && item.text[at] <= '9'; ++at)
                value = value * 10 + (item.text[at] - '0');
            if (at == item.text.size())
                return minus ? -value : value;
        }
        bool exact = false;
        const auto value = item.text.empty() ? std::nullopt : decimalToInteger(item.text, 0, &exact);
        return exact ? value : std::nullopt;
    }
    /// Reads the rows of sizes. `first` is the token after the opening bracket of their list.
    void readLevels(Token first)
    {
        if (first == Token::Close)
            return;
        for (Token token = first;; token = m_tokens.next()) {
            const uint64_t offset = m_tokens.offset();
            std::array<int64_t, kTimelineCategories> levels{};
            size_t items = 0;
            bool good = isList(token);
            const bool opened = good;
            if (opened)
                readList([&](const Item &item) {
                    const auto value = whole(item);
                    good = good && items < kLevelFields && value && *value <= MemoryTimeline::kMostBytes &&
                           *value >= -MemoryTimeline::kMostBytes;
                    if (good && items > 0)
                        levels[items - 1] = *value;
                    ++items;
                });
            if (good && items == kLevelFields)
                m_rows.addLevels(levels, offset);
            else
                m_rows.skipLevels(opened ? "Rows that are not nine whole numbers, left out" : nullptr, offset);
            if (!separator())
                return;
        }
    }
    /// Reads the row of an event. `first` is the token after its opening bracket.
    void readEvent(Token first)
    {
        Row row;
        size_t items = 0;
        const uint64_t offset = m_tokens.offset();
        readListFrom(first, [&](const Item &item) {
            if (items < kEventFields)
                row[items] = whole(item);
            ++items;
        });
        addEvent(items == kEventFields ? row : Row{}, offset);
    }
    void addFirstEvent()
    {
        Row row;
        for (size_t at = 0; at < kEventFields; ++at)
            row[at] = whole({m_first[at].text, m_first[at].offset});
        addEvent(row, m_first[0].offset);
    }
    void addEvent(const Row &row, uint64_t offset)
    {
        std::array<int64_t, kEventFields> values{};
        for (size_t at = 0; at < kEventFields; ++at) {
            if (!row[at])
                return m_rows.note("Rows that are not four whole numbers, left out", offset);
            values[at] = *row[at];
        }
        if ((values[0] < 0 && values[0] != TimelineEvents::kBefore) || values[0] > TimelineRows::kLastTime)
            return m_rows.note("Events with an impossible time, left out", offset);
        if (values[1] < 1 || values[1] >= static_cast<int64_t>(kTimelineActions))
            return m_rows.note("Events with an unknown action, left out", offset);
        if (values[3] < 0 || values[3] >= static_cast<int64_t>(kTimelineCategories))
            return m_rows.note("Events with an unknown category, left out", offset);
        m_rows.addEvent(values[0], static_cast<TimelineAction>(values[1]), values[2], static_cast<uint8_t>(values[3]),
                        offset);
    }

    ByteSource &m_source;
    NumberTokens m_tokens;
    TimelineRows m_rows;
    MemoryTimeline &m_timeline;
    const Task &m_task;
    std::vector<KeptItem> m_first; ///< the first list, kept while it may be an event
    uint32_t m_ticks = 0;
};

} // namespace

Result<void> parseMemoryTimeline(ByteSource &source, uint64_t mostBytes, MemoryTimeline &timeline, const Task &task)
{
    MemoryBudget budget{mostBytes};
    TimelineParser parser(source, budget, timeline, task);
    try {
        parser.run();
    } catch (const Stopped &stopped) {
        if (stopped.error.kind != ErrorKind::Unreadable)
            return stopped.error;
        timeline.damage = stopped.error;
    } catch (const std::bad_alloc &) {
        timeline.damage = Error{"The timeline needs more memory than is allowed.", timeline.path, parser.position(),
                                ErrorKind::Limit};
    }
    if (parser.failure())
        return *parser.failure();
    if (source.damage())
        timeline.damage = source.damage();
    parser.seal();
    timeline.textBytes = parser.position();
    if (timeline.damage && parser.empty())
        return *timeline.damage;
    return {};
}

} // namespace riffle
