// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/chrome_json/event_splitter.h"
#include "tests/support/naive_splitter.h"

#include <cstdlib>
#include <memory>
#include <string_view>

using namespace riffle;

namespace {

void require(bool good)
{
    if (!good)
        std::abort();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2 || size > 4096)
        return 0;
    const size_t from = data[0] * size_t(4) % size, limit = data[1] * size_t(16);
    // The allocation has exactly this size, so that the address sanitizer detects a search that goes too far.
    const std::unique_ptr<char[]> copy(new char[size - 2]);
    std::copy(data + 2, data + size, copy.get());
    const std::string_view text(copy.get(), size - 2);

    require(findEventStart(text, from) == test::naiveEventStart(text, from));
    require(findLastEventStart(text, from) == test::naiveLastEventStart(text, from));
    require(findEventListEnd(text, from) == test::naiveListEnd(text, from));
    for (size_t at = from; at < text.size(); at += 1 + from) {
        const size_t end = endOfJsonValue(text, at, limit);
        if (text[at] == '{' || text[at] == '[' || text[at] == '"')
            require(end == test::naiveValueEnd(text, at, limit).value_or(std::string_view::npos));
        else
            require(end == std::string_view::npos || (end >= at && end <= text.size() && end - at <= limit));
    }
    return 0;
}
