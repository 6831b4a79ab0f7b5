// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/byte_stream.h"
#include "model/base/result.h"
#include "model/ingest/resume_index.h"
#include "model/ingest/window_cache.h"

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>
#include <zstd.h>

namespace riffle {

/// Text of large zstd frames, compressed again in 1 MiB blocks that can be read in any order.
///
/// Why: zstd's decoder state cannot be kept through its public interface, and inflating a frame of gigabytes from its
/// start for one event is too slow. On trace text level -3 runs at about 2.4 GB/s on one core, faster than inflating
/// (2.0), at a ratio of 15; so a helper thread keeps up with the reader. The blocks go to an unlinked temporary file,
/// not to memory. Filled by one reader thread; readable from any thread.
class TextBlocks {
public:
    static constexpr size_t kBlockBytes = 1 << 20;

    explicit TextBlocks(std::string spillFolder);
    ~TextBlocks();

    /// Text that follows what was appended before, from `begin` on. Blocks do not cross a call of flush().
    void append(uint64_t begin, std::span<const char> text);
    void flush();
    /// Waits until all blocks are written.
    void drain();

    /// The block with `offset`, or nothing when it is not among them (or not yet).
    std::optional<Result<TextWindow>> read(uint64_t offset) const;

    void writeTable(ByteWriter &table) const;
    /// All blocks one after the other; empty when they could not be kept.
    std::string payload() const;
    /// Uses stored blocks where they lie.
    bool load(ByteReader &table, const ResumeIndex &index);

private:
    struct Block {
        uint64_t begin;
        uint64_t storedAt;
        uint64_t hash; ///< XXH3 of the stored bytes
        uint32_t textBytes;
        uint32_t storedBytes;
    };
    void work();
    bool store(const TextWindow &window, ZSTD_CCtx *compressor, std::string &packed);

    const std::string m_spillFolder;
    TextWindow m_pending;
    mutable std::mutex m_mutex; ///< guards all below
    std::condition_variable m_changed;
    std::deque<TextWindow> m_queue;
    std::vector<std::string> m_spare; ///< buffers to use again
    std::vector<Block> m_blocks;
    uint64_t m_storedBytes = 0;
    int m_file = -1;
    bool m_busy = false;
    bool m_failed = false; ///< no room: the text is inflated from its frame's start instead
    bool m_stop = false;
    std::string_view m_stored; ///< the blocks of a stored index
    std::shared_ptr<const void> m_storedOwner;
    std::thread m_thread;
};

} // namespace riffle
