// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/collector_log/collective_text.h"

#include <algorithm>
#include <charconv>
#include <system_error>

namespace riffle {

CollectiveText::CollectiveText(std::string_view text)
{
    for (std::string_view &line : m_lines) {
        line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(text.size(), line.size() + 1));
    }
}

int64_t CollectiveText::number(size_t line) const
{
    const std::string_view text = m_lines[line];
    int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size() ? number : wire::kAbsent;
}

} // namespace riffle
