// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/gathering/archive_unpacking.h"

#include "model/base/format.h"
#include "model/base/output_file.h"
#include "model/ingest/gathering/archive_reader.h"
#include "model/ingest/gathering/disk_room.h"
#include "model/ingest/gathering/foreign_file.h"
#include "model/ingest/sniffed_file.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

namespace riffle {

namespace {

namespace fs = std::filesystem;

constexpr size_t kChunk = 1 << 20;
constexpr size_t kLongestPath = 2000;
constexpr size_t kLongestShown = 300; ///< bytes of the name of a member that is listed as skipped

/// A sentence that says why no file with this path is written; empty if one may be. Only paths that stay in their
/// folder are good.
std::string whyUnsafe(const std::string &path)
{
    if (path.empty() || path.size() > kLongestPath || path.find('\0') != path.npos)
        return "Its name is empty, too long or not a name.";
    for (const fs::path &part : fs::path(path))
        if (part == ".." || part.native().size() > 255)
            return "Its path leads out of the archive or is too long.";
    return fs::path(path).is_absolute() ? "Its path is absolute." : std::string();
}

class Unpacking {
public:
    Unpacking(std::string path, fs::path folder, const UnpackLimits &limits, const Task &task)
        : m_path(std::move(path))
        , m_folder(std::move(folder))
        , m_limits(limits)
        , m_task(task)
        , m_room(m_folder, limits.leastFree)
        , m_chunk(kChunk, '\0')
    {
    }

    Result<std::vector<SkippedFile>> run()
    {
        auto reader = ArchiveReader::open(m_path);
        if (!reader)
            return reader.error();
        m_reader = std::move(*reader);
        std::error_code failed;
        const uint64_t size = fs::file_size(m_path, failed);
        if (m_task.progress)
            m_task.progress->bytesTotal = failed ? 0 : size;
        m_most = std::min(m_limits.mostBytes, UnpackLimits::kAlwaysAllowed + m_limits.mostTimesItsSize * size);
        for (size_t members = 0;; ++members) {
            const auto member = m_reader->next();
            if (!member) {
                if (members == 0)
                    return member.error();
                skip("(the rest)", member.error().message, true);
                return std::move(m_skipped);
            }
            if (!*member)
                return std::move(m_skipped);
            if (members >= m_limits.mostMembers) {
                skip("(the rest)", "The archive has more than " + formatCount(m_limits.mostMembers) + " entries.",
                     true);
                return std::move(m_skipped);
            }
            Result<bool> goesOn = take(**member);
            if (goesOn && *goesOn)
                goesOn = passOver(**member);
            if (!goesOn)
                return goesOn.error();
            if (!*goesOn)
                return std::move(m_skipped);
        }
    }

private:
    void skip(const std::string &member, std::string why, bool isLoss)
    {
        m_skipped.push_back({member.substr(0, kLongestShown), std::move(why), isLoss});
    }

    /// Reads up to a chunk of the member. What is read before damage counts; `damage` then says what happened.
    std::string_view chunk(std::optional<Error> &damage)
    {
        size_t size = 0;
        while (size < m_chunk.size() && !m_task.stopped()) {
            const auto got = m_reader->read({m_chunk.data() + size, m_chunk.size() - size});
            if (!got)
                damage = got.error();
            if (!got || *got == 0)
                break;
            size += *got;
        }
        if (m_task.progress)
            m_task.progress->bytesDone = m_reader->bytesRead();
        return std::string_view(m_chunk).substr(0, size);
    }

    /// Says why a member is foreign, by its first bytes; empty if it may belong to a set. Pages are known only by all
    /// of their text.
    Result<std::string> foreignHead(const std::string &name, std::string_view head, bool isWhole)
    {
        if (name.ends_with(".html") && !isWhole)
            return std::string();
        const fs::path place = m_folder / (".head-" + fs::path(name).filename().string().substr(0, 200));
        const Result<void> written = write(place, head);
        if (!written)
            return written.error();
        const std::string why = whyForeign(SniffedFile(place.string()));
        std::error_code failed;
        fs::remove(place, failed);
        return why;
    }

    static Result<void> write(const fs::path &place, std::string_view bytes)
    {
        const auto out = OutputFile::create(place.string(), {});
        if (!out)
            return out.error();
        if (const Result<void> written = (*out)->write(bytes); !written)
            return written;
        return (*out)->place();
    }

