// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/ingest/chrome_json/event_record.h"
#include "model/ingest/chrome_json/fast_reader.h"
#include "model/ingest/chrome_json/strict_reader.h"

#include <string>
#include <string_view>

namespace riffle::test {

/// The first field in which two records of one event differ; empty if they are equal.
std::string recordDifference(const EventRecord &a, const EventRecord &b);

/// Reads events with both readers. The fast one learns from each, as in an import.
class ReaderPair {
public:
    struct Answer {
        bool fast = false;      ///< the fast reader accepted the event
        size_t length = 0;      ///< of the event, up to where the reader stopped
        std::string difference; ///< how the strict reader's record differs; empty if it does not, or if `fast` is false
    };
    /// Reads the event at the start of `text` ('{'). The text is first copied to memory of exactly its size, so that
    /// the address sanitizer catches a reader that goes too far.
    Answer read(std::string_view text);
    /// Makes the fast reader forget all layouts.
    void forget() { m_fast = {}; }

private:
    FastReader m_fast;
    StrictReader m_strict;
};

} // namespace riffle::test
