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

/// A run of events for one worker. It reads the events that begin in [from, to) of the window; an event that begins
/// before `to` may end behind it.
struct Batch {
    uint64_t sequence = 0;
    std::string_view window;
    uint64_t windowOffset = 0; ///< of the window's first byte in the source text
    size_t from = 0, to = 0;
    bool windowEndsSource = false;
    uint64_t bytesReadAgain = 0;             ///< streams: by all windows that were too small so far
    std::shared_ptr<const TextBuffer> owner; ///< keeps the window of a stream alive
};

/// How far a worker came.
struct BatchResult {
    size_t end = 0;         ///< window position where the next event would begin, or after the list's ']'
    bool listEnded = false; ///< met the ']' of the event list
    bool needsMore = false; ///< the event at `end` goes on behind the window
};

/// Cuts the event list into batches of about 512 KiB at plausible event starts, without looking at what lies between,
/// and verifies the cuts as a chain: a batch counts only when the one before it ended exactly where it begins. Where
/// the chain breaks (an array of objects inside an event, damage, the list's end) everything cut behind is taken back
/// and cut anew from the true position. Workers pull; of a stream, whoever finds few batches waiting inflates some
/// ahead, so that the others need not wait for the one that inflates.
class BatchQueue {
public:
    static constexpr size_t kBatchBytes = 512 * 1024;
    /// Batches of a stream that may wait for one before them: their text stays in memory.
    static constexpr size_t kMaxAhead = 64;
    /// Fewer than the first are waiting: one worker cuts until there are as many as the second.
    static constexpr size_t kFewWaiting = 2, kEnoughWaiting = 6;

    BatchQueue(SourceFeed &feed, unsigned workers);

    /// The next batch, or nothing when the list has ended and everything was verified. Waits while others may still
    /// bring text back. `discardFrom` receives the sequence from which on the worker has to take back what it wrote, if
    /// any.
    std::optional<Batch> next(unsigned worker, std::optional<uint64_t> &discardFrom);
    void done(const Batch &batch, const BatchResult &result);
    /// Makes every worker stop soon.
    void cancel();

    bool listEnded() const { return m_listEnded; }
    uint64_t bytesVerified() const { return m_verifiedEnd.load(std::memory_order_relaxed); }
    /// Positions the feed behind the last verified event (after ']' when the list ended). Call when all workers are
    /// done.
    void finish();

private:
    /// Buffers of batches that are done, for the next ones: fresh memory would have to be cleared each time.
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
    std::deque<Issued> m_issued; ///< not yet verified, in order
    std::deque<Batch> m_waiting; ///< streams: those of them that no worker has yet
    bool m_cutting = false;      ///< a worker reads the stream without the mutex: it alone touches feed and carry
    std::vector<std::optional<uint64_t>> m_discard; ///< per worker
    uint64_t m_nextSequence = 1;
    uint64_t m_position = 0; ///< plain files: where the next batch begins in the feed's text
    TextBuffer m_carry;      ///< streams: text after the last cut
    uint64_t m_carryOffset = 0;
    size_t m_streamBytes = kBatchBytes; ///< grows while one event does not fit
    uint64_t m_bytesReadAgain = 0;
    bool m_exhausted = false; ///< everything was handed out
    bool m_listEnded = false;
    bool m_finished = false;
    bool m_cancelled = false;
    std::atomic<uint64_t> m_verifiedEnd{0};
};

} // namespace riffle
