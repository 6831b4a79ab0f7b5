// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/archive_text.h"

#include "model/ingest/plain_source.h"

#include <span>

namespace riffle {

bool isArchive(std::string_view head) { return head.starts_with("\x1F\x8B") || head.starts_with("\x28\xB5\x2F\xFD"); }

std::string headOfArchive(const std::string &path, size_t count)
{
    std::string head;
    const auto source = ByteSource::open(path);
    if (!source)
        return head;
    head.resize(count);
    size_t have = 0;
    while (have < count) {
        const auto read = (*source)->read({head.data() + have, count - have});
        if (!read || *read == 0)
            break;
        have += *read;
    }
    head.resize(have);
    return head;
}

Result<OpenedText> openText(const std::string &path, const ImportOptions &options, const Task &task)
{
    const auto file = MappedFile::open(path);
    if (!file)
        return file.error();
    const std::string_view bytes(reinterpret_cast<const char *>((*file)->data()), static_cast<size_t>((*file)->size()));
    if (bytes.empty())
        return Error{"The file is empty.", path, std::nullopt};
    if (task.progress)
        task.progress->bytesTotal = bytes.size();
    OpenedText opened{*file, nullptr, isArchive(bytes)};
    if (opened.isPacked) {
        auto source = ByteSource::open(path, byteSourceOptions(options));
        if (!source)
            return source.error();
        opened.source = std::move(*source);
    } else {
        (*file)->adviseSequential();
        opened.source = std::make_unique<PlainSource>(*file);
    }
    return opened;
}

Error whyNoText(const std::string &path)
{
    const auto source = ByteSource::open(path);
    if (!source)
        return source.error();
    char first = 0;
    const auto read = (*source)->read({&first, 1});
    if (!read)
        return read.error();
    const std::optional<Error> damage = (*source)->damage();
    return damage ? Error{damage->message, path, std::nullopt} : Error{"The archive is empty.", path, std::nullopt};
}

ArchiveText readArchive(const std::string &path, const ByteSourceOptions &options, std::atomic<int64_t> &room,
                        const Task &task)
{
    constexpr size_t kPiece = 1 << 20;
    ArchiveText read;
    const auto source = ByteSource::open(path, options);
    if (!source) {
        read.damage = source.error();
        return read;
    }
    for (size_t have = 0; !task.stopped();) {
        if (room.fetch_sub(kPiece) < static_cast<int64_t>(kPiece)) {
            room += kPiece;
            read.damage =
                Error{"The text in the archive takes more memory than is allowed.", path, have, ErrorKind::Limit};
            return read;
        }
        read.text.resize(have + kPiece);
        const auto got = (*source)->read(std::span(read.text).subspan(have));
        const size_t more = got ? *got : 0;
        read.text.resize(have + more);
        room += static_cast<int64_t>(kPiece - more);
        have += more;
        if (!got)
            read.damage = got.error();
        else if (more == 0)
            read.damage = (*source)->damage();
        if (more == 0)
            return read;
    }
    return read;
}

} // namespace riffle
