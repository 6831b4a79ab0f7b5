// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/src/log_writer.h"

#include "collector/src/clock.h"

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <utility>
#include <zstd.h>

namespace riffle::collector {

namespace {

using wire::ChunkType;
using wire::Encoding;
using wire::Field;

constexpr int kLevel = 1;

std::string partName(uint32_t sequence)
{
    char name[32];
    std::snprintf(name, sizeof(name), "/%06u.part", sequence);
    return name;
}

} // namespace

LogWriter::LogWriter()
    : m_strings(ChunkType::Strings,
                {{Field::Id, Encoding::Delta}, {Field::Bytes, Encoding::Plain}, {Field::Text, Encoding::Texts}})
    , m_process(ChunkType::Process, {{Field::Key, Encoding::Delta}, {Field::Value, Encoding::Delta}})
    , m_threadRows(ChunkType::Threads, {{Field::Thread, Encoding::Delta},
                                        {Field::OsThread, Encoding::Delta},
                                        {Field::Name, Encoding::Delta},
                                        {Field::SampledEvery, Encoding::Delta}})
    , m_stepRows(ChunkType::StepSummaries, {{Field::Id, Encoding::Delta},
                                            {Field::Thread, Encoding::Delta},
                                            {Field::Start, Encoding::Delta},
                                            {Field::Duration, Encoding::Plain},
                                            {Field::OperatorTime, Encoding::Plain},
                                            {Field::WaitTime, Encoding::Plain},
                                            {Field::Device, Encoding::Plain},
                                            {Field::KernelTime, Encoding::Plain},
                                            {Field::BusyTime, Encoding::Plain},
                                            {Field::ExposedTime, Encoding::Plain},
                                            {Field::IdleTime, Encoding::Plain},
                                            {Field::MissingTime, Encoding::Plain},
                                            {Field::MemoryPeak, Encoding::Plain},
                                            {Field::CommunicationTime, Encoding::Plain}})
    , m_compressor(ZSTD_createCCtx())
{
}

LogWriter::~LogWriter() { ZSTD_freeCCtx(m_compressor); }

bool LogWriter::fail(int error, const std::string &what)
{
    m_error = what + ": " + std::strerror(error) + ".";
    return false;
}

bool LogWriter::open(const LogOptions &options)
{
    m_options = options;
    m_error.clear();
    m_full = m_due = false;
    m_sequence = 0;
    m_bytesWritten = 0;
    m_kept.clear();
    m_threads.clear();
    m_devices.clear();
    m_openGaps.clear();
    m_gapsChanged = false;
    // An error may have left rows that were never written.
    for (ChunkBuilder *table : {&m_strings, &m_process, &m_threadRows, &m_stepRows})
        table->clear();
    m_stepFile.close();
    summaries.clear();
    for (ChunkBuilder *table : tables())
        table->clear();
    // The system call itself: glibc has a function for it only since 2.25.
    if (syscall(SYS_getrandom, m_session.data(), m_session.size(), 0) != static_cast<long>(m_session.size()))
        return fail(errno, "Cannot get random numbers");
    constexpr int kMostLogs = 100'000; // of a process, which may be started and stopped from outside for days
    for (int attempt = 1;; ++attempt) {
        m_path =
            options.folder + "/" + options.label + (attempt > 1 ? "_" + std::to_string(attempt) : "") + ".rifflelog";
        if (mkdir(m_path.c_str(), 0755) == 0)
            break;
        if (errno != EEXIST || attempt == kMostLogs)
            return fail(errno, "Cannot create the folder " + m_path);
    }
    return beginFile();
}

bool LogWriter::beginFile()
{
    m_texts.clear();
    ++m_textGeneration;
    const std::string path = m_path + partName(++m_sequence);
    if (const int error = m_file.create(path, m_session, m_sequence))
        return fail(error, "Cannot write " + path);
    m_bytesWritten += m_file.bytes();
    assert(m_kept.empty() || m_kept.back().path != path);
    m_kept.push_back({path, m_file.bytes(), now()});
    return writeFacts();
}

/// Writes the facts that every file must contain to be readable alone.
bool LogWriter::writeFacts()
{
    const int64_t time = now();
    for (const auto &[key, value] : m_info)
        m_process.row(time, time, text(key), text(value));
    for (const auto &[index, thread] : m_threads)
        m_threadRows.row(time, time, index, thread.osThread, text(thread.name), thread.sampledEvery);
    for (const auto &[key, value] : m_devices)
        devices.row(time, time, key.first, text(key.second), text(value));
    clocks.row(time, time, time, nanoseconds(CLOCK_REALTIME), nanoseconds(CLOCK_BOOTTIME));
    listGaps();
    return write(m_strings) && write(m_process) && write(m_threadRows) && write(devices) && write(clocks) &&
           write(openGaps);
}

uint64_t LogWriter::bytesKept() const
{
    uint64_t bytes = 0;
    for (const Kept &file : m_kept)
        bytes += file.bytes;
    return bytes + (m_stepFile.isOpen() ? m_stepFile.bytes() : 0);
}

uint32_t LogWriter::text(std::string_view text)
{
    bool isNew = false;
    const uint32_t id = m_texts.idOf(text, isNew);
    if (isNew) {
        const int64_t time = 0;
        m_strings.row(time, time, id, text.size(), text);
        m_due |= m_strings.bytes() >= kTextsPerChunk;
    }
    return id;
}

void LogWriter::processInfo(std::string_view key, std::string_view value)
{
    m_info.insert_or_assign(std::string(key), std::string(value));
    if (isOpen())
        m_process.row(now(), now(), text(key), text(value));
}

void LogWriter::thread(uint32_t index, int osThread, std::string_view name, int64_t sampledEvery)
{
    m_threads[index] = {osThread, std::string(name), sampledEvery};
    if (isOpen())
        m_threadRows.row(now(), now(), index, osThread, text(name), sampledEvery);
}

void LogWriter::device(uint32_t index, std::string_view key, std::string_view value)
{
    constexpr size_t kMost = 10'000; // a limit, because a program may keep creating streams
    if (m_devices.size() >= kMost)
        return;
    std::string &kept = m_devices[{index, std::string(key)}];
    if (kept == value)
        return;
    kept = value;
    if (isOpen())
        devices.row(now(), now(), index, text(key), text(value));
}

void LogWriter::gapBegins(std::optional<uint32_t> thread, std::string_view source, std::string_view reason,
                          int64_t time)
{
    constexpr size_t kMost = 10'000; // a limit, because a program may keep naming sources
    if (!thread)
        summaries.gapBegins(time);
    if (m_openGaps.size() < kMost)
        m_gapsChanged |= m_openGaps.try_emplace({thread, std::string(source)}, std::string(reason), time).second;
}

void LogWriter::gapEnds(std::optional<uint32_t> thread, std::string_view source, int64_t time)
{
    if (const auto gap = m_openGaps.extract({thread, std::string(source)}))
        gapRow(gap.key(), gap.mapped(), time);
    // Everything may be paused while another profiler has CUPTI.
    const bool isOpen =
        std::any_of(m_openGaps.begin(), m_openGaps.end(), [](const auto &gap) { return !gap.first.thread; });
    if (!thread && !isOpen)
        summaries.gapEnds(time);
}

void LogWriter::gapsEnd(uint32_t thread, int64_t time)
{
    for (auto at = m_openGaps.begin(); at != m_openGaps.end();) {
        if (at->first.thread == thread) {
            gapRow(at->first, at->second, time);
            at = m_openGaps.erase(at);
        } else {
            ++at;
        }
    }
}

void LogWriter::gapRow(const GapKey &key, const Gap &gap, int64_t time)
{
    const int64_t end = std::max(time, gap.start); // a gap that was withdrawn has no length
    if (isOpen())
        gaps.row(gap.start, end, key.thread ? int64_t{*key.thread} : wire::kAbsent, text(key.source), text(gap.reason),
                 gap.start, end - gap.start);
    m_gapsChanged = true;
}

/// Adds the open gaps to their table.
void LogWriter::listGaps()
{
    for (const auto &[key, gap] : m_openGaps)
        openGaps.row(gap.start, now(), key.thread ? int64_t{*key.thread} : wire::kAbsent, text(key.source),
                     text(gap.reason), gap.start);
    m_gapsChanged = false;
}

bool LogWriter::write(ChunkBuilder &builder)
{
    if (builder.rows() == 0)
        return true;
    assert(!m_kept.empty()); // open() has created a file
    const bool good = writeTo(m_file, builder);
    m_kept.back().bytes = m_file.bytes();
    return good || fail(m_writeError, "Cannot write " + m_kept.back().path);
}

/// Writes the summaries of steps to their own file. Returns false and sets error() on failure.
bool LogWriter::writeSteps()
{
    if (m_stepRows.rows() == 0)
        return true;
    const std::string path = m_path + "/" + wire::kStepsFile;
    if (!m_stepFile.isOpen())
        if (const int error = m_stepFile.create(path, m_session, 0))
            return fail(error, "Cannot write " + path);
    return writeTo(m_stepFile, m_stepRows) || fail(m_writeError, "Cannot write " + path);
}

/// Appends the rows to a file. Returns false and sets m_writeError on failure.
bool LogWriter::writeTo(PartFile &file, ChunkBuilder &builder)
{
    const std::string payload = builder.payload();
    assert(payload.size() == builder.bytes() && payload.size() <= UINT32_MAX);
    wire::ChunkHeader header{};
    header.type = builder.type();
    header.rawBytes = static_cast<uint32_t>(payload.size());
    header.rows = builder.rows();
    header.columns = builder.columns();
    header.timeBegin = builder.begin();
    header.timeEnd = builder.end();
    builder.clear();
    m_packed.resize(ZSTD_compressBound(payload.size()));
    const size_t packed =
        ZSTD_compressCCtx(m_compressor, m_packed.data(), m_packed.size(), payload.data(), payload.size(), kLevel);
    const bool smaller = !ZSTD_isError(packed) && packed < payload.size();
    header.flags = smaller ? wire::kZstd : 0;
    const uint64_t before = file.bytes();
    m_writeError =
        file.append(header, smaller ? std::string_view(m_packed).substr(0, packed) : std::string_view(payload));
    m_bytesWritten += file.bytes() - before;
    return m_writeError == 0;
}

bool LogWriter::flush()
{
    if (!isOpen() || !m_error.empty())
        return false;
    if (m_file.isDeleted()) {
        m_error = "The log " + m_path + " was deleted while it was being written.";
        m_kept.clear();
        return false;
    }
    m_due = false;
    if (m_gapsChanged)
        listGaps();
    for (ChunkBuilder *table : {&m_strings, &m_process, &m_threadRows})
        if (!write(*table))
            return false;
    for (ChunkBuilder *table : tables())
        if (!write(*table))
            return false;
    if (!writeSteps())
        return false;
    m_full = m_options.maxBytes != 0 && bytesKept() >= m_options.maxBytes;
    const bool old = m_options.keepNs > 0 && now() - m_kept.back().begin > m_options.keepNs / 8;
    constexpr size_t kTextMemory = 64u << 20;
    if ((m_file.bytes() >= kFileBytes || old || m_texts.bytes() > kTextMemory) && !m_full && !beginFile())
        return false;
    if (m_options.keepNs > 0)
        dropOld();
    return true;
}

void LogWriter::dropOld()
{
    // The age of a file is determined by its end, which is the start of the next one.
    while (m_kept.size() > 2 && now() - m_kept[1].begin > m_options.keepNs) {
        unlink(m_kept.front().path.c_str());
        m_kept.erase(m_kept.begin());
    }
}

void LogWriter::close()
{
    if (!isOpen())
        return;
    for (const auto &[key, gap] : std::exchange(m_openGaps, {}))
        gapRow(key, gap, now());
    summarize(INT64_MAX);
    if (flush()) {
        wire::ChunkHeader end{};
        end.type = ChunkType::End;
        end.timeBegin = end.timeEnd = now();
        if (const int error = m_file.append(end, {}))
            fail(error, "Cannot write " + m_kept.back().path);
        m_kept.back().bytes = m_file.bytes();
    }
    m_file.close();
    m_stepFile.close();
}

std::string LogWriter::linkInto(const std::string &folder)
{
    if (mkdir(folder.c_str(), 0755) != 0)
        return "Cannot create the folder " + folder + ": " + std::strerror(errno) + ".";
    const auto target = [&](const Kept &file) { return folder + file.path.substr(file.path.rfind('/')); };
    for (const Kept &file : m_kept) {
        if (link(file.path.c_str(), target(file).c_str()) == 0)
            continue;
        const int error = errno;
        for (const Kept &linked : m_kept)
            unlink(target(linked).c_str());
        rmdir(folder.c_str());
        if (error == EXDEV)
            return "Cannot write the dump " + folder + ": A dump must be on the log's file system.";
        return "Cannot link " + target(file) + ": " + std::strerror(error) + ".";
    }
    beginFile(); // later rows do not belong to the dump
    return m_error;
}

} // namespace riffle::collector
