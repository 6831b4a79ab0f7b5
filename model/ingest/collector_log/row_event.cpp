// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/collector_log/row_event.h"

#include "model/base/quoted_text.h"
#include "model/ingest/collector_log/json_text.h"

#include <fmt/format.h>

#include <iterator>

namespace riffle {

JsonEvent::~JsonEvent()
{
    if (m_begun)
        m_out += m_inArgs ? "}}" : "}";
}

void JsonEvent::begin(char phase, std::string_view category, std::string_view name)
{
    m_begun = true;
    fmt::format_to(std::back_inserter(m_out), "{{\"ph\":\"{}\"", phase);
    if (!category.empty())
        text("cat", category);
    text("name", name);
}

void JsonEvent::text(const char *key, std::string_view value)
{
    fmt::format_to(std::back_inserter(m_out), ",\"{}\":", key);
    appendJsonString(m_out, value);
}

void JsonEvent::number(const char *key, int64_t value)
{
    fmt::format_to(std::back_inserter(m_out), ",\"{}\":{}", key, value);
}

void JsonEvent::time(const char *key, int64_t value)
{
    if (value == wire::kAbsent)
        return;
    fmt::format_to(std::back_inserter(m_out), ",\"{}\":", key);
    appendMicroseconds(m_out, value);
}

void JsonEvent::add(std::string_view key, ArgumentValue value)
{
    m_out += m_inArgs ? "," : ",\"args\":{";
    m_inArgs = true;
    appendJsonString(m_out, key);
    m_out += ':';
    m_out += value.json();
}

} // namespace riffle
