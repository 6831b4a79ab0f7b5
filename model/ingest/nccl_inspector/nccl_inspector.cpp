// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/nccl_inspector/nccl_inspector.h"

#include "model/ingest/archive_text.h"
#include "model/ingest/flight_marks.h"
#include "model/ingest/nccl_inspector/inspector_lines.h"
#include "model/ingest/resume_index.h"
#include "model/trace/json_entries.h"

#include <algorithm>
#include <charconv>
#include <cstring>

namespace riffle {

namespace {

constexpr size_t kLongestLine = 16 << 20; ///< a verbose record has some KiB
constexpr size_t kBlock = 1 << 20;

} // namespace

bool isInspectorLog(const SniffedFile &file)
{
    return !file.isFolder() && file.isThere() && looksLikeInspectorLog(file.head());
}

void peekInspectorLog(const SniffedFile &sniffed, RunFile &file)
{
    for (const JsonEntry &entry : entriesOf(sniffed.head())) {
        for (const JsonEntry &field : entriesOf(entry.value)) {
            if (entry.key == "metadata" && field.key == "hostname")
                file.recorded.host = plainText(field.value);
            int64_t rank = -1;
            std::from_chars(field.value.data(), field.value.data() + field.value.size(), rank);
            if (entry.key == "header" && field.key == "rank" && rank >= 0)
                file.guessedRank = rank;
        }
    }
}

Result<std::shared_ptr<const NcclInspectorLog>> readInspectorText(ByteSource &source, const std::string &path,
                                                                  uint64_t mostBytes, const Task &task)
{
    const auto log = std::make_shared<NcclInspectorLog>();
    log->path = path;
    log->container = source.container();
    log->fileBytes = source.fileBytes();
    MemoryBudget budget{mostBytes};
    try {
        InspectorLines lines(*log, budget);
        std::vector<char> buffer(kBlock);
        size_t filled = 0;       // bytes of the unfinished line at the begin of the buffer
        uint64_t lineOffset = 0; // place of that line in the text
        uint64_t number = 1;
        bool isSkipping = false; // the line is too long, and its rest is not wanted
        for (bool ended = false; !ended;) {
            if (task.stopped())
                return Error{"Reading was stopped.", path, std::nullopt, ErrorKind::Cancelled};
            if (filled == buffer.size())
                buffer.resize(buffer.size() * 2);
            const auto got = source.read({buffer.data() + filled, buffer.size() - filled});
            if (!got)
                return got.error().in(path);
            ended = *got == 0;
            log->textBytes += *got;
            size_t begin = 0;
            const size_t end = filled + *got;
            for (size_t from = filled;;) {
                const void *found = from < end ? std::memchr(buffer.data() + from, '\n', end - from) : nullptr;
                if (!found)
                    break;
                const auto stop = static_cast<size_t>(static_cast<const char *>(found) - buffer.data());
                if (isSkipping)
                    lines.refuse("lines of more than 16 MiB", lineOffset, number);
                else
                    lines.read({buffer.data() + begin, stop - begin}, lineOffset, number);
                isSkipping = false;
                lineOffset += stop + 1 - begin;
                begin = from = stop + 1;
                ++number;
            }
            if (isSkipping || end - begin > kLongestLine) {
                isSkipping = true;
                lineOffset += end - begin;
                filled = 0;
                continue;
            }
            filled = end - begin;
            std::memmove(buffer.data(), buffer.data() + begin, filled);
        }
        // A process that is killed leaves its last line unfinished.
        if (filled > 0 || isSkipping) {
            simdjson::dom::parser parser;
            if (isSkipping || parser.parse(buffer.data(), filled, true).error() != simdjson::SUCCESS)
                log->damage = Error{"The last line of the log is cut off.", path, lineOffset};
            else
                lines.read({buffer.data(), filled}, lineOffset, number);
        }
        if (const auto damage = source.damage())
            log->damage = damage->in(path);
        lines.finish();
        if (!lines.hasRecords())
            return log->damage && log->troubles.empty()
                       ? *log->damage
                       : Error{"This is no log of NCCL Inspector: no line is one of its records.", path, std::nullopt};
    } catch (const std::bad_alloc &) {
        return Error{budget.exceeded ? "The log would need more than four times its size in memory: no program writes "
                                       "such a log."
                                     : "There is not enough memory for the log.",
                     path, std::nullopt, ErrorKind::Limit};
    }
    return std::shared_ptr<const NcclInspectorLog>(log);
}

Result<std::shared_ptr<const NcclInspectorLog>> readInspectorLog(const std::string &path, const ImportOptions &options,
                                                                 Task task)
{
    const auto opened = openText(path, options, task);
    if (!opened)
        return opened.error();
    // Text that compresses better than this is not that of a log.
    constexpr uint64_t kMostPacked = 100;
    const uint64_t mostText = opened->file->size() * (opened->isPacked ? kMostPacked : 1);
    auto read = readInspectorText(*opened->source, path, (64ull << 20) + 4 * mostText, task);
    if (opened->file->lost())
        return sourceChanged(path);
    return read;
}

} // namespace riffle
