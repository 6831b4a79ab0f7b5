// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/byte_source.h"

#include "model/base/mapped_file.h"
#include "model/ingest/flight_marks.h"
#include "model/ingest/gzip_source.h"
#include "model/ingest/importer.h"
#include "model/ingest/plain_source.h"
#include "model/ingest/zstd_source.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace riffle {

namespace {

using namespace std::string_view_literals;

struct Foreign {
    size_t offset;
    std::string_view magic;
    const char *sentence;
};

/// Files that users try to open by mistake, with a sentence that says what to do instead.
constexpr size_t kForeignHead = 512;
constexpr std::array kForeign = {
    // ByteSource::open() unpacks one archive, so that these two are found only inside another one.
    Foreign{0, "\x1F\x8B"sv, "This archive contains another gzip archive: unpack it once and open the result."},
    Foreign{0, "\x28\xB5\x2F\xFD"sv, "This archive contains another zstd archive: unpack it once and open the result."},
    Foreign{0, "PK\x03\x04"sv, "This is a zip archive: unpack it and open the trace inside."},
    Foreign{0, "PK\x05\x06"sv, "This is an empty zip archive: there is no trace inside."},
    Foreign{0, "SQLite format 3\0"sv, "This is an SQLite database: export the trace as Chrome JSON and open that."},
    Foreign{0, "BZh"sv, "This is a bzip2 archive: unpack it with bunzip2 and open the result."},
    Foreign{0,
            "\xFD"
            "7zXZ\0"sv,
            "This is an xz archive: unpack it with unxz and open the result."},
    Foreign{0, "\x04\x22\x4D\x18"sv, "This is an lz4 archive: unpack it with unlz4 and open the result."},
    Foreign{0, "7z\xBC\xAF\x27\x1C"sv, "This is a 7-Zip archive: unpack it and open the trace inside."},
    Foreign{257, "ustar"sv, "This is a tar archive: unpack it and open the trace inside."},
    Foreign{0,
            "\x7F"
            "ELF"sv,
            "This is a program, not a trace."},
    Foreign{0, "%PDF-"sv, "This is a PDF document, not a trace."},
    Foreign{0, "\xFF\xFE"sv, "This text is UTF-16: convert it to UTF-8 and open the result."},
    Foreign{0, "\xFE\xFF"sv, "This text is UTF-16: convert it to UTF-8 and open the result."},
    Foreign{0, "version https://git-lfs"sv,
            "This is a Git LFS pointer, not the trace itself: fetch the trace with git lfs pull."},
};

bool startsWithTag(std::string_view head, std::string_view tag)
{
    return head.size() >= tag.size() && std::equal(tag.begin(), tag.end(), head.begin(), [](char expected, char found) {
               return expected == std::tolower(static_cast<unsigned char>(found));
           });
}

} // namespace

const char *foreignSentence(std::string_view head)
{
    constexpr size_t kKeys = 4096; // keys that tell a format stand in its first bytes
    if (looksLikeFlightDump(head.substr(0, kKeys)))
        return "This is a dump of PyTorch's Flight Recorder: use riffle-cli hang with the folder of all dumps, or "
               "info.";
    if (looksLikeInspectorLog(head.substr(0, kKeys)))
        return "This is a log of NCCL Inspector: riffle-cli info shows what it contains.";
    head = head.substr(0, kForeignHead);
    for (const Foreign &foreign : kForeign) {
        if (head.size() > foreign.offset && head.substr(foreign.offset).starts_with(foreign.magic))
            return foreign.sentence;
    }
    if (head.size() > 2 && head[0] == '\x80' && head[1] >= 2 && head[1] <= 5)
        return "This is a Python pickle, not a trace: if it is a memory snapshot, use riffle-cli memory info.";
    std::string_view text = head;
    if (text.starts_with("\xEF\xBB\xBF"))
        text.remove_prefix(3);
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())))
        text.remove_prefix(1);
    if (startsWithTag(text, "<!doctype html") || startsWithTag(text, "<html") || startsWithTag(text, "<head"))
        return "This is an HTML page: perhaps a download or login page was saved instead of the trace.";
    return nullptr;
}

Result<std::unique_ptr<ByteSource>> ByteSource::open(const std::string &path, const ByteSourceOptions &options)
{
    Result<std::shared_ptr<const MappedFile>> opened = MappedFile::open(path);
    if (!opened)
        return opened.error();
    std::shared_ptr<const MappedFile> file = *opened;
    if (file->size() == 0)
        return Error{"The file is empty.", path, std::nullopt};
    const std::string_view head(reinterpret_cast<const char *>(file->data()), static_cast<size_t>(file->size()));
    if (head.starts_with("\x1F\x8B")) {
        file->adviseSequential();
        return std::unique_ptr<ByteSource>(std::make_unique<GzipSource>(std::move(file), options));
    }
    if (isZstdFrame(head)) {
        file->adviseSequential();
        return std::unique_ptr<ByteSource>(std::make_unique<ZstdSource>(std::move(file), options));
    }
    if (const char *sentence = foreignSentence(head))
        return Error{sentence, path, std::nullopt};
    return std::unique_ptr<ByteSource>(std::make_unique<PlainSource>(std::move(file)));
}

ByteSourceOptions byteSourceOptions(const ImportOptions &options)
{
    ByteSourceOptions made;
    made.inflateLimit = options.inflateLimit;
    made.spillFolder = options.spillFolder;
    return made;
}

Result<std::shared_ptr<const SourceText>> openSourceText(const std::string &path, std::string_view index,
                                                         std::shared_ptr<const void> indexOwner)
{
    Result<ResumeIndex> read = ResumeIndex::read(index, std::move(indexOwner));
    if (!read)
        return Error{read.error().message, path, std::nullopt};
    Result<std::shared_ptr<const MappedFile>> file = MappedFile::open(path);
    if (!file)
        return file.error();
    if ((*file)->size() != read->fileBytes)
        return sourceChanged(path);
    switch (read->container) {
    case ResumeIndex::Container::Plain: return openPlainText(*file, *read);
    case ResumeIndex::Container::Gzip: return openGzipText(*file, *read);
    case ResumeIndex::Container::Zstd: return openZstdText(*file, *read);
    }
    return damagedIndex(path);
}

} // namespace riffle
