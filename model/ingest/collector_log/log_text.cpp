// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/collector_log/log_text.h"

#include "model/base/parallel.h"
#include "model/ingest/collector_log/event_text.h"
#include "model/ingest/collector_log/tables_cache.h"

#include <algorithm>
#include <cassert>

namespace riffle {

namespace {

constexpr size_t kTables = 4;
constexpr size_t kChunks = 16;

/// A chunk with the positions at which the texts of its rows start.
class TextChunk {
public:
    TextChunk(const CollectorLog &log, const LogIndex &index, size_t chunk, std::shared_ptr<const PartTables> tables)
        : m_tables(std::move(tables))
    {
        m_good = m_reader.read(log, chunk);
        m_text = std::make_unique<EventText>(index, *m_tables, log.chunks()[chunk].type(), m_reader.columns());
        m_begins.reserve(m_reader.columns().rows() + 1);
        m_begins.push_back(0);
        for (uint32_t row = 0; row < m_reader.columns().rows(); ++row)
            m_begins.push_back(m_begins.back() + m_text->room(row));
    }
    uint64_t size() const { return m_begins.back(); }
    bool good() const { return m_good; }

    /// Returns the arguments of the row whose text starts at `begin`; nothing if there is none.
    std::optional<EventArguments> arguments(uint64_t begin) const
    {
        // Rows that are no events have no room, so that several rows may start here; the last one has the room.
        const auto behind = std::upper_bound(m_begins.begin(), m_begins.end(), begin);
        if (behind == m_begins.begin() || behind == m_begins.end() || *(behind - 1) != begin)
            return std::nullopt;
        return m_text->arguments(static_cast<uint32_t>(behind - m_begins.begin() - 1));
    }
    /// Returns the bytes from `begin` to `end` of the chunk's text.
    std::string read(uint64_t begin, uint64_t end) const
    {
        assert(begin <= end);
        std::string out;
        out.reserve(static_cast<size_t>(end - begin));
        const auto behind = std::upper_bound(m_begins.begin(), m_begins.end(), begin);
        for (auto row = static_cast<uint32_t>(behind - m_begins.begin() - 1);
             row + 1 < m_begins.size() && m_begins[row] < end; ++row) {
            std::string one;
            m_text->append(one, row);
            one.resize(static_cast<size_t>(m_begins[row + 1] - m_begins[row]), ' ');
            const uint64_t skip = begin > m_begins[row] ? begin - m_begins[row] : 0;
            out.append(one, static_cast<size_t>(skip));
        }
        out.resize(static_cast<size_t>(end - begin), ' ');
        return out;
    }

private:
    std::shared_ptr<const PartTables> m_tables;
    ChunkReader m_reader;
    std::unique_ptr<EventText> m_text;
    std::vector<uint64_t> m_begins;
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
        // A read never crosses chunks: the addresses of two chunks are far apart.
        const auto chunk = chunkAt(offset);
        const uint64_t begin = offset % CollectorLog::address(1);
        if (!chunk || begin > chunk->size() || length > chunk->size() - begin)
            return noSuchEvent(offset);
        std::string text = chunk->read(begin, begin + length);
        if (m_log->lost())
            return changed();
        return text;
    }
    bool hasTypedArguments() const override { return true; }
    Result<EventArguments> readArguments(TextPlace place) const override
    {
        const auto chunk = chunkAt(place.offset);
        auto arguments = chunk ? chunk->arguments(place.offset % CollectorLog::address(1)) : std::nullopt;
        if (m_log->lost())
            return changed();
        return arguments ? Result<EventArguments>(std::move(*arguments)) : noSuchEvent(place.offset);
    }
    std::optional<Error> cut() const override { return m_log->wasCut() ? std::optional(changed()) : std::nullopt; }

private:
    /// Returns the chunk of an address; null if it does not exist or cannot be read.
    std::shared_ptr<const TextChunk> chunkAt(uint64_t offset) const
    {
        const auto number = static_cast<size_t>(offset >> CollectorLog::kTextBits);
        if (number >= m_log->chunks().size())
            return nullptr;
        auto chunk = m_chunks.get(number, [&] {
            return std::make_shared<const TextChunk>(*m_log, *m_index, number,
                                                     m_tables.of(m_log->chunks()[number].part));
        });
        return chunk->good() ? chunk : nullptr;
    }
    Error changed() const
    {
        return {"The file changed while it was in use.", m_log->parts().front().name(), std::nullopt,
                ErrorKind::Changed};
    }
    Error noSuchEvent(uint64_t offset) const
    {
        return {"The log has no such event.", m_log->parts().front().name(), offset};
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
