// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/ingest/chrome_json/source_feed.h"

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <vector>

namespace riffle {

/// A run of events for one worker, which reads the events that start in [from, to) of the window. An event that starts
/// before `to` may end after it.
struct Batch {
    uint64_t sequence = 0;
    std::string_view window;
    uint64_t windowOffset = 0; ///< offset of the window's first byte in the source text
    size_t from = 0, to = 0;
    bool windowEndsSource = false;
    uint64_t bytesReadAgain = 0;             ///< streams: bytes read again so far because windows were too small
    std::shared_ptr<const TextBuffer> owner; ///< keeps the window of a stream alive
};

/// How far a worker got.
struct BatchResult {
    size_t end = 0;         ///< window position where the next event would start, or just after the list's ']'
    bool listEnded = false; ///< the ']' of the event list was reached
    bool needsMore = false; ///< the event at `end` continues beyond the window
};

/// Cuts the event list into batches of about 512 KiB at plausible event starts, without looking at the text in between,
/// and verifies the cuts as a chain: a batch counts only if the one before it ended exactly where this one starts.
/// Where the chain breaks (an array of objects inside an event, damage, the end of the list), everything cut after that
/// point is taken back and cut again from the true position. Workers pull batches. In a stream, a worker that finds few
/// batches waiting inflates several ahead, so that the other workers do not have to wait for it.
class BatchQueue {
public:
    static constexpr size_t kBatchBytes = 512 * 1024;
    /// The number of batches of a stream that may be issued but not yet verified; their text stays in memory.
    static constexpr size_t kMaxAhead = 64;
    /// When fewer than kFewWaiting batches are waiting, one worker cuts until kEnoughWaiting are.
    static constexpr size_t kFewWaiting = 2, kEnoughWaiting = 6;

    BatchQueue(SourceFeed &feed, unsigned workers);

    /// Returns the next batch, or nothing if the list has ended and everything is verified. Waits while other workers
    /// may still return text to the queue. If `discardFrom` is set afterwards, the worker must discard what it wrote
    /// from this sequence number on, and the batch is empty.
    std::optional<Batch> next(unsigned worker, std::optional<uint64_t> &discardFrom);
    void done(const Batch &batch, const BatchResult &result);
    /// Makes next() return nothing from now on.
    void cancel();

    bool listEnded() const { return m_listEnded; }
    uint64_t bytesVerified() const { return m_verifiedEnd.load(std::memory_order_relaxed); }
    /// Moves the feed to just after the last verified event (after ']' if the list has ended). Call this when all
    /// workers are done.
    void finish();

private:
    /// Buffers of finished batches, reused for later ones: fresh memory would have to be cleared each time.
    struct BufferPool {
        std::mutex mutex;
        std::vector<TextBuffer> buffers;
    };
    struct Issued {
        Batch batch;
        BatchResult result;
        bool done = false;
    };
    bool mayCut() const;
    std::optional<Batch> issue(std::optional<Batch> batch);
    void cutAhead(std::unique_lock<std::mutex> &lock);
    std::optional<Batch> cutMapped();
    std::optional<Batch> cutStream();
    std::shared_ptr<TextBuffer> takeBuffer();
    void verify();
    void rewind(size_t issuedIndex, size_t windowPosition);

    SourceFeed &m_feed;
    std::shared_ptr<BufferPool> m_pool = std::make_shared<BufferPool>();
    std::mutex m_mutex;
    std::condition_variable m_changed;
    std::deque<Issued> m_issued; ///< issued but not yet verified, in order
    std::deque<Batch> m_waiting; ///< streams: the issued batches that no worker has taken yet
    bool m_cutting = false; ///< a worker is reading the stream without the mutex; only it touches m_feed and m_carry
    std::vector<std::optional<uint64_t>> m_discard; ///< per worker: see `discardFrom`
    uint64_t m_nextSequence = 1;
    uint64_t m_position = 0; ///< plain files: where the next batch starts in the feed's text
    TextBuffer m_carry;      ///< streams: text after the last cut
    uint64_t m_carryOffset = 0;
    size_t m_streamBytes = kBatchBytes; ///< size of the next window; larger after an event that did not fit
    uint64_t m_bytesReadAgain = 0;
    bool m_exhausted = false; ///< there is nothing left to cut
    bool m_listEnded = false;
    bool m_finished = false;
    bool m_cancelled = false;
    std::atomic<uint64_t> m_verifiedEnd{0};
};

} // namespace riffle
