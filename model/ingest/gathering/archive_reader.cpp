// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/gathering/archive_reader.h"

#include <algorithm>
#include <locale.h>
#include <utility>

#ifdef RIFFLE_LIBARCHIVE
#include <archive.h>
#include <archive_entry.h>
#endif

namespace riffle {

#ifdef RIFFLE_LIBARCHIVE

namespace {

constexpr size_t kBlock = 256 << 10;

/// A locale with UTF-8 for this thread, because libarchive refuses names that the locale cannot write, as "C" cannot.
class Utf8Locale {
public:
    Utf8Locale() : m_before(uselocale(utf8() ? utf8() : LC_GLOBAL_LOCALE)) {}
    ~Utf8Locale() { uselocale(m_before); }
    Utf8Locale(const Utf8Locale &) = delete;
    Utf8Locale &operator=(const Utf8Locale &) = delete;

private:
    static locale_t utf8()
    {
        static const locale_t made = newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
        return made;
    }
    locale_t m_before;
};

/// The path of an entry. Names that are not in UTF-8 have no form in it.
std::string pathOf(archive_entry *entry)
{
    const char *path = archive_entry_pathname_utf8(entry);
    if (!path)
        path = archive_entry_pathname(entry);
    return path ? path : "";
}

} // namespace

Result<std::unique_ptr<ArchiveReader>> ArchiveReader::open(const std::string &path)
{
    std::unique_ptr<ArchiveReader> reader(new ArchiveReader(path, archive_read_new()));
    archive *const from = reader->m_archive;
    // A filter whose library is missing would run a program instead; it says so with a warning.
    if (archive_read_support_format_zip(from) != ARCHIVE_OK || archive_read_support_format_tar(from) != ARCHIVE_OK ||
        archive_read_support_filter_gzip(from) != ARCHIVE_OK || archive_read_support_filter_zstd(from) != ARCHIVE_OK)
        return Error{"This build cannot read archives.", path, std::nullopt};
    if (archive_read_open_filename(from, path.c_str(), kBlock) != ARCHIVE_OK)
        return reader->error();
    return reader;
}

ArchiveReader::~ArchiveReader() { archive_read_free(m_archive); }

Error ArchiveReader::error() const
{
    const char *why = archive_error_string(m_archive);
    return {std::string("The archive is damaged: ") + (why ? why : "unknown error") + ".", m_path, std::nullopt};
}

Result<std::optional<ArchiveMember>> ArchiveReader::next()
{
    const Utf8Locale locale;
    archive_entry *entry = nullptr;
    const int found = archive_read_next_header(m_archive, &entry);
    if (found == ARCHIVE_EOF)
        return std::optional<ArchiveMember>();
    if (found != ARCHIVE_OK && found != ARCHIVE_WARN) // a warning is about a name that the locale does not know
        return error();
    m_block = {};
    m_position = m_blockAt = 0;
    m_isAtEnd = false;
    ArchiveMember member;
    member.path = pathOf(entry);
    member.isEncrypted = archive_entry_is_encrypted(entry) != 0;
    const bool isLink = archive_entry_hardlink(entry) || archive_entry_symlink(entry);
    if (!isLink && archive_entry_filetype(entry) == AE_IFREG)
        member.kind = ArchiveMember::Kind::File;
    else if (!isLink && archive_entry_filetype(entry) == AE_IFDIR)
        member.kind = ArchiveMember::Kind::Folder;
    return std::optional(std::move(member));
}

Result<size_t> ArchiveReader::read(std::span<char> into)
{
    // archive_read_data() would drop what it has when damage follows.
    while (m_block.empty() && !m_isAtEnd) {
        const void *data = nullptr;
        size_t size = 0;
        la_int64_t at = 0;
        const int got = archive_read_data_block(m_archive, &data, &size, &at);
        m_isAtEnd = got != ARCHIVE_OK;
        if (got != ARCHIVE_OK && got != ARCHIVE_EOF)
            return error();
        m_block = {static_cast<const char *>(data), m_isAtEnd ? 0 : size};
        m_blockAt = std::max(static_cast<uint64_t>(std::max<la_int64_t>(at, 0)), m_position);
    }
    const bool isGap = m_position < m_blockAt;
    const uint64_t left = isGap ? m_blockAt - m_position : m_block.size();
    const size_t size = static_cast<size_t>(std::min<uint64_t>(into.size(), left));
    if (isGap) {
        std::fill_n(into.begin(), size, '\0');
    } else {
        std::copy_n(m_block.begin(), size, into.begin());
        m_block.remove_prefix(size);
        m_blockAt += size;
    }
    m_position += size;
    return size;
}

bool ArchiveReader::isInflated() const { return archive_filter_code(m_archive, 0) != ARCHIVE_FILTER_NONE; }

uint64_t ArchiveReader::bytesRead() const { return static_cast<uint64_t>(archive_filter_bytes(m_archive, -1)); }

#else

Result<std::unique_ptr<ArchiveReader>> ArchiveReader::open(const std::string &path)
{
    return Error{"This is an archive of several files, and this build of Riffle lacks libarchive: unpack it and open "
                 "the folder.",
                 path, std::nullopt};
}

ArchiveReader::~ArchiveReader() = default;
Result<std::optional<ArchiveMember>> ArchiveReader::next() { return std::optional<ArchiveMember>(); }
Result<size_t> ArchiveReader::read(std::span<char>) { return size_t(0); }
bool ArchiveReader::isInflated() const { return false; }
uint64_t ArchiveReader::bytesRead() const { return 0; }

#endif

} // namespace riffle
