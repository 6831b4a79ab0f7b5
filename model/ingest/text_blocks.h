// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/byte_stream.h"
#include "model/base/result.h"
#include "model/ingest/resume_index.h"
#include "model/ingest/text_window.h"

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

/// The text of large zstd frames, compressed again in 1 MiB blocks that can be read in any order.
///
/// The reason: zstd's public interface cannot save the state of its decoder, and inflating a frame of gigabytes from
/// its start for a single event is too slow. On trace text, level -3 compresses about 2.4 GB/s on one core at a ratio
/// of 15. This is faster than inflating (2.0 GB/s), so a helper thread keeps up with the reader. The blocks go to an
/// unlinked temporary file, not to memory. One thread appends text; any thread can read it.
class TextBlocks {
public:
    static constexpr size_t kBlockBytes = 1 << 20;

    explicit TextBlocks(std::string spillFolder);
    ~TextBlocks();

    /// Appends text that starts at `begin` and continues the current block, if there is one. flush() ends the block.
    void append(uint64_t begin, std::span<const char> text);
    void flush();
    /// Waits until all ended blocks are written.
    void drain();

    /// Returns the block that contains `offset`; nothing if no block contains it (yet).
    std::optional<Result<TextWindow>> read(uint64_t offset) const;

    void writeTable(ByteWriter &table) const;
    /// Returns the stored bytes of all blocks, one after the other; empty if they cannot be read back.
    std::string payload() const;
    /// Uses the blocks of a stored index in place; returns false if the index is damaged.
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
    mutable std::mutex m_mutex; ///< guards everything below
    std::condition_variable m_changed;
    std::deque<TextWindow> m_queue;
    std::vector<std::string> m_spare; ///< buffers for reuse
    std::vector<Block> m_blocks;
    uint64_t m_storedBytes = 0;
    int m_file = -1;
    bool m_busy = false;
    bool m_failed = false; ///< blocks cannot be stored; their text is inflated from the start of its frame instead
    bool m_stop = false;
    std::string_view m_stored; ///< the blocks of a stored index
    std::shared_ptr<const void> m_storedOwner;
    std::thread m_thread;
};

} // namespace riffle