    Error withCount(const Error &why) const
    {
        return Error{why.message + " " + formatCount(m_files) + " files of the archive were unpacked before.", m_path,
                     std::nullopt, why.kind};
    }

    /// Unpacks a member. Returns false if the archive may not be read any further.
    Result<bool> take(const ArchiveMember &member)
    {
        const std::string &name = member.path;
        if (m_task.stopped())
            return Error{"The unpacking was stopped.", m_path, std::nullopt, ErrorKind::Cancelled};
        if (member.kind == ArchiveMember::Kind::Folder)
            return true;
        const fs::path place = m_folder / fs::path(name).lexically_normal();
        std::error_code failed;
        std::string why = whyUnsafe(name);
        if (why.empty() && member.kind == ArchiveMember::Kind::Other)
            why = "It is a link or a device.";
        if (why.empty() && member.isEncrypted)
            why = "It is encrypted.";
        if (why.empty() && fs::exists(place, failed))
            why = "Another file of the archive has the same name.";
        if (why.empty() && fs::path(name).filename().empty())
            why = "Its name is empty, too long or not a name.";
        if (!why.empty()) {
            skip(name, why, member.isEncrypted);
            return true;
        }
        std::optional<Error> damage;
        std::string_view bytes = chunk(damage);
        if (damage && bytes.empty()) {
            skip(name, damage->message, true);
            return true;
        }
        const Result<std::string> foreign = foreignHead(name, bytes, bytes.size() < kChunk);
        if (!foreign)
            return withCount(foreign.error());
        if (!foreign->empty()) {
            skip(name, *foreign, bytes.empty() && isNamedLikeRank(name));
            return true;
        }
        fs::create_directories(place.parent_path(), failed);
        if (failed) {
            skip(name, "Its folder cannot be made: " + failed.message() + ".", true);
            return true;
        }
        const auto out = OutputFile::create(place.string(), {});
        if (!out)
            return withCount(out.error());
        for (; !bytes.empty(); bytes = damage ? std::string_view() : chunk(damage)) {
            if (m_written + bytes.size() > m_most) {
                skip(name,
                     "It was left out with everything behind it, because the archive unpacks to more than " +
                         formatBytes(m_most) + ".",
                     true);
                return false;
            }
            if (m_room.isUsedUp(m_written))
                return withCount({"There is no room left on the disk of the cache folder.", {}, std::nullopt});
            if (const Result<void> written = (*out)->write(bytes); !written)
                return withCount(written.error());
            m_written += bytes.size();
        }
        if (m_task.stopped())
            return Error{"The unpacking was stopped.", m_path, std::nullopt, ErrorKind::Cancelled};
        if (const Result<void> placed = (*out)->place(); !placed)
            return withCount(placed.error());
        ++m_files;
        if (damage)
            skip(name, "Only its start could be unpacked. " + damage->message, true);
        return true;
    }

    /// Reads what is left of a member in a compressed archive, so that it can be stopped and has an end. Returns false
    /// if the archive may not be read any further.
    Result<bool> passOver(const ArchiveMember &member)
    {
        std::optional<Error> damage;
        while (m_reader->isInflated() && !damage) {
            const size_t size = chunk(damage).size();
            if (m_task.stopped())
                return Error{"The unpacking was stopped.", m_path, std::nullopt, ErrorKind::Cancelled};
            if (size == 0)
                break;
            m_passed += size;
            if (m_written + m_passed > m_most) {
                skip(member.path,
                     "Everything behind it was left out, because the archive unpacks to more than " +
                         formatBytes(m_most) + ".",
                     true);
                return false;
            }
        }
        return true;
    }

    std::string m_path;
    fs::path m_folder;
    UnpackLimits m_limits;
    Task m_task;
    std::unique_ptr<ArchiveReader> m_reader;
    DiskRoom m_room;
    std::string m_chunk;
    std::vector<SkippedFile> m_skipped;
    uint64_t m_most = 0, m_written = 0, m_passed = 0;
    uint64_t m_files = 0;
};

} // namespace

Result<std::vector<SkippedFile>> unpackArchive(const std::string &path, const std::string &folder,
                                               const UnpackLimits &limits, const Task &task)
{
    return Unpacking(path, folder, limits, task).run();
}

} // namespace riffle
