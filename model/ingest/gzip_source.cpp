// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/gzip_source.h"

#include "model/ingest/text_window.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <xxhash.h>

namespace riffle {

namespace {

constexpr uint64_t kPointEvery = 8ull << 20;
/// Inflating always proceeds in steps of this size, however much is requested, so that resume points are the same in
/// every run. The importer of Chrome traces requests multiples of it, so that its text is inflated in its place and
/// need not be copied.
constexpr size_t kGzipPiece = 512 << 10;
constexpr size_t kGzipWindows = 3;

/// Distinguishes the states of different versions of isa-l.
constexpr uint64_t kStateVersion = sizeof(inflate_state);

} // namespace

/// Random access to the text of a gzip file, which is inflated from the last resume point before the requested
/// position. Point k is at k * 8 MiB of text; point 0 is the start of the file and is not stored.
class GzipText : public SourceText {
public:
    explicit GzipText(std::shared_ptr<const MappedFile> file) : m_file(std::move(file)), m_cache(kGzipWindows) {}

    void grown(uint64_t textBytes)
    {
        std::scoped_lock lock(m_mutex);
        m_textBytes = textBytes;
    }
    void add(GzipReader::Point point)
    {
        std::scoped_lock lock(m_mutex);
        m_points.push_back(std::make_shared<const GzipReader::Point>(std::move(point)));
    }

    Result<std::string> readText(uint64_t offset, uint32_t length) const override
    {
        if (!within(offset, length, textBytes()))
            return outOfText(m_file->path(), offset);
        return readThroughWindows(offset, length, [this](uint64_t at) { return windowAt(at); });
    }

    std::optional<Error> cut() const override
    {
        return m_file->wasCut() ? std::optional(sourceChanged(m_file->path())) : std::nullopt;
    }

    std::string resumeIndex() const override
    {
        std::scoped_lock lock(m_mutex);
        ByteWriter table;
        table.put(kStateVersion);
        table.put<uint64_t>(m_points.size());
        for (const auto &point : m_points) {
            table.put(point->fileOffset);
            table.put<uint64_t>(point->state.size());
            table.put<uint64_t>(XXH3_64bits(point->state.data(), point->state.size()));
        }
        std::string index =
            ResumeIndex::write(ResumeIndex::Container::Gzip, m_file->size(), m_textBytes, table.bytes());
        for (const auto &point : m_points)
            index += point->state;
        return index;
    }

    /// Loads the points of a stored index; returns false if they are damaged or were written with another isa-l.
    bool load(const ResumeIndex &index)
    {
        ByteReader table(index.table);
        std::string_view payload = index.payload;
        const bool sameLibrary = table.get<uint64_t>() == kStateVersion;
        const uint64_t count = table.getCount(24);
        for (uint64_t i = 0; i < count; ++i) {
            GzipReader::Point point;
            point.fileOffset = table.get<uint64_t>();
            const auto size = table.get<uint64_t>();
            const auto hash = table.get<uint64_t>();
            if (size > payload.size())
                return false;
            point.state = payload.substr(0, static_cast<size_t>(size));
            payload.remove_prefix(static_cast<size_t>(size));
            // isa-l trusts the decoding tables in a state, so a state is used only if its bytes are unchanged.
            if (XXH3_64bits(point.state.data(), point.state.size()) != hash)
                return false;
            add(std::move(point));
        }
        grown(index.textBytes);
        return sameLibrary && table.ok();
    }

private:
    uint64_t textBytes() const
    {
        std::scoped_lock lock(m_mutex);
        return m_textBytes;
    }

    Result<std::shared_ptr<const TextWindow>> windowAt(uint64_t offset) const
    {
        if (auto cached = m_cache.find([&](const TextWindow &window) { return window.contains(offset); }))
            return cached;
        std::shared_ptr<const GzipReader::Point> point;
        uint64_t known = 0;
        TextWindow window;
        {
            std::scoped_lock lock(m_mutex);
            const size_t number = std::min<size_t>(static_cast<size_t>(offset / kPointEvery), m_points.size());
            if (number > 0)
                point = m_points[number - 1];
            window.begin = number * kPointEvery;
            known = m_textBytes;
        }
        GzipReader reader(m_file);
        if (point && !reader.resume(point->fileOffset, point->state))
            return damagedIndex(m_file->path());
        window.text.resize(static_cast<size_t>(std::min(kPointEvery, known - window.begin)));
        window.text.resize(reader.inflate(window.text));
        if (m_file->lost() || !window.contains(offset))
            return sourceChanged(m_file->path());
        return m_cache.add(std::make_shared<const TextWindow>(std::move(window)));
    }

    std::shared_ptr<const MappedFile> m_file;
    mutable RecentWindows m_cache;
    mutable std::mutex m_mutex; ///< guards the two members below while the file is still being read
    std::vector<std::shared_ptr<const GzipReader::Point>> m_points;
    uint64_t m_textBytes = 0;
};

GzipSource::GzipSource(std::shared_ptr<const MappedFile> file, const ByteSourceOptions &options)
    : m_file(file)
    , m_limit(options.inflateLimit)
    , m_reader(file)
    , m_text(std::make_shared<GzipText>(file))
{
}

GzipSource::~GzipSource() = default;

Result<size_t> GzipSource::readPiece(std::span<char> piece)
{
    const size_t count = m_reader.inflate(piece);
    if (m_file->lost())
        return sourceChanged(m_file->path());
    m_inflated += count;
    if (m_inflated > m_limit)
        return overInflateLimit(m_file->path(), m_limit);
    m_text->grown(m_inflated);
    if (count > 0 && m_inflated % kPointEvery == 0)
        m_text->add(m_reader.point());
    return count;
}

Result<size_t> GzipSource::read(std::span<char> into)
{
    size_t done = 0;
    while (done < into.size()) {
        if (m_pieceAt < m_pieceEnd) {
            const size_t count = std::min(into.size() - done, m_pieceEnd - m_pieceAt);
            std::memcpy(into.data() + done, m_piece.data() + m_pieceAt, count);
            m_pieceAt += count;
            done += count;
            continue;
        }
        const bool direct = into.size() - done >= kGzipPiece;
        if (!direct)
            m_piece.resize(kGzipPiece);
        Result<size_t> count = readPiece(direct ? into.subspan(done, kGzipPiece) : std::span<char>(m_piece));
        if (!count)
            return count;
        if (*count == 0)
            break;
        if (direct) {
            done += *count;
        } else {
            m_pieceAt = 0;
            m_pieceEnd = *count;
        }
    }
    return done;
}

std::optional<Error> GzipSource::damage() const { return errorAt(m_reader.damage(), m_file->path(), m_inflated); }
std::optional<Error> GzipSource::trailing() const { return errorAt(m_reader.trailing(), m_file->path(), m_inflated); }

std::shared_ptr<const SourceText> GzipSource::text() const { return m_text; }

Result<std::shared_ptr<const SourceText>> openGzipText(std::shared_ptr<const MappedFile> file, const ResumeIndex &index)
{
    const std::string path = file->path();
    auto text = std::make_shared<GzipText>(std::move(file));
    if (!text->load(index))
        return damagedIndex(path);
    return std::shared_ptr<const SourceText>(std::move(text));
}

} // namespace riffle
