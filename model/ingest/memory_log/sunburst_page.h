// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/result.h"
#include "model/trace/memory/memory_log.h"

#include <string>
#include <string_view>

namespace riffle {

/// True if a page, given as its whole text, contains an echarts sunburst.
bool looksLikeSunburstPage(std::string_view html);

/// Reads the tree that a pyecharts sunburst page shows, from the options of its chart. Nothing in the page is executed.
Result<MemoryLogPage> readSunburstPage(std::string_view html, const std::string &path);

} // namespace riffle
