// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/perfetto/perfetto_source.h"

#include "model/ingest/resume_index.h"
#include "model/ingest/text_window.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <utility>

namespace riffle {

namespace {

constexpr size_t kWindows = 3;

} // namespace

/// Random access to the converted text.
class ConvertedText : public SourceText {
public:
    ConvertedText(std::string path, std::string spillFolder)
        : m_path(std::move(path))
        , m_cache(kWindows)
        , m_blocks(std::move(spillFolder))
    {
    }

    void append(std::span<const char> text, uint64_t fileBytes)
    {
        m_blocks.append(m_textBytes, text);
        std::scoped_lock lock(m_mutex);
        m_textBytes += text.size();
        m_fileBytes = fileBytes;
    }
    void end()
    {
        m_blocks.flush();
        m_blocks.drain();
    }

    Result<std::string> readText(uint64_t offset, uint32_t length) const override
    {
        uint64_t known = 0;
        {
            std::scoped_lock lock(m_mutex);
            known = m_textBytes;
        }
        if (!within(offset, length, known))
            return outOfText(m_path, offset);
        return readThroughWindows(offset, length, [this](uint64_t at) { return windowAt(at); });
    }

    /// The index of a zstd file whose text is in blocks: openSourceText() reads the one like the other.
    std::string resumeIndex() const override
    {
        m_blocks.drain();
        std::scoped_lock lock(m_mutex);
        ByteWriter table;
        table.put<uint64_t>(0); // frames of a file
        m_blocks.writeTable(table);
        return ResumeIndex::write(ResumeIndex::Container::Zstd, m_fileBytes, m_textBytes, table.bytes()) +
               m_blocks.payload();
    }

private:
    Result<std::shared_ptr<const TextWindow>> windowAt(uint64_t offset) const
    {
        if (auto cached = m_cache.find([&](const TextWindow &window) { return window.contains(offset); }))
            return cached;
        std::optional<Result<TextWindow>> block = m_blocks.read(offset);
        if (!block || !*block)
            return Error{"The texts of the events could not be kept in the temporary folder.", m_path, std::nullopt};
        return m_cache.add(std::make_shared<const TextWindow>(std::move(**block)));
    }

    const std::string m_path;
    mutable RecentWindows m_cache;
    mutable TextBlocks m_blocks;
    mutable std::mutex m_mutex; ///< guards the two members below while the file is still being read
    uint64_t m_textBytes = 0, m_fileBytes = 0;
};

PerfettoSource::PerfettoSource(const std::string &path, const ByteSourceOptions &options, uint64_t memoryLimit,
                               const Task &task, std::shared_ptr<ImportReport> report)
    : m_path(path)
    , m_limit(options.inflateLimit)
    , m_converter(
          path, [path, options] { return ByteSource::open(path, options); }, memoryLimit, task)
    , m_report(std::move(report))
    , m_text(std::make_shared<ConvertedText>(path, options.spillFolder))
{
}

PerfettoSource::~PerfettoSource() = default;

Result<std::unique_ptr<ByteSource>> PerfettoSource::open(const std::string &path, const ByteSourceOptions &options,
                                                         uint64_t memoryLimit, const Task &task,
                                                         std::shared_ptr<ImportReport> report)
{
    std::unique_ptr<PerfettoSource> source(new PerfettoSource(path, options, memoryLimit, task, std::move(report)));
    if (const Result<void> scanned = source->m_converter.scan(); !scanned)
        return scanned.error();
    const auto file = ByteSource::open(path, options);
    if (!file)
        return file.error();
    source->m_container = (*file)->container();
    source->m_fileBytes = (*file)->fileBytes();
    return std::unique_ptr<ByteSource>(std::move(source));
}

Result<size_t> PerfettoSource::read(std::span<char> into)
{
    size_t done = 0;
    while (done < into.size()) {
        if (m_taken == m_ready.size()) {
            m_ready.clear();
            m_taken = 0;
            const Result<bool> more = m_converter.convert(m_ready);
            if (!more)
                return more.error();
            if (!*more)
                break;
            m_textBytes += m_ready.size();
            if (m_textBytes > m_limit)
                return overInflateLimit(m_path, m_limit);
            m_text->append(m_ready, m_fileBytes);
        }
        const size_t count = std::min(into.size() - done, m_ready.size() - m_taken);
        std::memcpy(into.data() + done, m_ready.data() + m_taken, count);
        m_taken += count;
        done += count;
    }
    if (done == 0) {
        m_text->end();
        *m_report = m_converter.report();
    }
    return done;
}

std::optional<Error> PerfettoSource::damage() const
{
    return m_converter.source() ? m_converter.source()->damage() : std::nullopt;
}

std::optional<Error> PerfettoSource::trailing() const
{
    return m_converter.source() ? m_converter.source()->trailing() : std::nullopt;
}

uint64_t PerfettoSource::fileBytesRead() const
{
    return m_converter.source() ? m_converter.source()->fileBytesRead() : 0;
}

std::shared_ptr<const SourceText> PerfettoSource::text() const { return m_text; }

} // namespace riffle
