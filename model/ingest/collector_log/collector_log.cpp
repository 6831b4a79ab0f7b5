// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/collector_log/collector_log.h"

#include "model/base/parallel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>

namespace riffle {

namespace {

namespace fs = std::filesystem;

bool hasMagic(const fs::path &path)
{
    std::ifstream file(path, std::ios::binary);
    char head[sizeof wire::kMagic] = {};
    file.read(head, sizeof head);
    return LogPart::looksLikePart({head, static_cast<size_t>(std::max<std::streamsize>(0, file.gcount()))});
}

/// The files of a folder that may be parts of a log, ordered by name.
std::vector<fs::path> partsIn(const fs::path &folder)
{
    std::vector<fs::path> paths;
    std::error_code failed;
    for (fs::directory_iterator it(folder, failed), end; !failed && it != end; it.increment(failed))
        if (std::error_code ignored; it->path().extension() == ".part" && it->is_regular_file(ignored))
            paths.push_back(it->path());
    std::sort(paths.begin(), paths.end());
    return paths;
}

std::string sessionOf(const LogPart &part)
{
    return {reinterpret_cast<const char *>(part.header().session), sizeof part.header().session};
}

/// Returns the index of a part of the session with the most bytes; if several sessions have the same size, of the first
/// one.
size_t largestSession(const std::vector<LogPart> &parts)
{
    std::map<std::string, uint64_t> bytes;
    for (const LogPart &part : parts)
        bytes[sessionOf(part)] += part.size();
    size_t largest = 0;
    for (size_t at = 1; at < parts.size(); ++at)
        if (bytes[sessionOf(parts[at])] > bytes[sessionOf(parts[largest])])
            largest = at;
    return largest;
}

} // namespace

bool CollectorLog::isLog(const SniffedFile &file)
{
    if (!file.isFolder())
        return LogPart::looksLikePart(file.bytes());
    const std::vector<fs::path> parts = partsIn(file.path());
    return std::any_of(parts.begin(), parts.end(), hasMagic);
}

Result<std::shared_ptr<const CollectorLog>> CollectorLog::open(const std::string &path)
{
    std::error_code failed;
    const bool isFolder = fs::is_directory(path, failed);
    std::vector<fs::path> paths = partsIn(isFolder                               ? fs::path(path)
                                          : fs::path(path).parent_path().empty() ? fs::path(".")
                                                                                 : fs::path(path).parent_path());
    const auto isWanted = [&](const fs::path &one) { return one.filename() == fs::path(path).filename(); };
    if (!isFolder && std::none_of(paths.begin(), paths.end(), isWanted))
        paths = {path}; // its name does not end in .part, so only this file is opened
    auto log = std::make_shared<CollectorLog>();
    std::vector<LogPart> found;
    std::optional<size_t> wanted;
    std::optional<Error> problem;
    // Keep the newest files and the requested one.
    if (paths.size() > kMaxParts) {
        const auto keep = std::find_if(paths.begin(), paths.end(), isWanted);
        const fs::path asked = !isFolder && keep != paths.end() ? *keep : fs::path();
        log->m_report.add(Trouble::MissingPart, 0, "There are too many files: the oldest are left out.",
                          paths.size() - kMaxParts);
        paths.erase(paths.begin(), paths.end() - kMaxParts);
        if (!asked.empty() && std::find(paths.begin(), paths.end(), asked) == paths.end())
            paths.front() = asked;
    }
    for (const fs::path &one : paths) {
        Result<LogPart> part = LogPart::open(one.string());
        const bool isAsked = !isFolder && isWanted(one);
        if (part) {
            if (isAsked)
                wanted = found.size();
            found.push_back(std::move(*part));
        } else if (isAsked) {
            return part.error();
        } else if (hasMagic(one)) {
            log->m_report.add(Trouble::BrokenChunk, 0, part.error().text());
            problem = problem ? problem : part.error();
        }
    }
    if (found.empty())
        return problem ? *problem : Error{"This folder contains no files of a collector's log.", path, std::nullopt};
    const size_t chosen = wanted ? *wanted : largestSession(found);
    log->keepSession(std::move(found), chosen);
    return std::shared_ptr<const CollectorLog>(std::move(log));
}

void CollectorLog::keepSession(std::vector<LogPart> found, size_t wanted)
{
    const std::string session = sessionOf(found[wanted]);
    std::map<uint32_t, size_t> bySequence;
    for (size_t at = 0; at < found.size(); ++at) {
        const bool taken =
            sessionOf(found[at]) == session && bySequence.try_emplace(found[at].header().sequence, at).second;
        if (!taken)
            m_report.add(Trouble::ForeignPart, 0, found[at].name());
    }
    for (const auto &[sequence, at] : bySequence)
        m_parts.push_back(std::move(found[at]));
    parallelFor(m_parts.size(), [this](size_t at) { m_parts[at].verify(); });
    numberChunks();
    reportDamage();
}

void CollectorLog::numberChunks()
{
    for (uint32_t part = 0; part < m_parts.size(); ++part) {
        m_firstChunk.push_back(m_chunks.size());
        for (const LogChunk &chunk : m_parts[part].chunks())
            m_chunks.push_back({&chunk, part});
    }
    m_firstChunk.push_back(m_chunks.size());
}

void CollectorLog::reportDamage()
{
    uint64_t before = 0; // bytes of the earlier files
    for (size_t at = 0; at < m_parts.size(); ++at) {
        const LogPart &part = m_parts[at];
        if (at > 0) {
            // The first files may have been deleted; the summaries of steps, with number 0, may be before that gap.
            const uint32_t expected = m_parts[at - 1].header().sequence + 1;
            if (const uint32_t missing = expected == 1 ? 0 : part.header().sequence - expected)
                m_report.add(
                    Trouble::MissingPart, before,
                    fmt::format("Files missing between {} and {}: {}.", m_parts[at - 1].name(), part.name(), missing),
                    missing);
        }
        // The last file of a log that is still being written may end inside a chunk, and so may that of a killed
        // process, and the file with the summaries of steps, which is open as long as the log.
        const bool isOpen = at + 1 == m_parts.size() || (part.header().sequence == 0 && !closed());
        const bool isTail = isOpen && part.endsInChunk();
        if (!part.damage().empty() && !isTail)
            m_report.add(Trouble::BrokenChunk, before + part.soundBytes(),
                         fmt::format("{}: {} at byte {}; the remaining {} bytes are ignored.", part.name(),
                                     part.damage(), part.soundBytes(), part.size() - part.soundBytes()));
        before += part.size();
    }
    if (closed())
        return;
    const LogPart &last = m_parts.back();
    m_report.add(Trouble::NotClosed, before,
                 last.endsInChunk() ? fmt::format("The log was not closed. Its last {} bytes are an unfinished chunk.",
                                                  last.size() - last.soundBytes())
                                    : "The log was not closed.");
}

uint64_t CollectorLog::endAddress() const
{
    const LogPart &last = m_parts.back();
    return LogAddress{last.header().sequence, static_cast<uint32_t>(last.chunks().size())}.bits();
}

std::optional<size_t> CollectorLog::chunkAt(uint64_t address) const
{
    const LogAddress place = LogAddress::of(address);
    const auto part =
        std::ranges::lower_bound(m_parts, place.file, {}, [](const LogPart &one) { return one.header().sequence; });
    if (part == m_parts.end() || part->header().sequence != place.file || place.chunk >= part->chunks().size())
        return std::nullopt;
    return m_firstChunk[static_cast<size_t>(part - m_parts.begin())] + place.chunk;
}

uint64_t CollectorLog::fileOffset(uint64_t address) const
{
    const std::optional<size_t> chunk = chunkAt(address);
    if (!chunk)
        return fileBytes();
    uint64_t before = 0;
    for (uint32_t part = 0; part < m_chunks[*chunk].part; ++part)
        before += m_parts[part].size();
    return before + m_chunks[*chunk].where->offset;
}

uint64_t CollectorLog::fileBytes() const
{
    uint64_t bytes = 0;
    for (const LogPart &part : m_parts)
        bytes += part.size();
    return bytes;
}

uint64_t CollectorLog::rawBytes() const
{
    uint64_t bytes = 0;
    for (const Chunk &chunk : m_chunks)
        bytes += chunk.where->header.rawBytes;
    return bytes;
}

bool CollectorLog::compressed() const
{
    return std::any_of(m_chunks.begin(), m_chunks.end(),
                       [](const Chunk &chunk) { return chunk.where->header.flags & wire::kZstd; });
}

bool CollectorLog::closed() const
{
    const auto last = m_chunks.begin() + static_cast<std::ptrdiff_t>(m_firstChunk[m_parts.size() - 1]);
    return std::any_of(last, m_chunks.end(), [](const Chunk &chunk) { return chunk.type() == wire::ChunkType::End; });
}

bool CollectorLog::lost() const
{
    return std::any_of(m_parts.begin(), m_parts.end(), [](const LogPart &part) { return part.lost(); });
}

bool CollectorLog::wasCut() const
{
    return std::any_of(m_parts.begin(), m_parts.end(), [](const LogPart &part) { return part.wasCut(); });
}

} // namespace riffle
