// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace riffle::collector {

/// Number of a signal that may ask for a dump (HUP, QUIT, USR1, USR2), 0 for another word.
int dumpSignalOf(std::string_view name);

/// Counts this signal from now on; the program's handler, if it has one, still runs. False when that cannot be, such as
/// when the program has set a handler of its own over ours.
bool watchDumpSignal(int number);
/// The program's handler comes back, unless it has set another one meanwhile.
void forgetDumpSignal();
/// Whether the signal came since the last call.
bool tookDumpSignal();

} // namespace riffle::collector
