// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/result.h"
#include "model/trace/memory/memory_log.h"

#include <string>
#include <string_view>

namespace riffle {

/// Whether a page, of which the whole text is given, holds a sunburst of echarts.
bool looksLikeSunburstPage(std::string_view html);

/// Reads the tree that a sunburst page of pyecharts shows from the options of its chart; nothing of the page is
/// executed.
Result<MemoryLogPage> readSunburstPage(std::string_view html, const std::string &path);

} // namespace riffle
