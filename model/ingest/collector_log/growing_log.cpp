// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/collector_log/growing_log.h"

#include "model/ingest/collector_log/log_info.h"
#include "model/ingest/collector_log/log_text.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <utility>

namespace riffle {

namespace {

/// A recorder writes five times a second; more than this is left for slow file systems.
constexpr auto kStillWritten = std::chrono::seconds(10);

bool wasJustWritten(const std::string &path)
{
    namespace fs = std::filesystem;
    std::error_code failed;
    const fs::path folder = fs::is_directory(path, failed) ? fs::path(path) : fs::path(path).parent_path();
    auto newest = fs::file_time_type::min();
    for (const auto &entry : fs::directory_iterator(folder.empty() ? "." : folder, failed))
        if (entry.path().extension() == ".part")
            if (const auto time = entry.last_write_time(failed); !failed)
                newest = std::max(newest, time);
    return newest > fs::file_time_type::clock::now() - kStillWritten;
}

} // namespace

GrowingLog::GrowingLog(std::string path, std::shared_ptr<const CollectorLog> log, GrowthWindow window)
    : m_path(std::move(path))
    , m_log(std::move(log))
    , m_growth(std::move(window))
{
}

Result<std::unique_ptr<GrowingLog>> GrowingLog::open(const std::string &path, GrowthWindow window)
{
    auto log = CollectorLog::open(path);
    if (!log)
        return log.error();
    return std::unique_ptr<GrowingLog>(new GrowingLog(path, std::move(*log), std::move(window)));
}

std::optional<Ns> GrowingLog::settled() const
{
    const Ns mark = m_tail.marks().of(LaneKind::Thread); // the earliest of all kinds of lanes
    return mark == SettledMarks::kNothing || mark == SettledMarks::kEverything ? std::nullopt : std::optional(mark);
}

Result<std::unique_ptr<GrowingSource>> followCollectorLog(const std::string &path)
{
    if (!wasJustWritten(path))
        return std::unique_ptr<GrowingSource>();
    auto log = GrowingLog::open(path);
    if (!log)
        return log.error();
    return std::unique_ptr<GrowingSource>((*log)->log().closed() ? nullptr : std::move(*log));
}

Result<std::shared_ptr<const Trace>> GrowingLog::next(uint64_t mostBytes)
{
    if (!m_isBehind) {
        auto newer = m_log->advance();
        if (!newer)
            return newer.error().in(m_path);
        if (!*newer)
            return std::shared_ptr<const Trace>();
        m_log = std::move(*newer);
    }
    TraceWriter rows(m_memory), open(m_memory), names(m_memory);
    for (TraceWriter *writer : {&rows, &open, &names})
        writer->beginBatch(0);
    const auto batch = m_tail.next(m_log, rows, mostBytes);
    if (!batch)
        return batch.error().in(m_path);
    m_isBehind = !batch->isComplete;
    m_tail.addOpen(open);
    m_tail.addNames(names);
    if (rows.outOfMemory() || open.outOfMemory() || names.outOfMemory())
        return Error{"There is no memory for the new events.", m_path, std::nullopt};
    m_growth.add(rows);
    m_growth.setExternalIds(batch->externalIds);
    m_growth.setOpen(open);
    m_growth.setNames(names);
    if (m_log->closed() && !m_isBehind)
        return finish();
    m_growth.settle([this](LaneKind kind) { return m_tail.marks().of(kind); });
    return generation();
}

Result<std::shared_ptr<const Trace>> GrowingLog::finish()
{
    m_growth.finish();
    m_isFinished = true;
    return generation();
}

Result<std::shared_ptr<const Trace>> GrowingLog::generation()
{
    const auto index = std::make_shared<const LogIndex>(m_tail.index());
    return m_growth.generation(traceInfoOf(m_path, *m_log, *index, m_tail.facts()), openLogText(m_log, index),
                               m_tail.facts().report(), [this](const ImportReport &report) {
                                   ImportReport placed = placedInFiles(report, *m_log);
                                   placed.merge(m_log->report());
                                   return placed;
                               });
}

} // namespace riffle
