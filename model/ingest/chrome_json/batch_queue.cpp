// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/chrome_json/batch_queue.h"

#include "model/ingest/chrome_json/event_splitter.h"

#include <algorithm>
#include <cassert>

namespace riffle {

namespace {

/// The usual capacity of a buffer. Memory of this size comes from the system and returns to it before the seal, which
/// needs most memory; malloc() would keep smaller buffers. Of the capacity, only the (huge) pages that are
/// written take memory.
constexpr size_t kBufferBytes = BigAllocator<char>::kBigFrom;
static_assert(kBufferBytes >= 2 * BatchQueue::kBatchBytes);

} // namespace

BatchQueue::BatchQueue(SourceFeed &feed, unsigned workers) : m_feed(feed), m_discard(workers)
{
    m_verifiedEnd = feed.offset();
    if (!feed.wholeInMemory()) {
        m_carryOffset = feed.offset();
        m_carry = feed.takeAll();
    }
}

std::optional<Batch> BatchQueue::cutMapped()
{
    const std::string_view text = m_feed.text();
    if (m_position >= text.size())
        return std::nullopt;
    Batch batch;
    batch.window = text;
    batch.windowOffset = m_feed.offset();
    batch.windowEndsSource = true;
    batch.from = static_cast<size_t>(m_position);
    const size_t target = std::min(text.size(), batch.from + kBatchBytes);
    const size_t searchEnd = std::min(text.size(), target + kMaxEventBytes);
    const size_t start = findEventStart(text.substr(0, searchEnd), target);
    batch.to = start == std::string_view::npos ? searchEnd : start;
    m_position = batch.to;
    return batch;
}

std::shared_ptr<TextBuffer> BatchQueue::takeBuffer()
{
    auto buffer = std::make_unique<TextBuffer>();
    {
        std::scoped_lock lock(m_pool->mutex);
        if (!m_pool->buffers.empty()) {
            *buffer = std::move(m_pool->buffers.back());
            m_pool->buffers.pop_back();
        }
    }
    return {buffer.release(), [pool = m_pool](TextBuffer *used) {
                std::scoped_lock lock(pool->mutex);
                if (used->capacity() <= kBufferBytes)
                    pool->buffers.push_back(std::move(*used));
                delete used;
            }};
}

std::optional<Batch> BatchQueue::cutStream()
{
    const std::shared_ptr<TextBuffer> text = takeBuffer();
    const auto view = [&] { return std::string_view(text->data(), text->size()); };
    text->reserve(std::max(kBufferBytes, std::max(m_streamBytes, m_carry.size()) + kBatchBytes));
    text->assign(m_carry.begin(), m_carry.end());
    m_carry.clear();
    size_t cut = 0;
    while (true) {
        if (m_feed.atEnd()) {
            cut = text->size();
            break;
        }
        if (text->size() >= m_streamBytes) {
            cut = findLastEventStart(view(), text->size());
            if (cut != std::string_view::npos && cut > 0)
                break;
            cut = text->size();
            if (text->size() > m_streamBytes + kMaxEventBytes)
                break;
        }
        const size_t before = text->size();
        text->resize(before + kBatchBytes);
        text->resize(before + m_feed.readInto(std::span(*text).subspan(before)));
    }
    if (cut == 0)
        return std::nullopt;
    m_streamBytes = kBatchBytes;
    Batch batch;
    batch.windowOffset = m_carryOffset;
    batch.to = cut;
    batch.windowEndsSource = m_feed.atEnd() && cut == text->size();
    m_carry.assign(text->begin() + static_cast<std::ptrdiff_t>(cut), text->end());
    m_carryOffset += cut;
    batch.window = view().substr(0, cut);
    batch.owner = text;
    return batch;
}

bool BatchQueue::mayCut() const
{
    const bool farAhead = !m_feed.wholeInMemory() && m_issued.size() >= kMaxAhead;
    return !m_exhausted && !farAhead && !m_cutting && !m_cancelled && !m_finished;
}

std::optional<Batch> BatchQueue::issue(std::optional<Batch> batch)
{
    if (!batch) {
        m_exhausted = true;
        return std::nullopt;
    }
    assert(batch->from <= batch->to && batch->to <= batch->window.size());
    assert(m_issued.empty() || m_issued.back().batch.sequence < m_nextSequence);
    batch->sequence = m_nextSequence++;
    batch->bytesReadAgain = m_bytesReadAgain;
    m_issued.push_back({*batch, {}, false});
    return batch;
}

void BatchQueue::cutAhead(std::unique_lock<std::mutex> &lock)
{
    while (mayCut() && m_waiting.size() < kEnoughWaiting) {
        m_cutting = true;
        lock.unlock();
        std::optional<Batch> batch = cutStream();
        lock.lock();
        m_cutting = false;
        if (batch = issue(std::move(batch)); batch)
            m_waiting.push_back(std::move(*batch));
        verify(); // done() leaves this to the worker that cuts
        m_changed.notify_all();
    }
}

std::optional<Batch> BatchQueue::next(unsigned worker, std::optional<uint64_t> &discardFrom)
{
    std::unique_lock lock(m_mutex);
    while (true) {
        assert(worker < m_discard.size());
        discardFrom = m_discard[worker];
        m_discard[worker].reset();
        if (discardFrom)
            return Batch{}; // sequence 0: there is nothing to read, the worker must discard first and call again
        if (m_finished || m_cancelled)
            return std::nullopt;
        if (m_feed.wholeInMemory() && mayCut()) {
            if (auto batch = issue(cutMapped()))
                return batch;
        }
        if (!m_feed.wholeInMemory() && mayCut() && m_waiting.size() < kFewWaiting) {
            cutAhead(lock);
            continue; // batches may have been taken back in the meantime
        }
        if (!m_waiting.empty()) {
            Batch batch = std::move(m_waiting.front());
            m_waiting.pop_front();
            return batch;
        }
        if (m_issued.empty() && !m_cutting) {
            m_finished = true;
            m_changed.notify_all();
            continue;
        }
        m_changed.wait(lock);
    }
}

void BatchQueue::done(const Batch &batch, const BatchResult &result)
{
    std::scoped_lock lock(m_mutex);
    const auto found = std::find_if(m_issued.begin(), m_issued.end(),
                                    [&](const Issued &issued) { return issued.batch.sequence == batch.sequence; });
    if (found == m_issued.end())
        return; // taken back in the meantime
    assert(!found->done && result.end <= batch.window.size());
    found->result = result;
    found->done = true;
    if (!m_cutting)
        verify();
    m_changed.notify_all();
}

void BatchQueue::verify()
{
    while (!m_issued.empty() && m_issued.front().done && !m_finished) {
        const Issued &first = m_issued.front();
        const Batch &batch = first.batch;
        const BatchResult result = first.result;
        m_verifiedEnd = batch.windowOffset + result.end;
        if (result.listEnded) {
            m_listEnded = true;
            rewind(0, result.end);
            m_finished = true;
            return;
        }
        if (result.end != batch.to || result.needsMore) {
            // If an event continues beyond its window, it needs a larger one. Otherwise, the cut was wrong.
            m_bytesReadAgain += result.needsMore ? batch.to - result.end : 0;
            m_streamBytes = result.needsMore ? (batch.to - result.end) * 2 + kBatchBytes : kBatchBytes;
            rewind(0, result.end);
        }
        m_issued.pop_front();
    }
}

void BatchQueue::rewind(size_t issuedIndex, size_t windowPosition)
{
    assert(issuedIndex < m_issued.size());
    const Batch &batch = m_issued[issuedIndex].batch;
    const bool moved = windowPosition != batch.to || m_issued.size() > issuedIndex + 1;
    if (m_feed.wholeInMemory()) {
        m_position = windowPosition;
    } else {
        TextBuffer text;
        const auto append = [&](std::string_view part) { text.insert(text.end(), part.begin(), part.end()); };
        append(batch.window.substr(windowPosition));
        for (size_t later = issuedIndex + 1; later < m_issued.size(); ++later)
            append(m_issued[later].batch.window);
        append({m_carry.data(), m_carry.size()});
        m_carry = std::move(text);
        m_carryOffset = batch.windowOffset + windowPosition;
    }
    if (!moved)
        return;
    m_issued.resize(issuedIndex + 1);
    m_waiting.clear(); // all of them were cut after this batch, which a worker has already read
    m_exhausted = false;
    const uint64_t from = batch.sequence + 1;
    for (auto &discard : m_discard)
        discard = std::min(discard.value_or(from), from);
}

void BatchQueue::cancel()
{
    std::scoped_lock lock(m_mutex);
    m_cancelled = true;
    m_changed.notify_all();
}

void BatchQueue::finish()
{
    if (m_feed.wholeInMemory())
        m_feed.consume(static_cast<size_t>(std::min<uint64_t>(m_feed.text().size(), m_verifiedEnd - m_feed.offset())));
    else
        m_feed.giveBack(std::move(m_carry), m_carryOffset);
}

} // namespace riffle
