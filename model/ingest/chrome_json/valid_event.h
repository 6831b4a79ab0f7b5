// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/ingest/chrome_json/fast_reader.h"
#include "model/ingest/chrome_json/strict_reader.h"

#include <string>
#include <string_view>

namespace riffle {

/// An event's text as JSON that every parser takes: as it stands where it is valid, else mended as it was when it was
/// read.
class ValidEvent {
public:
    /// Bytes that must be readable behind a text.
    static constexpr size_t kReach = 256;

    /// Empty when it cannot be mended. Lasts until the next call and no longer than `text`.
    std::string_view of(std::string_view text);

private:
    FastReader m_fast;
    StrictReader m_strict;
    EventRecord m_record;
    std::string m_mended;
};

} // namespace riffle
