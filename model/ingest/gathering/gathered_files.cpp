// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/gathering/gathered_files.h"

#include "model/base/format.h"
#include "model/base/natural_order.h"
#include "model/base/output_file.h"
#include "model/base/standard_input.h"
#include "model/ingest/archive_text.h"
#include "model/ingest/gathering/disk_room.h"
#include "model/ingest/gathering/foreign_file.h"
#include "model/ingest/gathering/path_pattern.h"
#include "model/ingest/gathering/unpacked_folders.h"
#include "model/ingest/importers.h"
#include "model/ingest/sniffed_file.h"
#include "model/trace/source_identity.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

namespace riffle {

namespace {

namespace fs = std::filesystem;

constexpr int kDeepest = 64; ///< levels of folders in folders
constexpr size_t kInputChunk = 1 << 20;
constexpr size_t kReasons = 3; ///< in an error
constexpr const char *kNothing = "It contains no trace, memory snapshot, memory timeline or log.";

bool isKnownFolder(const std::string &path) { return &importerOf(path) != &importers().back(); }

class Gathering {
public:
    Gathering(const GatheringOptions &options, const Task &task)
        : m_options(options)
        , m_task(task)
        , m_unpacked(options.cache, options.cacheLimit)
    {
    }

    Result<GatheredFiles> run(const std::vector<std::string> &asked)
    {
        std::optional<Error> first;
        for (const std::string &path : asked) {
            const size_t before = m_found.size();
            Result<void> added = path == kStandardInput ? addStandardInput() : addAsked(path, path);
            if (added && m_found.size() == before && !m_isRepeat)
                added = Error{kNothing, path == kStandardInput ? "Standard input" : path, std::nullopt};
            m_isRepeat = false;
            if (added)
                continue;
            if (added.error().kind == ErrorKind::Cancelled)
                return added.error();
            skip(path, added.error().message, true);
            if (!first)
                first = added.error();
        }
        std::ranges::stable_partition(m_files.skipped, &SkippedFile::isLoss);
        for (Found &one : m_found) {
            m_files.paths.push_back(std::move(one.path));
            m_files.names.push_back(std::move(one.name));
        }
        if (!m_files.paths.empty() || !first)
            return std::move(m_files);
        std::erase_if(m_files.skipped, [&](const SkippedFile &one) { return one.why == first->message; });
        if (const std::string others = m_files.sentence(kReasons); !others.empty())
            first->message += " " + others;
        return *first;
    }

private:
    void add(std::string path, std::string name) { m_found.push_back({std::move(path), std::move(name)}); }

    void skip(std::string path, std::string why, bool isLoss)
    {
        if (m_files.skipped.size() < GatheredFiles::kMostListed)
            m_files.skipped.push_back({std::move(path), std::move(why), isLoss});
        else
            ++m_files.skippedMore;
    }

    void skipRepeat(std::string path, const char *why = "It was found under another name.")
    {
        skip(std::move(path), why, false);
        m_isRepeat = true;
    }

    /// Adds a file, or a folder that is a log, which the user named. Whoever opens it reports what is wrong with it.
    void addNamed(const std::string &path, const std::string &shown)
    {
        if (isNew(path) || m_options.keepsRepeats)
            add(path, shown);
        else
            skipRepeat(shown, "It was found before.");
    }

    /// Notes a file or folder as found; false if it was found before under any name.
    bool isNew(const fs::path &path)
    {
        std::error_code failed;
        const fs::path canonical = fs::canonical(path, failed);
        return failed || m_seen.insert(canonical.string()).second;
    }

    /// Adds what a path stands for. `shown` is what the user knows it by.
    Result<void> addAsked(const std::string &path, const std::string &shown)
    {
        std::error_code failed;
        if (fs::is_directory(path, failed)) {
            if (isKnownFolder(path))
                addNamed(path, shown);
            else if (isNew(path))
                walk(path, shown);
            else
                m_isRepeat = true;
            return {};
        }
        if (isFileArchive(path)) {
            const auto unpacked = unpackedOf(path, shown);
            if (unpacked)
                walk(*unpacked, shown);
            return unpacked ? Result<void>() : unpacked.error();
        }
        if (!fs::exists(path, failed)) { // a file may have the name of a pattern
            if (const fs::path archive = archiveAbove(path); !archive.empty())
                return addMember(archive, fs::path(path).lexically_relative(archive), shown);
            if (isPathPattern(path))
                return addMatches(path, shown);
        }
        addNamed(path, shown);
        return {};
    }

