// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/collector_log/kineto_export.h"

#include "model/base/parallel.h"
#include "model/base/quoted_text.h"
#include "model/ingest/collector_log/autograd_arrows.h"
#include "model/ingest/collector_log/json_text.h"
#include "model/ingest/collector_log/log_pass.h"

#include <fmt/format.h>

#include <algorithm>

namespace riffle {

using wire::ChunkType;
using wire::Field;

namespace {

constexpr uint64_t kPieceBytes = 2 << 20; ///< bytes of text that one worker writes at a time

class KinetoExport {
public:
    KinetoExport(const CollectorLog &log, const TextSink &sink, const Task &task)
        : m_log(log)
        , m_index(LogIndex::of(log))
        , m_sink(sink)
        , m_task(task)
        , m_tables(log, 2)
        , m_report(log.report())
    {
    }

    Result<void> run()
    {
        std::string head = "{\n\"schemaVersion\": 1,\n\"displayTimeUnit\": \"ms\",\n";
        if (m_index->baseTimeNs)
            head += fmt::format("\"baseTimeNanoseconds\": {},\n", *m_index->baseTimeNs);
        Result<void> good = m_sink(head + "\"traceEvents\": [");
        for (ChunkPlace at; good && at.part < m_log.parts().size(); ++at.part)
            for (at.chunk = 0; good && at.chunk < m_log.parts()[at.part]->chunks().size(); ++at.chunk)
                good = writeChunk(at);
        if (good)
            good = writeUnfinished();
        if (good && m_log.lost())
            good = Error{"The file changed while it was being read.", {}, std::nullopt, ErrorKind::Changed};
        return good ? m_sink(names() + "\n]" + facts() + "\n}\n") : good;
    }
    ImportReport report() const
    {
        ImportReport all = m_report;
        all.merge(m_facts.report());
        return all;
    }

private:
    struct Piece {
        uint32_t begin = 0, end = 0; ///< rows
    };

    Result<void> writeChunk(ChunkPlace chunk)
    {
        if (m_task.stopped())
            return Error{"The export was cancelled.", {}, std::nullopt, ErrorKind::Cancelled};
        const ChunkType type = m_log.type(chunk);
        const std::shared_ptr<const PartTables> tables = m_tables.of(chunk.part);
        if (chunk.chunk == 0)
            m_facts.addThreads(m_log.address(chunk), *tables);
        if (!m_reader.read(m_log, chunk)) {
            m_report.add(Trouble::BrokenChunk, m_log.address(chunk),
                         m_log.parts()[chunk.part]->name() + ": A chunk does not match its header.");
            return {};
        }
        m_facts.add(m_log.address(chunk), type, m_reader.columns(), *tables, *m_index);
        if (isDeviceWork(type))
            noteStreams();
        if (type == ChunkType::OpenRanges || type == ChunkType::OpenGaps)
            return {}; // written at the end, if they are still open
        const Result<void> good = writeRows(EventText(*m_index, *tables, type, m_reader.columns()));
        if (!good || type != ChunkType::Ranges)
            return good;
        std::string arrows;
        m_arrows.append(arrows, *m_index, *tables, m_reader.columns());
        return write(arrows);
    }

    /// Writes the rows in pieces, several pieces in parallel.
    Result<void> writeRows(const EventText &text)
    {
        std::vector<Piece> pieces;
        uint64_t room = kPieceBytes;
        for (uint32_t row = 0; row < m_reader.columns().rows(); ++row) {
            if (room >= kPieceBytes) {
                if (pieces.size() == 2 * workerCount()) {
                    if (const Result<void> good = writePieces(text, pieces); !good)
                        return good;
                    pieces.clear();
                }
                pieces.push_back({row, row});
                room = 0;
            }
            pieces.back().end = row + 1;
            room += text.room(row);
        }
        return writePieces(text, pieces);
    }

    Result<void> writePieces(const EventText &text, const std::vector<Piece> &pieces)
    {
        std::vector<std::string> texts(pieces.size());
        parallelFor(pieces.size(), [&](size_t at) {
            for (uint32_t row = pieces[at].begin; row < pieces[at].end; ++row)
                appendRow(texts[at], text, row);
        });
        for (const std::string &one : texts)
            if (const Result<void> good = write(one); !good)
                return good;
        return {};
    }

