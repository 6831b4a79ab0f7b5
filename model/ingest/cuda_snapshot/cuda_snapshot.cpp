// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/cuda_snapshot/cuda_snapshot.h"

#include "model/base/mapped_file.h"
#include "model/ingest/archive_text.h"
#include "model/ingest/cuda_snapshot/html_pickle.h"
#include "model/ingest/cuda_snapshot/no_snapshot.h"
#include "model/ingest/cuda_snapshot/snapshot_contents.h"
#include "model/ingest/cuda_snapshot/snapshot_shapes.h"
#include "model/ingest/flight_marks.h"
#include "model/ingest/pickle_machine.h"
#include "model/ingest/plain_source.h"
#include "model/ingest/resume_index.h"

#include <algorithm>
#include <chrono>

namespace riffle {

namespace {

/// Returns the bytes of memory that reading may take. Snapshots need 0.3 to 0.8 bytes per byte of the pickle; 4 are
/// allowed, and a base amount for small files.
uint64_t budgetFor(uint64_t pickleBytes) { return (64ull << 20) + 4 * std::min<uint64_t>(pickleBytes, UINT64_MAX / 8); }

/// Looks at the start alone, because the text can be a file of any size.
bool isHtml(std::string_view text)
{
    const std::string_view head = text.substr(0, 4096);
    return head.find('<') == head.find_first_not_of(" \t\r\n\xEF\xBB\xBF") && head.find('<') != std::string_view::npos;
}

Result<void> readPickle(PickleInput &input, uint64_t mostBytes, MemorySnapshot &snapshot, const Task &task)
{
    MemoryBudget budget{budgetFor(mostBytes)};
    const auto error = [&](const PickleFault &fault) {
        return Error{fault.message, snapshot.path, fault.offset, fault.kind};
    };
    uint64_t bytesRead = 0;
    try {
        SnapshotRows rows(budget);
        {
            SnapshotShapes shapes(rows);
            PickleMachine machine(input, shapes, budget, task);
            PickleValue root;
            try {
                root = machine.run();
            } catch (const PickleFault &fault) {
                if (fault.kind != ErrorKind::Unreadable)
                    return error(fault);
                snapshot.damage = error(fault);
                root = machine.salvage();
            }
            bytesRead = machine.bytesRead();
            snapshot.protocol = machine.protocol();
            snapshot.pickleBytes = bytesRead + (snapshot.damage ? 0 : 1);
            const auto filled = fillSnapshot(machine, root, rows, snapshot);
            if (!filled && filled.error().kind == ErrorKind::Limit)
                return filled.error().in(snapshot.path);
            if (snapshot.damage && (!filled || (snapshot.segments.empty() && rows.events() == 0)))
                return *snapshot.damage;
            if (!filled)
                return filled.error().in(snapshot.path);
        }
        rows.seal(snapshot);
    } catch (const PickleFault &fault) {
        return snapshot.damage ? *snapshot.damage : error(fault);
    } catch (const std::bad_alloc &) {
        return Error{budget.exceeded ? "The pickle's contents would need more than four times its size in memory: no "
                                       "program writes such a snapshot."
                                     : "There is not enough memory for the pickle's contents.",
                     snapshot.path, std::nullopt, ErrorKind::Limit};
    }
    return {};
}

} // namespace

bool looksLikeSnapshot(std::string_view head)
{
    if (head.size() > 1 && head[0] == '\x80' && head[1] <= 5)
        return true;
    if (isHtml(head))
        return findPickleInHtml(head).has_value();
    // Protocols 0 and 1 have no header: they start with an empty container, or with a mark and the instruction that
    // makes it a dict or list.
    return head.starts_with("}q") || head.starts_with("]q") || head.starts_with("(dp") || head.starts_with("(lp");
}

Result<std::shared_ptr<const MemorySnapshot>> readMemoryPickle(ByteSource &source, const std::string &path, Task task,
                                                               std::vector<std::string> others)
{
    const auto begin = std::chrono::steady_clock::now();
    const auto snapshot = std::make_shared<MemorySnapshot>();
    snapshot->path = path;
    snapshot->fileBytes = source.fileBytes();
    snapshot->otherSnapshots = std::move(others);
    const auto mapped = source.mapped();
    // The size of an archive's text is not known in advance; text that compresses better than this ratio is not a
    // snapshot.
    constexpr uint64_t kMostPacked = 50;
    Result<void> read;
    if (mapped) {
        snapshot->container = "pickle";
        PickleInput input(*mapped);
        read = readPickle(input, mapped->size(), *snapshot, task);
    } else {
        snapshot->container = std::string("pickle in ") + source.container();
        PickleInput input(source);
        read = readPickle(input, snapshot->fileBytes * kMostPacked, *snapshot, task);
    }
    if (!read)
        return read.error();
    snapshot->loadSeconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return std::shared_ptr<const MemorySnapshot>(snapshot);
}

Result<std::shared_ptr<const MemorySnapshot>> readMemorySnapshot(const std::string &path, const ImportOptions &options,
                                                                 Task task)
{
    constexpr size_t kHead = 512, kSniffed = 4096;
    const auto file = MappedFile::open(path);
    if (!file)
        return file.error();
    const std::string_view bytes(reinterpret_cast<const char *>((*file)->data()), static_cast<size_t>((*file)->size()));
    if (bytes.empty())
        return Error{"The file is empty.", path, std::nullopt};
    if (task.progress)
        task.progress->bytesTotal = bytes.size();
    std::unique_ptr<ByteSource> source;
    const Base64Source *page = nullptr;
    if (isArchive(bytes)) {
        const std::string head = headOfArchive(path, kSniffed);
        if (head.empty())
            return whyNoText(path);
        if (!looksLikeSnapshot(std::string_view(head).substr(0, kHead)))
            return Error{whyNoSnapshot(head), path, std::nullopt};
        auto opened = ByteSource::open(path, byteSourceOptions(options));
        if (!opened)
            return opened.error();
        source = std::move(*opened);
    } else if (isHtml(bytes.substr(0, kHead))) {
        const auto place = findPickleInHtml(bytes);
        if (!place)
            return Error{"This page contains no snapshot: there is no base64 pickle in it.", path, std::nullopt};
        auto base64 = std::make_unique<Base64Source>(*file, *place, Base64Source::Ends::AtQuote);
        page = base64.get();
        source = std::move(base64);
    } else if (looksLikeSnapshot(bytes.substr(0, kHead)) && !looksLikeFlightDump(bytes.substr(0, kSniffed))) {
        (*file)->adviseSequential();
        source = std::make_unique<PlainSource>(*file);
    } else {
        return Error{whyNoSnapshot(bytes.substr(0, kSniffed)), path, std::nullopt};
    }
    auto read = readMemoryPickle(*source, path, task,
                                 page ? otherPicklesInHtml(bytes, page->fileBytesRead()) : std::vector<std::string>());
    if (!read && page && page->strayByte())
        return Error{"The data in the page is not valid base64.", path, page->strayByte()};
    if ((*file)->lost())
        return sourceChanged(path);
    return read;
}

} // namespace riffle
