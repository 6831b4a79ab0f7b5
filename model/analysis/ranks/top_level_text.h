// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/trace.h"

#include <string_view>

namespace riffle {

/// The raw JSON of a top-level key; empty if there is none. If a key occurs twice, the last one counts.
inline std::string_view topLevelText(const TraceInfo &info, std::string_view key)
{
    std::string_view found;
    for (const auto &[name, value] : info.metadata)
        if (name == key)
            found = value;
    return found;
}

} // namespace riffle
