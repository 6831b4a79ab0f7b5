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

uint32_t sequenceOf(const std::shared_ptr<const LogPart> &part) { return part->header().sequence; }

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
    const auto log = std::make_shared<CollectorLog>();
    log->m_folder = isFolder                               ? fs::path(path)
                    : fs::path(path).parent_path().empty() ? fs::path(".")
                                                           : fs::path(path).parent_path();
    std::vector<fs::path> paths = partsIn(log->m_folder);
    const auto isWanted = [&](const fs::path &one) { return one.filename() == fs::path(path).filename(); };
    if (!isFolder && std::none_of(paths.begin(), paths.end(), isWanted)) {
        paths = {path}; // its name does not end in .part, so only this file is opened
        log->m_folder.clear();
    }
    std::vector<LogPart> found;
    std::optional<size_t> wanted;
    std::optional<Error> problem;
    // Keep the newest files, the summaries of steps and the requested file.
    if (paths.size() > kMaxParts) {
        const auto keep = std::find_if(paths.begin(), paths.end(), isWanted);
        const fs::path asked = !isFolder && keep != paths.end() ? *keep : fs::path();
        log->noteOldest(paths.size() - kMaxParts);
        const auto first = paths.begin() + (paths.front().filename() == wire::kStepsFile ? 1 : 0);
        const auto end = first + static_cast<std::ptrdiff_t>(paths.size() - kMaxParts);
        for (auto old = first; old != end; ++old)
            log->m_leftOut.insert(old->filename());
        const auto oldest = paths.erase(first, end);
        if (!asked.empty() && std::find(paths.begin(), paths.end(), asked) == paths.end())
            *oldest = asked;
    }
    for (const fs::path &one : paths) {
        Result<LogPart> part = log->look(one);
        const bool isAsked = !isFolder && isWanted(one);
        if (part) {
            if (isAsked)
                wanted = found.size();
            found.push_back(std::move(*part));
        } else if (isAsked) {
            return part.error();
        } else if (!problem && (hasMagic(one) || !log->m_refused.empty())) {
            problem = part.error();
        }
    }
    if (found.empty())
        return problem ? *problem : Error{"This folder contains no files of a collector's log.", path, std::nullopt};
    log->m_session = sessionOf(found[wanted ? *wanted : largestSession(found)]);
    log->add(std::move(found), IfShortened::Keep);
    log->makeReport();
    return std::shared_ptr<const CollectorLog>(log);
}

Result<std::shared_ptr<const CollectorLog>> CollectorLog::advance(uint64_t mostDeleted) const
{
    const auto next = std::make_shared<CollectorLog>(*this);
    // Files are listed before anything is read: a file that has a later one in this list is complete.
    std::vector<LogPart> found;
    const std::vector<fs::path> paths = m_folder.empty() ? std::vector<fs::path>() : partsIn(m_folder);
    next->m_leftOut.clear();
    next->m_cutHeaders.clear();
    next->m_refused.clear();
    std::set<fs::path> known, there;
    for (const auto &part : m_parts)
        known.insert(part->name());
    for (const fs::path &path : paths) {
        there.insert(path.filename());
        if (m_leftOut.contains(path.filename()))
            next->m_leftOut.insert(path.filename());
        if (known.contains(path.filename()) || m_leftOut.contains(path.filename()))
            continue;
        if (Result<LogPart> part = next->look(path))
            found.push_back(std::move(*part));
    }
    next->add(std::move(found), IfShortened::LookAgain);
    const auto isMore = [&](Trouble kind) { return next->m_notes.of(kind).count != m_notes.of(kind).count; };
    bool isNew = next->m_parts.size() != m_parts.size() || next->m_refused != m_refused ||
                 isMore(Trouble::BrokenChunk) || isMore(Trouble::ForeignPart);
    // Two files can have grown: that of the steps, and the one that was the last.
    for (std::shared_ptr<const LogPart> &part : next->m_parts) {
        if (sequenceOf(part) != 0 && part != m_parts.back())
            continue;
        Result<std::optional<LogPart>> grown = part->grown();
        if (!grown)
            return grown.error();
        isNew |= grown->has_value();
        if (*grown)
            part = std::make_shared<const LogPart>(std::move(**grown));
        else if (sequenceOf(part) != 0 && part != next->m_parts.back() && part->isDeleted())
            next->m_notes.add(Trouble::MissingPart, 0, part->name() + " was deleted, perhaps before its end was read.");
    }
    if (!isNew)
        return std::shared_ptr<const CollectorLog>();
    next->leaveOutOldest();
    if (!m_folder.empty())
        next->leaveOutDeleted(there, mostDeleted);
    next->makeReport();
    return std::shared_ptr<const CollectorLog>(next);
}

