// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace riffle {

/// True if a text starts like a pickle.
bool startsLikePickle(std::string_view head);
/// Returns the text without a byte order mark and blanks at its begin.
std::string_view withoutBlanks(std::string_view head);

/// True if a text starts like a dump of PyTorch's Flight Recorder: a pickle or a JSON object that names something that
/// only dumps have. Pass 4 KiB.
bool looksLikeFlightDump(std::string_view head);
/// True if a text starts like a log of NCCL Inspector.
bool looksLikeInspectorLog(std::string_view head);

} // namespace riffle
