// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collector/client/rank.h"

#include <string>
#include <vector>

namespace riffle::record {

/// True if the environment names a display on which a window can open.
bool hasDisplay(const Lookup &lookup);

/// Starts a command that outlives this program: in a session of its own, without our input and output. Returns a
/// sentence if it could not be started, otherwise an empty text.
std::string startDetached(const std::vector<std::string> &command);

} // namespace riffle::record
