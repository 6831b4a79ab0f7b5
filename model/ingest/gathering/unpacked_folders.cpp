// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/gathering/unpacked_folders.h"

#include "model/base/byte_stream.h"
#include "model/base/output_file.h"
#include "model/trace/source_identity.h"
#include "model/trace/store_folder.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <utility>
#include <xxhash.h>

namespace riffle {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kUnpacked = ".unpacked", kUnfinished = ".unpacking";
constexpr const char *kLock = ".lock", *kNotes = ".skipped";

std::string randomName()
{
    std::random_device random;
    char text[24];
    std::snprintf(text, sizeof text, "%08x%08x", random(), random());
    return text;
}

uint64_t bytesIn(const fs::path &folder)
{
    uint64_t bytes = 0;
    std::error_code failed;
    for (fs::recursive_directory_iterator it(folder, failed), end; !failed && it != end; it.increment(failed))
        if (std::error_code none; it->is_regular_file(none))
            bytes += it->file_size(none);
    return bytes;
}

/// Removes a folder that nobody has. Returns true if it is gone. It loses its name first, so that nobody finds it when
/// only some of its files are left.
bool removeUnused(const fs::path &folder)
{
    const auto lock = FileLock::alone((folder / kLock).string());
    if (!lock)
        return false;
    const fs::path nameless = folder.parent_path() / (randomName() + std::string(kUnfinished));
    std::error_code failed;
    fs::rename(folder, nameless, failed);
    return !failed && fs::remove_all(nameless, failed) > 0 && !failed;
}

} // namespace

UnpackedFolders::UnpackedFolders(std::string cache, uint64_t limitBytes)
    : m_cache(std::move(cache))
    , m_limit(limitBytes)
{
}

std::optional<UnpackedFolders::Folder> UnpackedFolders::find(const std::string &name) const
{
    const std::string path = m_cache + '/' + name + std::string(kUnpacked);
    std::error_code failed;
    if (!fs::is_directory(path, failed) || !StoreFolder(m_cache).prepare())
        return std::nullopt;
    const std::string lockPath = path + '/' + kLock;
    auto lock = FileLock::shared(lockPath);
    // Another process may have removed the folder just before it was locked.
    if (!lock || !fs::exists(lockPath, failed))
        return std::nullopt;
    fs::last_write_time(lockPath, fs::file_time_type::clock::now(), failed);
    return Folder{path, std::move(lock)};
}

Result<UnpackedFolders::Folder> UnpackedFolders::make() const
{
    if (const Result<void> prepared = StoreFolder(m_cache).prepare(); !prepared)
        return prepared.error();
    std::error_code failed;
    const std::string path = m_cache + '/' + randomName() + std::string(kUnfinished);
    if (fs::create_directory(path, failed) && !failed) {
        fs::permissions(path, fs::perms::owner_all, failed);
        if (auto lock = FileLock::shared(path + '/' + kLock); lock && !failed)
            return Folder{path, std::move(lock)};
    }
    return Error{"No folder can be made in the cache folder" + (failed ? ": " + failed.message() : std::string()) + ".",
                 m_cache, std::nullopt};
}

Result<UnpackedFolders::Folder> UnpackedFolders::place(const Folder &made, const std::string &name) const
{
    const std::string path = m_cache + '/' + name + std::string(kUnpacked);
    std::error_code failed;
    fs::rename(made.path, path, failed);
    if (!failed)
        return Folder{path, made.lock};
    if (auto other = find(name))
        return *other;
    return Error{"The unpacked files cannot be kept: " + failed.message() + ".", path, std::nullopt};
}

void UnpackedFolders::tidy() const
{
    struct Kept {
        fs::file_time_type used;
        fs::path path;
        uint64_t bytes;
    };
    std::vector<Kept> folders;
    uint64_t total = 0;
    std::error_code failed;
    for (fs::directory_iterator it(m_cache, failed), end; !failed && it != end; it.increment(failed)) {
        std::error_code none;
        const std::string extension = it->path().extension().string();
        if (it->is_symlink(none) || !it->is_directory(none))
            continue;
        if (extension == kUnfinished)
            removeUnused(it->path());
        else if (extension == kUnpacked) {
            folders.push_back({fs::last_write_time(it->path() / kLock, none), it->path(), bytesIn(it->path())});
            total += folders.back().bytes;
        }
    }
    std::ranges::sort(folders, {}, &Kept::used);
    for (const Kept &folder : folders) {
        if (total <= m_limit)
            break;
        if (removeUnused(folder.path))
            total -= folder.bytes;
    }
}

std::string UnpackedFolders::nameOf(const std::string &archive, const SourceIdentity &identity)
{
    std::error_code failed;
    ByteWriter text;
    const fs::path canonical = fs::canonical(archive, failed);
    text.putText(failed ? archive : canonical.string());
    text.put(identity.size);
    text.put(identity.modifiedNs);
    text.put(identity.contentHash);
    std::array<char, 24> name;
    std::snprintf(name.data(), name.size(), "%016llx",
                  static_cast<unsigned long long>(XXH3_64bits(text.bytes().data(), text.bytes().size())));
    return name.data();
}

Result<void> UnpackedFolders::noteSkipped(const std::string &folder, const std::vector<SkippedFile> &skipped)
{
    ByteWriter notes;
    notes.put<uint64_t>(skipped.size());
    for (const SkippedFile &one : skipped) {
        notes.putText(one.path);
        notes.putText(one.why);
        notes.put(one.isLoss);
    }
    const auto out = OutputFile::create(folder + '/' + kNotes, {});
    if (!out)
        return out.error();
    const Result<void> written = (*out)->write(notes.bytes());
    return written ? (*out)->place() : written;
}

std::vector<SkippedFile> UnpackedFolders::skippedIn(const std::string &folder)
{
    std::ifstream file(folder + '/' + kNotes, std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    ByteReader notes(bytes);
    std::vector<SkippedFile> skipped;
    for (uint64_t left = notes.getCount(17); left > 0 && notes.ok(); --left) {
        SkippedFile one;
        one.path = notes.getText();
        one.why = notes.getText();
        one.isLoss = notes.get<bool>();
        skipped.push_back(std::move(one));
    }
    return skipped;
}

} // namespace riffle
