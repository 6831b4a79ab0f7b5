// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/ingest/chrome_json/fast_reader.h"
#include "model/ingest/chrome_json/strict_reader.h"

#include <string>
#include <string_view>

namespace riffle {

/// The text of an event as JSON that every parser accepts: unchanged if it is valid, otherwise repaired in the same way
/// as when the trace was read.
class ValidEvent {
public:
    /// The number of bytes that must be readable after a text.
    static constexpr size_t kReach = 256;

    /// Returns the valid text; empty if it cannot be repaired. The result can be used until the next call, and only
    /// while `text` exists.
    std::string_view of(std::string_view text);
    /// Returns the valid text of an object with one key; empty if it cannot be repaired or has more keys then. No bytes
    /// need follow the text.
    std::string ofEntry(std::string text);

private:
    FastReader m_fast;
    StrictReader m_strict;
    EventRecord m_record;
    std::string m_mended;
};

} // namespace riffle
