// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/command.h"
#include "app/cli/output.h"
#include "model/ingest/gathering/gathered_files.h"
#include "model/trace/source_identity.h"

#include <algorithm>
#include <filesystem>

namespace riffle::cli {

namespace {

/// The files that the user named, among them archives, also those of which the user named a file.
std::vector<std::string> g_named;

void noteNamed(const std::filesystem::path &path)
{
    std::error_code failed;
    std::filesystem::path file = path;
    while (!std::filesystem::exists(file, failed) && file.has_parent_path() && file != file.parent_path())
        file = file.parent_path();
    if (std::filesystem::is_regular_file(file, failed))
        g_named.push_back(file.string());
}

bool isUsable(FileKind kind, Usable usable)
{
    switch (usable) {
    case Usable::Any: return true;
    case Usable::Traces:
    case Usable::Ranks: return kind == FileKind::Trace;
    case Usable::MemoryFiles: return isAboutMemory(kind);
    case Usable::Snapshots: return kind == FileKind::Snapshot;
    case Usable::OneKind: break;
    }
    return false;
}

/// Removes the files of folders and archives that the command cannot use. Files that the user named stay, because the
/// command says best what is wrong with them.
void keepUsable(std::vector<std::string> &paths, const std::vector<std::string> &asked, Usable usable)
{
    const auto isNamed = [&](const std::string &path) { return std::ranges::find(asked, path) != asked.end(); };
    if (usable == Usable::OneKind) {
        const bool anyTrace = std::ranges::any_of(
            paths, [](const std::string &path) { return importerOf(path).kind == FileKind::Trace; });
        usable = anyTrace ? Usable::Traces : Usable::Snapshots;
    }
    std::erase_if(paths, [&](const std::string &path) {
        if (isNamed(path) || isUsable(importerOf(path).kind, usable))
            return false;
        complain(path + ": Left out: it is a " + std::string(importerOf(path).name) +
                 ", which this command cannot "
                 "read together with the others.");
        return true;
    });
}

std::optional<GatheredFiles> gatheredFiles(const std::vector<std::string> &paths, const OpenOptions &open,
                                           bool keepsRepeats, int &code)
{
    // The files of archives stay in the cache as long as this process may read them.
    static std::vector<std::shared_ptr<const FileLock>> locks;
    GatheringOptions options;
    options.keepsRepeats = keepsRepeats;
    const auto inflate = parseBytes(open.inflateLimit), store = parseBytes(open.storeLimit);
    if (inflate) // whoever opens the files complains about a wrong size
        options.unpack.mostBytes = *inflate;
    if (store)
        options.cacheLimit = *store;
    for (const std::string &path : paths)
        noteNamed(path);
    const auto found = gatherFiles(paths, options, {});
    if (!found) {
        complain(found.error().text());
        code = found.error().kind == ErrorKind::Limit ? LimitExceeded : Unreadable;
        return std::nullopt;
    }
    for (const SkippedFile &one : found->skipped)
        complain(one.path + (one.isLoss ? ": Not read: " : ": Skipped: ") + one.why);
    if (found->skippedMore)
        complain(std::to_string(found->skippedMore) + " more files were skipped.");
    if (found->hasLosses())
        code = WithLosses;
    locks.insert(locks.end(), found->locks.begin(), found->locks.end());
    return *found;
}

} // namespace

std::optional<GatheredFiles> findFiles(const std::vector<std::string> &paths, const OpenOptions &open, int &code)
{
    return gatheredFiles(paths, open, false, code);
}

bool gather(std::vector<std::string> &paths, Usable usable, const OpenOptions &open, int &code)
{
    const std::vector<std::string> asked = paths;
    const std::optional<GatheredFiles> found = gatheredFiles(asked, open, usable != Usable::Ranks, code);
    if (!found)
        return false;
    paths = found->paths;
    if (paths != asked)
        keepUsable(paths, asked, usable);
    if (!paths.empty())
        return true;
    complain("None of these files can be read by this command.");
    code = Unreadable;
    return false;
}

bool gatherOne(std::string &path, Usable usable, const OpenOptions &open, int &code)
{
    std::vector<std::string> paths = {path};
    if (!gather(paths, usable, open, code))
        return false;
    if (paths.size() > 1) {
        complain(path + ": This command reads one file, and there are " + std::to_string(paths.size()) +
                 ". Name one of them, for example " + paths.front() + ".");
        code = Usage;
        return false;
    }
    path = paths.front();
    return true;
}

void addLogdirOption(CLI::App &command, CLI::Option *paths)
{
    command
        .add_option_function<std::string>(
            "--logdir", [paths](const std::string &folder) { paths->add_result(folder); },
            "A folder with the traces of a job, as for TensorBoard")
        ->type_name("FOLDER")
        ->trigger_on_parse();
}

std::vector<std::string> inputsOf(const std::vector<std::string> &paths)
{
    std::vector<std::string> inputs = sourceFiles(paths);
    inputs.insert(inputs.end(), g_named.begin(), g_named.end());
    return inputs;
}

int worseOf(int left, int right)
{
    for (const int code : {Usage, LimitExceeded, Unreadable, CheckFailed, WithLosses})
        if (left == code || right == code)
            return code;
    return Good;
}

} // namespace riffle::cli
