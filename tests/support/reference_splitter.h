// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace riffle::bench {

/// Cuts the event array of a Chrome trace into batches of at least `batchBytes`, each from the first byte of an event
/// to the last byte of one, in a single pass that knows only strings and braces. Every importer of large traces has to
/// do at least this work byte by byte, so its speed is a limit. The batches are views of the text.
std::vector<std::string_view> splitEvents(std::string_view json, std::size_t batchBytes = std::size_t(512) * 1024);

} // namespace riffle::bench
