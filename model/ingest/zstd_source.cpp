// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/zstd_source.h"

#include "model/ingest/text_blocks.h"
#include "model/ingest/text_window.h"

#include <algorithm>
#include <mutex>
#include <vector>

namespace riffle {

namespace {

constexpr uint64_t kSmallFrame = 32ull << 20;
/// If a frame is inflated from its start, this much text around the requested position is kept.
constexpr uint64_t kZstdPiece = 4ull << 20;
constexpr size_t kZstdWindows = 3;

} // namespace

/// Random access to the text of a zstd file: from its blocks, or by inflating a frame from its start.
class ZstdText : public SourceText {
public:
    ZstdText(std::shared_ptr<const MappedFile> file, std::string spillFolder)
        : m_file(std::move(file))
        , m_cache(kZstdWindows)
        , m_blocks(std::move(spillFolder))
    {
    }

    TextBlocks &blocks() { return m_blocks; }
    void addFrame(uint64_t textBegin, uint64_t fileOffset)
    {
        std::scoped_lock lock(m_mutex);
        m_frames.push_back({textBegin, fileOffset});
    }
    void grown(uint64_t textBytes)
    {
        std::scoped_lock lock(m_mutex);
        m_textBytes = textBytes;
    }

    Result<std::string> readText(uint64_t offset, uint32_t length) const override
    {
        uint64_t known = 0;
        {
            std::scoped_lock lock(m_mutex);
            known = m_textBytes;
        }
        if (!within(offset, length, known))
            return outOfText(m_file->path(), offset);
        return readThroughWindows(offset, length, [this, known](uint64_t at) { return windowAt(at, known); });
    }

    std::optional<Error> cut() const override
    {
        return m_file->wasCut() ? std::optional(sourceChanged(m_file->path())) : std::nullopt;
    }

    std::string resumeIndex() const override
    {
        m_blocks.drain();
        std::scoped_lock lock(m_mutex);
        ByteWriter table;
        table.put<uint64_t>(m_frames.size());
        for (const FrameStart &frame : m_frames) {
            table.put(frame.textBegin);
            table.put(frame.fileOffset);
        }
        m_blocks.writeTable(table);
        return ResumeIndex::write(ResumeIndex::Container::Zstd, m_file->size(), m_textBytes, table.bytes()) +
               m_blocks.payload();
    }

    bool load(const ResumeIndex &index)
    {
        ByteReader table(index.table);
        const uint64_t count = table.getCount(16);
        for (uint64_t i = 0; i < count; ++i) {
            const auto textBegin = table.get<uint64_t>();
            const auto fileOffset = table.get<uint64_t>();
            if (textBegin > index.textBytes || fileOffset > index.fileBytes ||
                (!m_frames.empty() && textBegin < m_frames.back().textBegin))
                return false;
            m_frames.push_back({textBegin, fileOffset});
        }
        m_textBytes = index.textBytes;
        return m_blocks.load(table, index);
    }

private:
    struct FrameStart {
        uint64_t textBegin;
        uint64_t fileOffset;
    };

    Result<std::shared_ptr<const TextWindow>> windowAt(uint64_t offset, uint64_t known) const
    {
        if (auto cached = m_cache.find([&](const TextWindow &window) { return window.contains(offset); }))
            return cached;
        if (std::optional<Result<TextWindow>> block = m_blocks.read(offset)) {
            if (!*block)
                return Error{block->error().message, m_file->path(), std::nullopt};
            return m_cache.add(std::make_shared<const TextWindow>(std::move(**block)));
        }
        FrameStart frame{};
        {
            std::scoped_lock lock(m_mutex);
            auto after = std::upper_bound(m_frames.begin(), m_frames.end(), offset,
                                          [](uint64_t at, const FrameStart &start) { return at < start.textBegin; });
            if (after == m_frames.begin())
                return sourceChanged(m_file->path());
            frame = *std::prev(after);
        }
        TextWindow window;
        window.begin = frame.textBegin + (offset - frame.textBegin) / kZstdPiece * kZstdPiece;
        ZstdReader reader(m_file, frame.fileOffset);
        reader.nextFrame();
        window.text.resize(static_cast<size_t>(std::min(kZstdPiece, known - window.begin)));
        for (uint64_t at = frame.textBegin; at < window.begin;) {
            const size_t count = reader.inflate(
                std::span<char>(window.text)
                    .first(static_cast<size_t>(std::min<uint64_t>(window.text.size(), window.begin - at))));
            if (count == 0)
                break;
            at += count;
        }
        window.text.resize(reader.inflate(window.text));
        if (m_file->lost() || !window.contains(offset))
            return sourceChanged(m_file->path());
        return m_cache.add(std::make_shared<const TextWindow>(std::move(window)));
    }

    std::shared_ptr<const MappedFile> m_file;
    mutable RecentWindows m_cache;
    mutable TextBlocks m_blocks;
    mutable std::mutex m_mutex; ///< guards the two members below while the file is still being read
    std::vector<FrameStart> m_frames;
    uint64_t m_textBytes = 0;
};

ZstdSource::ZstdSource(std::shared_ptr<const MappedFile> file, const ByteSourceOptions &options)
    : m_file(file)
    , m_limit(options.inflateLimit)
    , m_reader(file)
    , m_text(std::make_shared<ZstdText>(file, options.spillFolder))
{
}

ZstdSource::~ZstdSource() = default;

Result<size_t> ZstdSource::read(std::span<char> into)
{
    size_t done = 0;
    while (done < into.size()) {
        if (!m_reader.inFrame()) {
            const std::optional<ZstdReader::Frame> frame = m_reader.nextFrame();
            if (!frame) {
                m_reader.freeDecoder();
                if (m_file->lost())
                    return sourceChanged(m_file->path());
                break;
            }
            m_large = !frame->textBytes || *frame->textBytes > kSmallFrame;
            m_text->addFrame(m_inflated, frame->fileOffset);
        }
        const std::span<char> room = into.subspan(done);
        const size_t count = m_reader.inflate(room);
        if (m_file->lost())
            return sourceChanged(m_file->path());
        if (count > m_limit - m_inflated)
            return overInflateLimit(m_file->path(), m_limit);
        if (m_large)
            m_text->blocks().append(m_inflated, room.first(count));
        m_inflated += count;
        done += count;
        m_text->grown(m_inflated);
        if (!m_reader.inFrame() && m_large)
            m_text->blocks().flush();
    }
    if (done == 0)
        m_text->blocks().drain();
    return done;
}

std::optional<Error> ZstdSource::damage() const { return errorAt(m_reader.damage(), m_file->path(), m_inflated); }
std::optional<Error> ZstdSource::trailing() const { return errorAt(m_reader.trailing(), m_file->path(), m_inflated); }

std::shared_ptr<const SourceText> ZstdSource::text() const { return m_text; }

Result<std::shared_ptr<const SourceText>> openZstdText(std::shared_ptr<const MappedFile> file, const ResumeIndex &index)
{
    const std::string path = file->path();
    auto text = std::make_shared<ZstdText>(std::move(file), std::string());
    if (!text->load(index))
        return damagedIndex(path);
    return std::shared_ptr<const SourceText>(std::move(text));
}

} // namespace riffle
