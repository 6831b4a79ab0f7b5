// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/trace/store_folder.h"

#include "model/trace/store_file_writer.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <map>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

namespace riffle {

namespace {

namespace fs = std::filesystem;
constexpr std::string_view kFileSuffix = ".store", kRankSuffix = ".rank";

std::string_view suffixOf(StoreFolder::Contents contents)
{
    return contents == StoreFolder::Contents::Rank ? kRankSuffix : kFileSuffix;
}

std::string environment(const char *name)
{
    const char *value = std::getenv(name);
    return value ? value : "";
}

bool makeFolder(const std::string &path)
{
    if (::mkdir(path.c_str(), 0700) == 0 || errno == EEXIST)
        return true;
    if (errno != ENOENT)
        return false;
    const std::string parent = fs::path(path).parent_path();
    return !parent.empty() && parent != path && makeFolder(parent) &&
           (::mkdir(path.c_str(), 0700) == 0 || errno == EEXIST);
}

struct Entry {
    std::string path;
    uint64_t bytes;
    int64_t usedNs;
    bool isRank;
};

/// The path without its suffix, which all stores of a source file share.
std::string_view stemOf(std::string_view path) { return path.substr(0, path.rfind('.')); }

/// Orders stores by when they go. The facts about a rank go as if they were used no earlier than the store of the same
/// file.
void sortByUse(std::vector<Entry> &stores)
{
    std::map<std::string_view, int64_t> usedFiles;
    for (const Entry &store : stores)
        if (!store.isRank)
            usedFiles[stemOf(store.path)] = store.usedNs;
    for (Entry &store : stores)
        if (const auto file = usedFiles.find(stemOf(store.path)); file != usedFiles.end())
            store.usedNs = std::max(store.usedNs, file->second);
    std::ranges::sort(stores, {}, [](const Entry &store) { return std::pair(store.usedNs, store.isRank); });
}

} // namespace

StoreFolder::StoreFolder(std::string folder, uint64_t limitBytes) : m_folder(std::move(folder)), m_limit(limitBytes) {}

std::string StoreFolder::defaultFolder()
{
    if (std::string chosen = environment("RIFFLE_CACHE"); !chosen.empty())
        return chosen;
    // The XDG base directory specification requires a relative path to be ignored.
    if (const std::string cache = environment("XDG_CACHE_HOME"); cache.starts_with('/'))
        return cache + "/riffle";
    const std::string home = environment("HOME");
    return home.empty() ? std::string() : home + "/.cache/riffle";
}

std::string StoreFolder::storePath(const std::string &sourcePath, Contents contents) const
{
    std::error_code failed;
    const fs::path canonical = fs::canonical(sourcePath, failed);
    const std::string name = failed ? sourcePath : canonical.string();
    std::array<char, 24> text;
    std::snprintf(text.data(), text.size(), "%016llx",
                  static_cast<unsigned long long>(XXH3_64bits(name.data(), name.size())));
    return m_folder + '/' + text.data() + std::string(suffixOf(contents));
}

Result<void> StoreFolder::prepare() const
{
    if (m_folder.empty())
        return Error{"There is no cache folder: set RIFFLE_CACHE or HOME.", {}, std::nullopt};
    struct stat status = {};
    if (!makeFolder(m_folder) || ::stat(m_folder.c_str(), &status) != 0)
        return Error{std::string("Cannot create the cache folder: ") + std::strerror(errno) + ".", m_folder,
                     std::nullopt};
    if (!S_ISDIR(status.st_mode) || status.st_uid != geteuid())
        return Error{"The cache folder must be a folder that belongs to the current user.", m_folder, std::nullopt};
    return {};
}

Result<StoredTrace> StoreFolder::open(const StoreOrigin &origin, const SourceIdentity &source) const
{
    const std::string path = storePath(origin.path);
    Result<StoredTrace> stored = openStore(path, source, origin);
    if (!stored) {
        // This includes a store of an older version of the file, which will never be used again.
        ::unlink(path.c_str());
        return stored;
    }
    markUsed(origin.path);
    return stored;
}

Result<uint64_t> StoreFolder::write(const Trace &trace, std::string_view resumeIndex, const std::string &sourcePath,
                                    const SourceIdentity &source, Task task) const
{
    return place(sourcePath, source,
                 [&](const std::string &path) { return writeStore(trace, resumeIndex, source, path, task); });
}

void StoreFolder::markUsed(const std::string &sourcePath, Contents contents) const
{
    const timespec times[2] = {{0, UTIME_NOW}, {0, UTIME_OMIT}};
    utimensat(AT_FDCWD, storePath(sourcePath, contents).c_str(), times, 0);
}

Result<uint64_t> StoreFolder::place(const std::string &sourcePath, const SourceIdentity &source,
                                    const std::function<Result<uint64_t>(const std::string &storePath)> &write,
                                    Contents contents) const
{
    if (Result<void> prepared = prepare(); !prepared)
        return prepared.error();
    const Result<SourceIdentity> now = SourceIdentity::of(sourcePath);
    if (!now || *now != source)
        return Error{"The file changed while it was being read, so it is not stored.", sourcePath, std::nullopt,
                     ErrorKind::Changed};
    const std::string path = storePath(sourcePath, contents);
    Result<uint64_t> written = write(path);
    tidy(written ? path : std::string());
    return written;
}

void StoreFolder::remove(const std::string &sourcePath, Contents contents) const
{
    ::unlink(storePath(sourcePath, contents).c_str());
}

void StoreFolder::tidy(const std::string &spared) const
{
    std::vector<Entry> stores;
    uint64_t total = 0;
    std::error_code failed;
    for (fs::directory_iterator it(m_folder, failed), end; !failed && it != end; it.increment(failed)) {
        const std::string path = it->path().string();
        const std::string name = it->path().filename().string();
        struct stat status = {};
        if (name.find(StoreFileWriter::kTemporaryMark) != std::string::npos)
            StoreFileWriter::removeIfStale(path);
        else if ((name.ends_with(kFileSuffix) || name.ends_with(kRankSuffix)) && ::lstat(path.c_str(), &status) == 0 &&
                 S_ISREG(status.st_mode)) {
            stores.push_back({path, static_cast<uint64_t>(status.st_size),
                              int64_t{status.st_atim.tv_sec} * 1'000'000'000 + status.st_atim.tv_nsec,
                              name.ends_with(kRankSuffix)});
            total += stores.back().bytes;
        }
    }
    sortByUse(stores);
    for (const Entry &store : stores) {
        if (total <= m_limit)
            break;
        // A process that has the store open can go on using it: the mapping outlives the name.
        if (stemOf(store.path) != stemOf(spared) && ::unlink(store.path.c_str()) == 0)
            total -= store.bytes;
    }
}

} // namespace riffle
