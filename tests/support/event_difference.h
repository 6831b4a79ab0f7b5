// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/ingest/chrome_json/event_record.h"
#include "model/ingest/chrome_json/fast_reader.h"
#include "model/ingest/chrome_json/strict_reader.h"

#include <string>
#include <string_view>

namespace riffle::test {

/// The first field in which two records of one event differ; empty when there is none.
std::string recordDifference(const EventRecord &a, const EventRecord &b);

/// Reads events with both readers. The fast one learns from each, as in an import.
class ReaderPair {
public:
    struct Answer {
        bool fast = false;      ///< the fast reader took it
        size_t length = 0;      ///< as far as it went
        std::string difference; ///< why the strict reader does not agree; empty when it does, or when `fast` is false
    };
    /// Reads the event that `text` begins with ('{'). The text is copied to memory of its own size first, so that the
    /// address sanitizer sees a reader that goes too far.
    Answer read(std::string_view text);
    /// Makes the fast reader forget all layouts.
    void forget() { m_fast = {}; }

private:
    FastReader m_fast;
    StrictReader m_strict;
};

} // namespace riffle::test
