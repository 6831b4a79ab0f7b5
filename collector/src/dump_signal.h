// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace riffle::collector {

/// The number of a signal that may request a dump (HUP, QUIT, USR1, USR2); 0 for any other word.
int dumpSignalOf(std::string_view name);

/// Starts watching for this signal; the program's handler, if it has one, still runs. Returns false if that is not
/// possible, for example because the program has installed its own handler over ours.
bool watchDumpSignal(int number);
/// Restores the program's handler, unless the program has installed another one meanwhile.
void forgetDumpSignal();
/// True if the signal has arrived since the last call.
bool tookDumpSignal();

} // namespace riffle::collector
