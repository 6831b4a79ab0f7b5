// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/text_blocks.h"

#include "model/base/temporary_file.h"

#include <algorithm>
#include <cassert>
#include <unistd.h>
#include <xxhash.h>
#include <zstd.h>

namespace riffle {

namespace {

constexpr int kBlockLevel = -3;
constexpr size_t kQueued = 4;

bool writeAll(int file, const char *bytes, size_t count, uint64_t offset)
{
    while (count > 0) {
        const ssize_t written = pwrite(file, bytes, count, static_cast<off_t>(offset));
        if (written <= 0)
            return false;
        bytes += written;
        count -= static_cast<size_t>(written);
        offset += static_cast<uint64_t>(written);
    }
    return true;
}

bool readAll(int file, char *bytes, size_t count, uint64_t offset)
{
    while (count > 0) {
        const ssize_t got = pread(file, bytes, count, static_cast<off_t>(offset));
        if (got <= 0)
            return false;
        bytes += got;
        count -= static_cast<size_t>(got);
        offset += static_cast<uint64_t>(got);
    }
    return true;
}

} // namespace

TextBlocks::TextBlocks(std::string spillFolder) : m_spillFolder(std::move(spillFolder)) {}

TextBlocks::~TextBlocks()
{
    {
        std::scoped_lock lock(m_mutex);
        m_stop = true;
    }
    m_changed.notify_all();
    if (m_thread.joinable())
        m_thread.join();
    if (m_file >= 0)
        ::close(m_file);
}

void TextBlocks::append(uint64_t begin, std::span<const char> text)
{
    while (!text.empty()) {
        if (m_pending.text.empty())
            m_pending.begin = begin;
        assert(m_pending.text.size() < kBlockBytes && m_pending.begin + m_pending.text.size() == begin);
        const size_t count = std::min(text.size(), kBlockBytes - m_pending.text.size());
        m_pending.text.append(text.data(), count);
        text = text.subspan(count);
        begin += count;
        if (m_pending.text.size() == kBlockBytes)
            flush();
    }
}

void TextBlocks::flush()
{
    if (m_pending.text.empty())
        return;
    std::unique_lock lock(m_mutex);
    if (!m_thread.joinable() && !m_failed) {
        m_file = unlinkedFile(m_spillFolder);
        m_failed = m_file < 0;
        if (!m_failed)
            m_thread = std::thread([this] { work(); });
    }
    if (m_failed) {
        m_pending.text.clear();
        return;
    }
    m_changed.wait(lock, [this] { return m_queue.size() < kQueued; });
    m_queue.push_back(std::move(m_pending));
    m_pending = {};
    if (!m_spare.empty()) {
        m_pending.text = std::move(m_spare.back());
        m_spare.pop_back();
    }
    lock.unlock();
    m_changed.notify_all();
    m_pending.text.reserve(kBlockBytes);
}

void TextBlocks::drain()
{
    std::unique_lock lock(m_mutex);
    m_changed.wait(lock, [this] { return m_queue.empty() && !m_busy; });
}

void TextBlocks::work()
{
    ZSTD_CCtx *compressor = ZSTD_createCCtx();
    std::string packed(ZSTD_compressBound(kBlockBytes), '\0');
    std::unique_lock lock(m_mutex);
    while (true) {
        m_changed.wait(lock, [this] { return m_stop || !m_queue.empty(); });
        if (m_stop)
            break;
        TextWindow window = std::move(m_queue.front());
        m_queue.pop_front();
        m_busy = true;
        const bool skip = m_failed;
        lock.unlock();
        const bool stored = !skip && store(window, compressor, packed);
        lock.lock();
        m_busy = false;
        m_failed = m_failed || !stored;
        window.text.clear();
        m_spare.push_back(std::move(window.text));
        m_changed.notify_all();
    }
    lock.unlock();
    ZSTD_freeCCtx(compressor);
}

bool TextBlocks::store(const TextWindow &window, ZSTD_CCtx *compressor, std::string &packed)
{
    const size_t size = ZSTD_compressCCtx(compressor, packed.data(), packed.size(), window.text.data(),
                                          window.text.size(), kBlockLevel);
    // Only this thread changes m_storedBytes.
    if (ZSTD_isError(size) || !writeAll(m_file, packed.data(), size, m_storedBytes))
        return false;
    std::scoped_lock lock(m_mutex);
    assert(m_blocks.empty() || window.begin >= m_blocks.back().begin + m_blocks.back().textBytes);
    m_blocks.push_back({window.begin, m_storedBytes, XXH3_64bits(packed.data(), size),
                        static_cast<uint32_t>(window.text.size()), static_cast<uint32_t>(size)});
    m_storedBytes += size;
    return true;
}

std::optional<Result<TextWindow>> TextBlocks::read(uint64_t offset) const
{
    Block block{};
    {
        std::scoped_lock lock(m_mutex);
        auto after = std::upper_bound(m_blocks.begin(), m_blocks.end(), offset,
                                      [](uint64_t at, const Block &candidate) { return at < candidate.begin; });
        if (after == m_blocks.begin() || offset - std::prev(after)->begin >= std::prev(after)->textBytes)
            return std::nullopt;
        block = *std::prev(after);
    }
    std::string packed;
    std::string_view bytes;
    if (m_file >= 0) {
        packed.resize(block.storedBytes);
        if (!readAll(m_file, packed.data(), packed.size(), block.storedAt))
            return Result<TextWindow>(damagedIndex({}));
        bytes = packed;
    } else {
        bytes = m_stored.substr(static_cast<size_t>(block.storedAt), block.storedBytes);
    }
    TextWindow window{block.begin, std::string(block.textBytes, '\0')};
    if (XXH3_64bits(bytes.data(), bytes.size()) != block.hash ||
        ZSTD_decompress(window.text.data(), window.text.size(), bytes.data(), bytes.size()) != window.text.size())
        return Result<TextWindow>(damagedIndex({}));
    return Result<TextWindow>(std::move(window));
}

void TextBlocks::writeTable(ByteWriter &table) const
{
    std::scoped_lock lock(m_mutex);
    table.put<uint64_t>(m_blocks.size());
    for (const Block &block : m_blocks) {
        table.put(block.begin);
        table.put(block.hash);
        table.put(block.textBytes);
        table.put(block.storedBytes);
    }
}

std::string TextBlocks::payload() const
{
    std::scoped_lock lock(m_mutex);
    if (m_file < 0)
        return std::string(m_stored);
    std::string bytes(static_cast<size_t>(m_storedBytes), '\0');
    if (!readAll(m_file, bytes.data(), bytes.size(), 0))
        return {};
    return bytes;
}

bool TextBlocks::load(ByteReader &table, const ResumeIndex &index)
{
    const uint64_t count = table.getCount(24);
    m_blocks.reserve(static_cast<size_t>(count));
    uint64_t begin = 0;
    for (uint64_t i = 0; i < count; ++i) {
        Block block{};
        block.begin = table.get<uint64_t>();
        block.hash = table.get<uint64_t>();
        block.textBytes = table.get<uint32_t>();
        block.storedBytes = table.get<uint32_t>();
        block.storedAt = m_storedBytes;
        if (block.begin < begin || block.textBytes > kBlockBytes ||
            !within(block.storedAt, block.storedBytes, index.payload.size()) ||
            !within(block.begin, block.textBytes, index.textBytes))
            return false;
        begin = block.begin + block.textBytes;
        m_storedBytes += block.storedBytes;
        m_blocks.push_back(block);
    }
    m_stored = index.payload;
    m_storedOwner = index.owner;
    return table.ok();
}

} // namespace riffle
