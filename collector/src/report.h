// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace riffle::collector {

/// A line on stderr for the user; left out where stderr does not take it at once. For threads of the collector.
void say(int64_t rank, const std::string &sentence);

/// Tells riffle-cli record how far the recording is: in its `folder`, empty where this process does not run under it.
void tellRecorder(const std::string &folder, uint64_t steps, bool done);

} // namespace riffle::collector