    /// Adds what matches a pattern. What is not part of a set is skipped, as in a folder.
    Result<void> addMatches(const std::string &pattern, const std::string &shown)
    {
        const size_t before = m_found.size(), room = m_options.mostEntries - std::min(m_options.mostEntries, m_entries);
        const PatternMatches matches = matchesOf(pattern, room, m_task);
        m_entries += matches.entries;
        if (matches.isCut)
            skip(shown, "Only the first " + formatCount(m_options.mostEntries) + " entries were looked at.", true);
        for (const auto &[folder, why] : matches.unread)
            skip(folder, "The folder cannot be read: " + why + ".", true);
        if (matches.paths.empty())
            return Error{"No file matches this pattern.", shown, std::nullopt};
        for (const std::string &path : matches.paths) {
            // In an archive, the user knows the file by the archive's path.
            const std::string name = pattern == shown ? path : shownInside(path, pattern, shown);
            std::error_code failed;
            const bool isFolder = fs::is_directory(path, failed);
            if (!isFolder && !isFileArchive(path)) {
                lookAt(path, name, 0);
                continue;
            }
            const Result<void> added = addAsked(path, name);
            if (!added && added.error().kind == ErrorKind::Cancelled)
                return added;
            if (!added)
                skip(name, added.error().message, true);
        }
        sortFrom(before);
        return {};
    }

    /// Returns how the user would write a path that was found by a pattern whose path is another one than the user's.
    static std::string shownInside(const std::string &path, const std::string &pattern, const std::string &shown)
    {
        size_t equal = 0;
        while (equal < pattern.size() && equal < shown.size() &&
               pattern[pattern.size() - 1 - equal] == shown[shown.size() - 1 - equal])
            ++equal;
        const size_t unpacked = pattern.size() - equal;
        return shown.substr(0, shown.size() - equal) + path.substr(std::min(unpacked, path.size()));
    }

    /// Adds what a file or folder in an archive stands for.
    Result<void> addMember(const fs::path &archive, const fs::path &member, const std::string &shown)
    {
        const auto unpacked = unpackedOf(archive.string(), archive.string());
        if (!unpacked)
            return unpacked.error();
        std::error_code failed;
        const fs::path place = fs::path(*unpacked) / member;
        if (!fs::exists(place, failed) && !isPathPattern(member.string()))
            return Error{"The archive has no such file, or it was not unpacked.", shown, std::nullopt};
        return addAsked(place.string(), shown);
    }

    /// Returns the folder with the files of an archive, which is unpacked if it is not in the cache.
    Result<std::string> unpackedOf(const std::string &path, const std::string &shown)
    {
        const Result<SourceIdentity> identity = SourceIdentity::of(path);
        if (!identity)
            return identity.error();
        // A link to the archive leads to the same folder.
        std::error_code unknown;
        const fs::path canonical = fs::canonical(path, unknown);
        const std::string name = UnpackedFolders::nameOf(path, *identity),
                          inside = (unknown ? fs::path(path) : canonical).filename().string();
        auto folder = m_unpacked.find(name);
        if (!folder) {
            const auto made = m_unpacked.make();
            if (!made)
                return made.error();
            std::error_code failed;
            fs::create_directory(fs::path(made->path) / inside, failed);
            const auto skipped = unpackArchive(path, made->path + '/' + inside, m_options.unpack, m_task);
            if (!skipped) {
                fs::remove_all(made->path, failed);
                return skipped.error();
            }
            if (const Result<void> noted = UnpackedFolders::noteSkipped(made->path, *skipped); !noted)
                return noted.error();
            const auto placed = m_unpacked.place(*made, name);
            if (!placed)
                return placed.error();
            folder = *placed;
        }
        m_files.locks.push_back(folder->lock);
        m_unpacked.tidy();
        for (const SkippedFile &one : UnpackedFolders::skippedIn(folder->path))
            skip(shown + '/' + one.path, one.why, one.isLoss);
        return folder->path + '/' + inside;
    }

    /// Reads standard input into a file of the cache, and adds what that stands for.
    Result<void> addStandardInput()
    {
        const auto made = m_unpacked.make();
        if (!made)
            return made.error();
        const std::string path = made->path + "/standard-input";
        if (const Result<void> read = readInput(path); !read) {
            std::error_code failed;
            fs::remove_all(made->path, failed);
            return read;
        }
        // Nobody can ask for this folder again, so it keeps its first name and goes once this process has ended.
        m_files.locks.push_back(made->lock);
        m_unpacked.tidy();
        return addAsked(path, "standard input");
    }

