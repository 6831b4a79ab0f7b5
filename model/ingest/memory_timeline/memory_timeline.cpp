// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/memory_timeline/memory_timeline.h"

#include "model/base/mapped_file.h"
#include "model/ingest/cuda_snapshot/html_pickle.h"
#include "model/ingest/memory_timeline/timeline_parser.h"
#include "model/ingest/resume_index.h"

#include <algorithm>
#include <chrono>

namespace riffle {

namespace {

constexpr size_t kTimelineHead = 1024;
constexpr std::string_view kNoTimeline = "This is not a memory timeline: torch.profiler's export_memory_timeline() "
                                         "writes lists of numbers, or a page with a picture.";

std::string_view withoutBegin(std::string_view head)
{
    if (head.starts_with("\xEF\xBB\xBF"))
        head.remove_prefix(3);
    const size_t first = head.find_first_not_of(" \t\r\n");
    return first == head.npos ? std::string_view() : head.substr(first);
}

/// Returns where the base64 text of the picture starts.
std::optional<uint64_t> findPicture(std::string_view html)
{
    constexpr std::string_view kMark = "data:image/png;base64,";
    const std::string_view begin = withoutBegin(html.substr(0, kTimelineHead));
    const size_t found = html.substr(0, kTimelineHead).find(kMark);
    if (!begin.starts_with('<') || found == html.npos || html.substr(0, found).find("emory") == html.npos)
        return std::nullopt;
    return found + kMark.size();
}

Result<std::shared_ptr<const MemoryTimeline>> readPicture(const std::shared_ptr<const MappedFile> &file, uint64_t begin,
                                                          std::shared_ptr<MemoryTimeline> timeline)
{
    timeline->form = MemoryTimeline::Form::Picture;
    timeline->container = "HTML";
    Base64Source source(file, begin);
    std::vector<char> buffer(64 << 10);
    for (;;) {
        const Result<size_t> read = source.read(buffer);
        if (!read)
            return read.error();
        if (*read == 0)
            break;
        timeline->picture.append(buffer.data(), *read);
    }
    timeline->textBytes = source.fileBytesRead();
    if (!timeline->picture.starts_with("\x89PNG\r\n\x1A\n"))
        return Error{"This page should contain a picture, but its data is not a PNG.", timeline->path, begin};
    if (std::string_view(timeline->picture).find("IEND") == std::string_view::npos)
        timeline->damage = Error{"The picture in the page is cut off.", timeline->path, timeline->textBytes};
    return std::shared_ptr<const MemoryTimeline>(std::move(timeline));
}

} // namespace

bool looksLikeMemoryTimeline(std::string_view head)
{
    std::string_view rest = withoutBegin(head);
    if (rest.starts_with('<'))
        return findPicture(head).has_value();
    for (int open = 0; open < 2; ++open) {
        if (!rest.starts_with('['))
            return false;
        rest = withoutBegin(rest.substr(1));
    }
    return !rest.empty() && (rest[0] == '-' || rest[0] == ']' || (rest[0] >= '0' && rest[0] <= '9'));
}

bool isMemoryTimeline(const SniffedFile &file) { return looksLikeMemoryTimeline(file.head().substr(0, kTimelineHead)); }

Result<std::shared_ptr<const MemoryTimeline>> readMemoryTimelineText(ByteSource &source, const std::string &path,
                                                                     uint64_t mostBytes, Task task)
{
    const auto begin = std::chrono::steady_clock::now();
    auto timeline = std::make_shared<MemoryTimeline>();
    timeline->path = path;
    timeline->fileBytes = source.fileBytes();
    timeline->container = source.container();
    if (auto read = parseMemoryTimeline(source, mostBytes, *timeline, task); !read)
        return read.error();
    timeline->loadSeconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return std::shared_ptr<const MemoryTimeline>(std::move(timeline));
}

Result<std::shared_ptr<const MemoryTimeline>> readMemoryTimeline(const std::string &path, const ImportOptions &options,
                                                                 Task task)
{
    const auto file = MappedFile::open(path);
    if (!file)
        return file.error();
    const std::string_view bytes(reinterpret_cast<const char *>((*file)->data()), static_cast<size_t>((*file)->size()));
    if (task.progress)
        task.progress->bytesTotal = bytes.size();
    if (const auto picture = findPicture(bytes)) {
        auto timeline = std::make_shared<MemoryTimeline>();
        timeline->path = path;
        timeline->fileBytes = bytes.size();
        return readPicture(*file, *picture, std::move(timeline));
    }
    if (withoutBegin(bytes.substr(0, kTimelineHead)).starts_with('<'))
        return Error{std::string(kNoTimeline), path, std::nullopt};
    auto source = ByteSource::open(path, byteSourceOptions(options));
    if (!source)
        return source.error();
    auto read = readMemoryTimelineText(**source, path, options.memoryLimit, task);
    if ((*file)->lost())
        return sourceChanged(path);
    return read;
}

} // namespace riffle