/// Opens a file of the folder; notes why if it cannot be used, now or at all.
Result<LogPart> CollectorLog::look(const fs::path &path)
{
    const Result<std::shared_ptr<const MappedFile>> file = MappedFile::open(path.string());
    if (!file) {
        if (std::error_code ignored; fs::exists(path, ignored)) // otherwise it was deleted meanwhile
            m_refused.insert(file.error().text());
        return file.error();
    }
    Result<LogPart> part = LogPart::of(*file);
    if (part)
        return part;
    if ((*file)->size() < sizeof(wire::FileHeader))
        m_cutHeaders.insert(path);
    else if (hasMagic(path))
        leaveOut(path, part.error().text());
    return part;
}

void CollectorLog::leaveOut(const fs::path &path, const std::string &why)
{
    m_leftOut.insert(path.filename());
    m_notes.add(Trouble::BrokenChunk, 0, why);
}

/// Verifies parts and adds those that belong to the session. Without those that are shortened meanwhile, a later call
/// finds them again.
void CollectorLog::add(std::vector<LogPart> found, IfShortened shortened)
{
    std::set<uint32_t> taken;
    for (const auto &part : m_parts)
        taken.insert(sequenceOf(part));
    std::erase_if(found, [&](const LogPart &part) {
        if (sessionOf(part) == m_session && taken.insert(part.header().sequence).second)
            return false;
        m_leftOut.insert(part.name());
        m_notes.add(Trouble::ForeignPart, 0, part.name());
        return true;
    });
    parallelFor(found.size(), [&](size_t at) { found[at].verify(); });
    for (LogPart &part : found)
        if (shortened == IfShortened::Keep || !part.lost())
            m_parts.push_back(std::make_shared<const LogPart>(std::move(part)));
    std::ranges::sort(m_parts, {}, sequenceOf);
    // A file of which only a part of the header is there is being created, unless the session has a later one.
    for (const fs::path &path : m_cutHeaders)
        if (!m_parts.empty() && path.filename() < m_parts.back()->name() && hasMagic(path))
            leaveOut(path, path.string() + ": The file ends inside its header.");
}

void CollectorLog::noteOldest(size_t count)
{
    m_notes.add(Trouble::MissingPart, 0, "There are too many files: the oldest are left out.", count);
}

void CollectorLog::leaveOutOldest()
{
    if (m_parts.size() <= kMaxParts)
        return;
    const auto first = m_parts.begin() + (sequenceOf(m_parts.front()) == 0 ? 1 : 0);
    const auto end = first + static_cast<std::ptrdiff_t>(m_parts.size() - kMaxParts);
    noteOldest(static_cast<size_t>(end - first));
    for (auto part = first; part != end; ++part)
        m_leftOut.insert((*part)->name());
    m_parts.erase(first, end);
}

void CollectorLog::leaveOutDeleted(const std::set<fs::path> &there, uint64_t most)
{
    uint64_t present = 0, deleted = 0;
    for (const auto &part : m_parts)
        (there.contains(part->name()) ? present : deleted) += part->size();
    const uint64_t allowed = std::max(most, present);
    // The last file is not left out: it tells where the log goes on.
    for (size_t at = 0; deleted > allowed && at + 1 < m_parts.size();) {
        if (there.contains(m_parts[at]->name())) {
            ++at;
            continue;
        }
        deleted -= m_parts[at]->size();
        m_parts.erase(m_parts.begin() + static_cast<std::ptrdiff_t>(at));
    }
}

