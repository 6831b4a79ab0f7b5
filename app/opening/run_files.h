// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/opening/file_opening.h"
#include "model/trace/run/run_layout.h"
#include "model/trace/trace_set.h"

namespace riffle {

/// A member of the set as a file of a run, with what is known about it. `name` is how the user would write its path.
RunFile runFileOf(const TraceMember &member, std::string name);
/// An open memory timeline, memory log or dump.
RunFile runFileOf(const OpenedSideFile &opened, std::string name);
/// A file that was found, but has no page in the window, or could not be read.
RunFile runFileOf(const FileWithoutPage &file);
RunFile runFileOf(const SkippedFile &skipped);

} // namespace riffle
