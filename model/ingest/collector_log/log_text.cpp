// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/collector_log/log_text.h"

#include "model/base/parallel.h"
#include "model/ingest/collector_log/event_text.h"
#include "model/ingest/collector_log/tables_cache.h"

namespace riffle {

namespace {

constexpr size_t kTables = 4;
constexpr size_t kChunks = 16;

/// A chunk whose rows are read one at a time.
class TextChunk {
public:
    TextChunk(const CollectorLog &log, const LogIndex &index, ChunkPlace chunk,
              std::shared_ptr<const PartTables> tables)
        : m_tables(std::move(tables))
    {
        m_good = m_reader.read(log, chunk);
        m_text = std::make_unique<EventText>(index, *m_tables, log.type(chunk), m_reader.columns());
    }
    bool good() const { return m_good; }

    /// Returns the arguments of a row's event; nothing if the row is not an event.
    std::optional<EventArguments> arguments(uint32_t row) const
    {
        return room(row) > 0 ? std::optional(m_text->arguments(row)) : std::nullopt;
    }
    /// Returns the text of a row's event, with spaces behind it; nothing if its room is less than `length`.
    std::optional<std::string> text(uint32_t row, uint32_t length) const
    {
        if (length > room(row))
            return std::nullopt;
        std::string out;
        out.reserve(length);
        m_text->append(out, row);
        out.resize(length, ' ');
        return out;
    }

private:
    uint32_t room(uint32_t row) const { return row < m_reader.columns().rows() ? m_text->room(row) : 0; }

    std::shared_ptr<const PartTables> m_tables;
    ChunkReader m_reader;
    std::unique_ptr<EventText> m_text;
    bool m_good = false;
};

class LogTextSource : public SourceText {
public:
    LogTextSource(std::shared_ptr<const CollectorLog> log, std::shared_ptr<const LogIndex> index)
        : m_log(std::move(log))
        , m_index(std::move(index))
        , m_tables(*m_log, kTables)
        , m_chunks(kChunks + 2 * workerCount())
    {
    }

    Result<std::string> readText(uint64_t offset, uint32_t length) const override
    {
        const auto chunk = chunkAt(offset);
        auto text = chunk ? chunk->text(LogAddress::of(offset).row, length) : std::nullopt;
        if (m_log->lost())
            return changed();
        return text ? Result<std::string>(std::move(*text)) : noSuchEvent(offset);
    }
    bool hasTypedArguments() const override { return true; }
    Result<EventArguments> readArguments(TextPlace place) const override
    {
        const auto chunk = chunkAt(place.offset);
        auto arguments = chunk ? chunk->arguments(LogAddress::of(place.offset).row) : std::nullopt;
        if (m_log->lost())
            return changed();
        return arguments ? Result<EventArguments>(std::move(*arguments)) : noSuchEvent(place.offset);
    }
    std::optional<Error> cut() const override { return m_log->wasCut() ? std::optional(changed()) : std::nullopt; }

private:
    /// Returns the chunk of an address; null if it does not exist or cannot be read.
    std::shared_ptr<const TextChunk> chunkAt(uint64_t offset) const
    {
        const std::optional<ChunkPlace> place = m_log->chunkAt(offset);
        if (!place)
            return nullptr;
        auto chunk = m_chunks.get(m_log->address(*place), [&] {
            return std::make_shared<const TextChunk>(*m_log, *m_index, *place, m_tables.of(place->part));
        });
        return chunk->good() ? chunk : nullptr;
    }
    Error changed() const
    {
        return {"The file changed while it was in use.", m_log->parts().front()->name(), std::nullopt,
                ErrorKind::Changed};
    }
    Error noSuchEvent(uint64_t offset) const
    {
        return {"The log has no such event.", m_log->parts().front()->name(), offset};
    }

    std::shared_ptr<const CollectorLog> m_log;
    std::shared_ptr<const LogIndex> m_index;
    mutable TablesCache m_tables;
    mutable ComputedOnce<TextChunk> m_chunks;
};

class LateLogText : public SourceText {
public:
    explicit LateLogText(std::string path) : m_path(std::move(path)) {}

    Result<std::string> readText(uint64_t offset, uint32_t length) const override
    {
        return opened() ? m_text->read(offset, length) : Result<std::string>(m_error);
    }
    bool hasTypedArguments() const override { return true; }
    Result<EventArguments> readArguments(TextPlace place) const override
    {
        return opened() ? m_text->arguments(place) : Result<EventArguments>(m_error);
    }
    std::optional<Error> cut() const override { return m_text ? m_text->failure() : std::nullopt; }

private:
    /// Opens the log at the first call; false if that failed.
    bool opened() const
    {
        std::call_once(m_once, [this] {
            const Result<std::shared_ptr<const CollectorLog>> log = CollectorLog::open(m_path);
            if (log)
                m_text = openLogText(*log, LogIndex::of(**log));
            else
                m_error = {log.error().message, m_path, std::nullopt, ErrorKind::Changed}; // its store was opened
        });
        return m_text != nullptr;
    }

    std::string m_path;
    mutable std::once_flag m_once;
    mutable std::shared_ptr<const SourceText> m_text;
    mutable Error m_error;
};

} // namespace

std::shared_ptr<const SourceText> openLogText(std::shared_ptr<const CollectorLog> log,
                                              std::shared_ptr<const LogIndex> index)
{
    return std::make_shared<LogTextSource>(std::move(log), std::move(index));
}

std::shared_ptr<const SourceText> openLogText(const std::string &path) { return std::make_shared<LateLogText>(path); }

} // namespace riffle