std::vector<ChunkPlace> CollectorLog::chunksOf(wire::ChunkType type) const
{
    std::vector<ChunkPlace> found;
    for (uint32_t part = 0; part < m_parts.size(); ++part)
        for (uint32_t chunk = 0; chunk < m_parts[part]->chunks().size(); ++chunk)
            if (this->type({part, chunk}) == type)
                found.push_back({part, chunk});
    return found;
}

void CollectorLog::makeReport()
{
    m_report = m_notes;
    uint64_t before = 0; // bytes of the earlier files
    for (size_t at = 0; at < m_parts.size(); ++at) {
        const LogPart &part = *m_parts[at];
        if (at > 0) {
            // The first files may have been deleted; the summaries of steps, with number 0, may be before that gap.
            const uint32_t expected = m_parts[at - 1]->header().sequence + 1;
            if (const uint32_t missing = expected == 1 ? 0 : part.header().sequence - expected)
                m_report.add(
                    Trouble::MissingPart, before,
                    fmt::format("Files missing between {} and {}: {}.", m_parts[at - 1]->name(), part.name(), missing),
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
    for (const std::string &why : m_refused)
        m_report.add(Trouble::BrokenChunk, before, why);
    if (closed())
        return;
    const LogPart &last = *m_parts.back();
    m_report.add(Trouble::NotClosed, before,
                 last.endsInChunk() ? fmt::format("The log was not closed. Its last {} bytes are an unfinished chunk.",
                                                  last.size() - last.soundBytes())
                                    : "The log was not closed.");
}

uint64_t CollectorLog::endAddress() const
{
    const LogPart &last = *m_parts.back();
    return LogAddress{last.header().sequence, static_cast<uint32_t>(last.chunks().size())}.bits();
}

std::optional<ChunkPlace> CollectorLog::chunkAt(uint64_t address) const
{
    const LogAddress place = LogAddress::of(address);
    const auto part = std::ranges::lower_bound(m_parts, place.file, {}, sequenceOf);
    if (part == m_parts.end() || sequenceOf(*part) != place.file || place.chunk >= (*part)->chunks().size())
        return std::nullopt;
    return ChunkPlace{static_cast<uint32_t>(part - m_parts.begin()), place.chunk};
}

uint64_t CollectorLog::fileOffset(uint64_t address) const
{
    const std::optional<ChunkPlace> place = chunkAt(address);
    if (!place)
        return fileBytes();
    uint64_t before = 0;
    for (uint32_t part = 0; part < place->part; ++part)
        before += m_parts[part]->size();
    return before + chunk(*place).offset;
}

std::string CollectorLog::mismatchAt(ChunkPlace place) const
{
    return fmt::format("{}: The chunk at byte {} does not match its header; {} records are left out.",
                       m_parts[place.part]->name(), chunk(place).offset, chunk(place).header.rows);
}

uint64_t CollectorLog::fileBytes() const
{
    uint64_t bytes = 0;
    for (const auto &part : m_parts)
        bytes += part->size();
    return bytes;
}

uint64_t CollectorLog::rawBytes() const
{
    uint64_t bytes = 0;
    for (const auto &part : m_parts)
        bytes += part->rawBytes();
    return bytes;
}

bool CollectorLog::compressed() const
{
    return std::ranges::any_of(m_parts, [](const auto &part) { return part->isCompressed(); });
}

bool CollectorLog::closed() const { return m_parts.back()->hasEnd(); }

bool CollectorLog::lost() const
{
    return std::ranges::any_of(m_parts, [](const auto &part) { return part->lost(); });
}

bool CollectorLog::wasCut() const
{
    return std::ranges::any_of(m_parts, [](const auto &part) { return part->wasCut(); });
}

} // namespace riffle
