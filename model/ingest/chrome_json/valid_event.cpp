// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/chrome_json/valid_event.h"

#include "model/ingest/chrome_json/event_repair.h"
#include "model/ingest/chrome_json/event_splitter.h"
#include "model/trace/json_entries.h"

namespace riffle {

std::string_view ValidEvent::of(std::string_view text)
{
    while (!text.empty() && isJsonBlank(text.back()))
        text.remove_suffix(1);
    m_record.clear();
    if (!text.empty() && text.front() == '{' &&
        m_fast.read(text.data(), text.data() + text.size() + kReach, m_record) == text.data() + text.size())
        return text;
    m_record.clear();
    if (m_strict.read(text, m_record))
        return text;
    m_mended = repairEvent(text).text;
    m_record.clear();
    return m_strict.read(m_mended, m_record) ? std::string_view(m_mended) : std::string_view();
}

std::string ValidEvent::ofEntry(std::string text)
{
    const size_t length = text.size();
    text.resize(length + kReach);
    std::string valid(of({text.data(), length}));
    return entriesOf(valid).size() == 1 ? valid : std::string();
}

} // namespace riffle