    Result<void> readInput(const std::string &path) const
    {
        const auto out = OutputFile::create(path, {});
        if (!out)
            return out.error();
        std::vector<char> chunk(kInputChunk);
        DiskRoom room(m_options.cache, m_options.unpack.leastFree);
        uint64_t bytes = 0;
        for (;;) {
            const Result<size_t> got = readStandardInput(chunk, m_task.stop);
            if (!got)
                return got.error();
            if (*got == 0)
                break;
            if (room.isUsedUp(bytes))
                return Error{"There is no room left on the disk of the cache folder. " + formatBytes(bytes) +
                                 " of standard input were read before.",
                             "Standard input", std::nullopt};
            if (const Result<void> written = (*out)->write({chunk.data(), *got}); !written)
                return Error{written.error().message + " " + formatBytes(bytes) +
                                 " of standard input were read before.",
                             "Standard input", std::nullopt};
            bytes += *got;
            if (m_task.progress)
                m_task.progress->bytesDone = bytes;
        }
        return bytes ? (*out)->place() : Result<void>(Error{"It is empty.", "Standard input", std::nullopt});
    }

    /// Adds the files of a set in a folder and its folders, in natural order.
    void walk(const fs::path &folder, const std::string &shown)
    {
        const size_t before = m_found.size();
        look(folder, shown, 0);
        sortFrom(before);
    }

    void sortFrom(size_t before)
    {
        std::sort(m_found.begin() + static_cast<std::ptrdiff_t>(before), m_found.end(),
                  [](const Found &a, const Found &b) { return naturallyBefore(a.path, b.path); });
    }

    void look(const fs::path &folder, const std::string &shown, int depth)
    {
        std::error_code failed;
        std::vector<fs::path> entries;
        for (fs::directory_iterator it(folder, failed), end; !failed && it != end; it.increment(failed)) {
            if (m_entries++ >= m_options.mostEntries) {
                if (m_entries == m_options.mostEntries + 1)
                    skip(shown, "Only the first " + formatCount(m_options.mostEntries) + " entries were looked at.",
                         true);
                break;
            }
            entries.push_back(it->path());
        }
        if (failed)
            skip(shown, "The folder cannot be read: " + failed.message() + ".", true);
        std::sort(entries.begin(), entries.end(),
                  [](const fs::path &a, const fs::path &b) { return naturallyBefore(a.native(), b.native()); });
        for (const fs::path &entry : entries) {
            if (m_task.stopped())
                return;
            lookAt(entry, shown + '/' + entry.filename().string(), depth);
        }
    }

    void lookAt(const fs::path &entry, const std::string &shown, int depth)
    {
        std::error_code failed;
        const fs::file_status status = fs::status(entry, failed);
        if (entry.filename().native().starts_with('.'))
            skip(shown, "It is hidden.", false);
        else if (!fs::exists(status))
            skip(shown, "It is a link that leads nowhere.", false);
        else if (!isNew(entry))
            skipRepeat(shown);
        else if (fs::is_directory(status) && isKnownFolder(entry.string()))
            add(entry.string(), shown);
        else if (fs::is_directory(status) && depth >= kDeepest)
            skip(shown, "It is too many folders deep.", true);
        else if (fs::is_directory(status))
            look(entry, shown, depth + 1);
        else if (!fs::is_regular_file(status))
            skip(shown, "It is no regular file.", false);
        else
            lookInto(entry.string(), shown);
    }

    /// Adds a file if its content may belong to a set. One whose content cannot be seen is a loss, and so is an empty
    /// one that is named like the file of a rank.
    void lookInto(const std::string &path, const std::string &shown)
    {
        const SniffedFile file(path);
        if (!file.isThere())
            skip(shown, "It cannot be read.", true);
        else if (file.isPacked() && file.head().empty())
            skip(shown, whyNoText(path).message, true);
        else if (const std::string why = whyForeign(file); !why.empty())
            skip(shown, why, file.bytes().empty() && isNamedLikeRank(shown));
        else
            add(path, shown);
    }

    GatheringOptions m_options;
    Task m_task;
    UnpackedFolders m_unpacked;
    struct Found {
        std::string path, name;
    };
    std::vector<Found> m_found;
    GatheredFiles m_files;
    std::set<std::string> m_seen;
    size_t m_entries = 0;
    bool m_isRepeat = false; ///< something that the path stands for was found before
};

} // namespace

bool GatheredFiles::hasLosses() const { return std::ranges::any_of(skipped, &SkippedFile::isLoss); }

std::string GatheredFiles::sentence(size_t most) const
{
    if (skipped.empty())
        return {};
    const uint64_t count = skipped.size() + skippedMore;
    std::string text = count == 1 ? "1 file was skipped." : formatCount(count) + " files were skipped.";
    for (size_t at = 0; at < std::min(most, skipped.size()); ++at)
        text += " " + skipped[at].path + ": " + skipped[at].why;
    return count > most ? text + " …" : text;
}

Result<GatheredFiles> gatherFiles(const std::vector<std::string> &asked, const GatheringOptions &options,
                                  const Task &task)
{
    Gathering gathering(options, task);
    auto files = gathering.run(asked);
    if (task.stopped())
        return Error{"The search for files was stopped.", {}, std::nullopt, ErrorKind::Cancelled};
    return files;
}

} // namespace riffle
