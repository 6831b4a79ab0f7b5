// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/opening/launch_options.h"
#include "app/session/session_file.h"

#include <functional>
#include <optional>
#include <vector>

namespace riffle {

/// The members of a set as a session file keeps them, in their order, also those that are not loaded. If the time of
/// one of them was set, all have their place on the clock, because only then does it mean the same in another session.
std::vector<SessionFile::File> sessionMembers(const TraceSet &traces,
                                              const std::function<std::optional<SourceIdentity>(TraceId)> &identityOf);

/// The request that opens the files of a session, beginning with the one that the session looks at.
OpenRequest requestFor(const SessionFile &file);

} // namespace riffle
