// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/ingest/chrome_json/event_record.h"

#include <memory>
#include <string_view>

namespace riffle {

/// Reads one event of any layout: simdjson validates the text as a whole, then the known fields are taken from it. This
/// is the general path for events that FastReader declines. One per worker.
class StrictReader {
public:
    StrictReader();
    ~StrictReader();
    /// Returns false if the text is not one valid JSON object; the record is then undefined.
    bool read(std::string_view text, EventRecord &record);

private:
    struct State;
    std::unique_ptr<State> m_state;
};

} // namespace riffle
