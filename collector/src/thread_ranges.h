// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collector/src/record.h"

#include <cstdint>
#include <string_view>

namespace riffle::collector {

/// The depth of a range in its domain if ranges are not tracked; the value that NVTX has for this.
inline constexpr int kNotTracked = -2;

/// Opens a range of the calling thread for a source that reports starts and ends, and returns its depth in its domain.
/// It is recorded only while recording, but always tracked, so that a later recording knows what is open.
int pushRange(const Domain *domain, std::string_view name, std::string_view category, uint8_t payloadKind = 0,
              uint64_t payload = 0, uint32_t color = 0);
/// Closes the thread's innermost range of the domain; -1 if none is open.
int popRange(const Domain *domain);

} // namespace riffle::collector
