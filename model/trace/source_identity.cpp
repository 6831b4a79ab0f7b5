// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/trace/source_identity.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <memory>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>
#include <xxhash.h>

namespace riffle {

namespace {

constexpr uint64_t kEnd = 64 << 10;   ///< bytes that are hashed at each end of the file
constexpr uint64_t kSample = 4 << 10; ///< bytes per sample
constexpr uint64_t kSamples = 64;
constexpr const char *kPart = ".part";

/// Adds a range of the file to the hash; returns false if it cannot be read.
bool hashPart(int file, XXH3_state_t *hash, uint64_t offset, uint64_t length)
{
    std::vector<char> bytes(static_cast<size_t>(length));
    size_t done = 0;
    while (done < bytes.size()) {
        const ssize_t got = pread(file, bytes.data() + done, bytes.size() - done, static_cast<off_t>(offset + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        done += static_cast<size_t>(got);
    }
    XXH3_64bits_update(hash, bytes.data(), bytes.size());
    return true;
}

bool hashSamples(int file, XXH3_state_t *hash, uint64_t size)
{
    if (size <= 2 * kEnd + kSamples * kSample)
        return hashPart(file, hash, 0, size);
    bool good = hashPart(file, hash, 0, kEnd);
    const uint64_t stride = (size - 2 * kEnd - kSample) / (kSamples - 1);
    for (uint64_t sample = 0; good && sample < kSamples; ++sample)
        good = hashPart(file, hash, kEnd + sample * stride, kSample);
    return good && hashPart(file, hash, size - kEnd, kEnd);
}

namespace fs = std::filesystem;

Result<SourceIdentity> ofFile(const std::string &path)
{
    // Non-blocking: opening a pipe would otherwise wait for its writer.
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat status = {};
    if (file < 0 || fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) {
        const int code = errno;
        const bool isOther = file >= 0 && !S_ISREG(status.st_mode);
        if (file >= 0)
            ::close(file);
        if (isOther)
            return Error{S_ISDIR(status.st_mode) ? "This is a folder, not a trace file."
                                                 : "This is not a regular file.",
                         path, std::nullopt};
        return Error{std::string("Cannot read the file: ") + std::strerror(code) + ".", path, std::nullopt};
    }
    SourceIdentity identity;
    identity.size = static_cast<uint64_t>(status.st_size);
    identity.modifiedNs = static_cast<int64_t>(status.st_mtim.tv_sec) * 1'000'000'000 + status.st_mtim.tv_nsec;
    const std::unique_ptr<XXH3_state_t, XXH_errorcode (*)(XXH3_state_t *)> hash(XXH3_createState(), XXH3_freeState);
    XXH3_64bits_reset(hash.get());
    const bool good = hashSamples(file, hash.get(), identity.size);
    ::close(file);
    if (!good)
        return Error{"The file changed while it was being read.", path, std::nullopt, ErrorKind::Changed};
    identity.contentHash = XXH3_64bits_digest(hash.get());
    return identity;
}

/// The folder whose *.part files the path stands for; empty if it stands for itself.
fs::path folderOfParts(const fs::path &path)
{
    std::error_code ignored;
    if (fs::is_directory(path, ignored))
        return path;
    if (path.extension() != kPart || !fs::is_regular_file(path, ignored))
        return {};
    return path.parent_path().empty() ? fs::path(".") : path.parent_path();
}

/// The *.part files of a folder, ordered by name.
std::vector<fs::path> partsOf(const fs::path &folder)
{
    std::vector<fs::path> parts;
    std::error_code failed;
    for (fs::directory_iterator it(folder, failed), end; !failed && it != end; it.increment(failed))
        if (std::error_code ignored; it->path().extension() == kPart && it->is_regular_file(ignored))
            parts.push_back(it->path());
    std::sort(parts.begin(), parts.end());
    return parts;
}

Result<SourceIdentity> ofParts(const fs::path &folder)
{
    const std::vector<fs::path> parts = partsOf(folder);
    if (parts.empty())
        return Error{"This is a folder, not a trace file.", folder.string(), std::nullopt};
    SourceIdentity all;
    for (const fs::path &part : parts) {
        const Result<SourceIdentity> one = ofFile(part.string());
        if (!one)
            return one.error();
        const std::string name = part.filename().string();
        const uint64_t facts[] = {all.contentHash, one->contentHash, one->size, XXH3_64bits(name.data(), name.size())};
        all.contentHash = XXH3_64bits(facts, sizeof facts);
        all.size += one->size;
        all.modifiedNs = std::max(all.modifiedNs, one->modifiedNs);
    }
    return all;
}

} // namespace

Result<SourceIdentity> SourceIdentity::of(const std::string &path)
{
    const fs::path folder = folderOfParts(path);
    return folder.empty() ? ofFile(path) : ofParts(folder);
}

std::vector<std::string> sourceFiles(const std::vector<std::string> &paths)
{
    std::vector<std::string> files;
    for (const std::string &path : paths) {
        const fs::path folder = folderOfParts(path);
        const std::vector<fs::path> parts = folder.empty() ? std::vector<fs::path>() : partsOf(folder);
        if (parts.empty())
            files.push_back(path);
        for (const fs::path &part : parts)
            files.push_back(part.string());
    }
    return files;
}

} // namespace riffle
