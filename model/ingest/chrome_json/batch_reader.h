// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/task.h"
#include "model/ingest/chrome_json/batch_queue.h"
#include "model/ingest/chrome_json/event_sink.h"
#include "model/ingest/chrome_json/fast_reader.h"
#include "model/ingest/chrome_json/strict_reader.h"

#include <utility>

namespace riffle {

/// Reads the events of a batch one after the other into a sink: first by the fast path, then by the strict path, then
/// with repair. If nothing works, the event counts as lost and reading continues at the next plausible event. One per
/// worker.
class BatchReader {
public:
    BatchReader(EventSink &sink, Task task) : m_sink(sink), m_task(std::move(task)) {}
    BatchResult read(const Batch &batch, ImportReport &report);
    /// Returns the number of events that were read since the last call.
    uint64_t takeEvents() { return std::exchange(m_events, 0); }

private:
    enum class Outcome : uint8_t { Read, NeedsMore };
    Outcome readEvent(const Batch &batch, size_t &at, ImportReport &report);
    Outcome readDamaged(const Batch &batch, size_t &at, size_t end, ImportReport &report);
    Outcome skipForeign(const Batch &batch, size_t &at, ImportReport &report);
    bool repair(const Batch &batch, size_t begin, size_t end, ImportReport &report);
    size_t endOfValue(std::string_view text, size_t at);
    size_t endOfEvent(std::string_view text, size_t at);
    bool mayGrow(const Batch &batch, size_t at) const;
    void begin(const Batch &batch, size_t at);
    void accept(const Batch &batch, size_t begin, size_t end);

    EventSink &m_sink;
    Task m_task;
    FastReader m_fast;
    StrictReader m_strict;
    EventRecord m_record;
    uint64_t m_events = 0;
    bool m_goesOn = false;    ///< endOfEvent() found neither an end nor damage
    size_t m_matchBudget = 0; ///< bytes that bracket matching may still scan in this batch
};

} // namespace riffle