    static void appendRow(std::string &out, const EventText &text, uint32_t row)
    {
        const size_t before = out.size();
        out += ",\n";
        text.append(out, row);
        if (out.size() == before + 2)
            out.resize(before); // not an event
        else
            text.appendFlow(out, row);
    }

    /// Writes events, each of which starts with a comma; leaves out the comma of the very first event.
    Result<void> write(std::string_view events)
    {
        if (events.empty())
            return {};
        events.remove_prefix(m_begun ? 0 : 1);
        m_begun = true;
        return m_sink(events);
    }

    Result<void> writeUnfinished()
    {
        std::string all;
        const auto append = [&](ChunkPlace chunk, const std::vector<uint32_t> &rows) {
            if (rows.empty() || !m_reader.read(m_log, chunk))
                return;
            const EventText text(*m_index, *m_tables.of(chunk.part), m_log.type(chunk), m_reader.columns());
            for (const uint32_t row : rows)
                appendRow(all, text, row);
        };
        append(m_index->openChunk, m_index->unfinished);
        append(m_index->openGapChunk, m_index->unfinishedGaps);
        return write(all);
    }

    void noteStreams()
    {
        const ChunkColumns &columns = m_reader.columns();
        for (uint32_t row = 0; row < columns.rows(); ++row) {
            const int64_t device = columns.value(Field::Device, row), stream = columns.value(Field::Stream, row);
            const std::pair one(device == wire::kAbsent ? 0 : device, stream == wire::kAbsent ? kAllStreams : stream);
            if (m_streams.empty() || one != m_lastStream)
                m_streams.insert(one);
            m_lastStream = one;
        }
    }

    void appendName(std::string &out, const char *what, int64_t pid, int64_t tid, const char *key,
                    std::string_view rawValue) const
    {
        out += fmt::format("{}{{\"ph\":\"M\",\"name\":\"{}\",\"pid\":{},\"tid\":{},\"args\":{{\"{}\":{}}}}}",
                           m_begun || !out.empty() ? ",\n" : "\n", what, pid, tid, key, rawValue);
    }

    /// The metadata events that Kineto writes about processes, devices and threads.
    std::string names() const
    {
        constexpr int64_t kDeviceSort = 5'000'000;
        std::string out, program;
        appendJsonString(program, m_facts.programName());
        const auto process = [&](int64_t pid, const std::string &label, int64_t sort) {
            appendName(out, "process_name", pid, 0, "name", program);
            appendName(out, "process_labels", pid, 0, "labels", "\"" + label + "\"");
            appendName(out, "process_sort_index", pid, 0, "sort_index", std::to_string(sort));
        };
        process(m_index->pid, "CPU", m_index->pid);
        std::set<int64_t> devices;
        for (const auto &[device, stream] : m_streams)
            if (devices.insert(device).second)
                process(device, "GPU " + std::to_string(device),
                        kDeviceSort + (device > 0 && device < 65536 ? device : 0));
        for (const auto &[device, stream] : m_streams)
            appendName(out, "thread_name", device, stream, "name", "\"stream " + std::to_string(stream) + " \"");
        for (const auto &[thread, title] : m_facts.threadTitles())
            appendName(out, "thread_name", m_index->pid, thread, "name", jsonString(title));
        return out;
    }

    std::string facts() const
    {
        std::string out;
        for (const auto &[key, value] : m_facts.metadata())
            out += ",\n" + jsonString(key) + ": " + value;
        return out;
    }

    const CollectorLog &m_log;
    const std::shared_ptr<const LogIndex> m_index;
    const TextSink &m_sink;
    const Task &m_task;
    TablesCache m_tables;
    ImportReport m_report;
    ChunkReader m_reader;
    LogFacts m_facts;
    AutogradArrows m_arrows;
    std::set<std::pair<int64_t, int64_t>> m_streams;
    std::pair<int64_t, int64_t> m_lastStream;
    bool m_begun = false;
};

} // namespace

Result<ImportReport> exportKinetoJson(const std::string &logPath, const TextSink &sink, const Task &task)
{
    if (!CollectorLog::isLog(SniffedFile(logPath)))
        return Error{"This is not a log of Riffle's collector.", logPath, std::nullopt};
    const Result<std::shared_ptr<const CollectorLog>> log = CollectorLog::open(logPath);
    if (!log)
        return log.error();
    KinetoExport writer(**log, sink, task);
    if (const Result<void> written = writer.run(); !written)
        return written.error();
    return writer.report();
}

} // namespace riffle
