// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace riffle::collector {

/// Prints a line for the user on stderr; skipped if stderr would block. Only for threads of the collector.
void say(int64_t rank, const std::string &sentence);

/// Reports the progress of the recording to riffle-cli record in its `folder`, which is empty if this process does not
/// run under it. `error` is the sentence of the error that ended the recording, if any.
void tellRecorder(const std::string &folder, uint64_t steps, bool done, const std::string &error = {});

} // namespace riffle::collector
