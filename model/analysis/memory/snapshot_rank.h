// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace riffle {

/// Returns the rank that the name of a snapshot's file tells, as in "rank3_memory_snapshot.pickle" or
/// "snapshot-rank-03.pkl": the number after the last "rank" of the name, with at most one separator between. Nothing if
/// it tells none. Snapshots themselves do not record a rank.
std::optional<int64_t> rankInName(std::string_view path);

} // namespace riffle
